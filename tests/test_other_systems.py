"""The parts that work on systems other than Linux: the virtual world, the compiler, tests, stores.

Each test runs in a process that looks like Windows as far as Python's own modules allow: it refuses
the modules of POSIX, lacks their functions, and ``sys.platform`` is ``win32``.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WINDOWS = """
# These choose their code by the platform when they are imported.
import asyncio, concurrent.futures.process, ctypes, multiprocessing.connection, os, select, shutil, signal
import socket, socketserver, subprocess, sys, tempfile
import click, prompt_toolkit.output.vt100, prompt_toolkit.shortcuts, rich.console
try:
    import duckdb, loky, matplotlib.pyplot, numpy, polars
except ImportError:
    pass
import importlib.abc

assert not [name for name in sys.modules if name == "weir" or name.startswith("weir.")]
REFUSED = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in REFUSED:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refuse())
for name in ("fork", "forkpty", "geteuid", "getuid", "killpg", "pidfd_open", "sched_getaffinity", "setns", "setsid"):
    delattr(os, name) if hasattr(os, name) else None
for name in ("AF_NETLINK", "AF_PACKET", "AF_UNIX"):
    delattr(socket, name)
for name in ("SIGHUP", "SIGKILL", "pthread_sigmask"):
    delattr(signal, name)
# The lock of Windows.
locks = type(sys)("msvcrt")
locks.LK_NBLCK, locks.locking = 2, lambda descriptor, mode, size: None
sys.modules["msvcrt"] = locks
sys.platform = "win32"
"""


def elsewhere(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python code on such a system."""
    return subprocess.run(
        [sys.executable, "-c", WINDOWS + textwrap.dedent(code)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_every_module_that_is_not_about_linux_can_be_imported(tmp_path: Path):
    ended = elsewhere(
        """
        import importlib, pkgutil, weir

        def walk(package):
            for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
                # The Linux world, access points; what needs a package of others; a name that moved.
                if found.name in {"weir.linux", "weir.ap", "weir.mininet", "weir.dropin.p4config", "weir.labs"}:
                    continue
                if found.name.endswith(".__main__"):
                    continue
                module = importlib.import_module(found.name)
                if found.ispkg:
                    walk(module)

        walk(weir)
        print("all")
        """,
        tmp_path,
    )
    assert (ended.returncode, ended.stdout) == (0, "all\n"), ended.stderr


def test_a_virtual_network_runs(tmp_path: Path):
    ended = elsewhere(
        """
        import weir

        with weir.Network(weir.topology.shapes.dumbbell(2), seed=1) as net:
            net.capture("h1.pcapng", "h1")
            ping = net.host("h1").ping("h3", count=3)
            flow = net.host("h1").iperf("h3", duration="100ms")
        flow.to_csv("flow.csv")
        print(ping.received, flow.goodput_mbps > 1)
        """,
        tmp_path,
    )
    assert (ended.returncode, ended.stdout) == (0, "3 True\n"), ended.stderr
    assert (tmp_path / "flow.csv").stat().st_size > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "guard.p4"],
        ["test", "guard.p4", "guard.stf"],
        ["run", "topology.json", "--p4", "guard.p4", "-c", "pingall"],
        ["trace", "guard.p4", "--packet", "0" * 28, "--port", "1"],
        ["example", "run", "nat"],
    ],
)
def test_commands_run(arguments: list[str]):
    folder = ROOT / "docs" / "tutorials" / "first"
    ended = elsewhere(
        f"from weir.cli import main; sys.argv = ['weir', *{arguments}]; sys.exit(main())", folder
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_store_of_telemetry_is_written_and_locked(tmp_path: Path):
    ended = elsewhere(
        """
        from pathlib import Path
        from weir.files.lock import lock, try_lock

        calls = []
        locks.locking = lambda descriptor, mode, size: calls.append((mode, size))
        with Path("file").open("w") as file:
            lock(file)
            assert try_lock(file)
        def refuse(*arguments):
            raise OSError("locked")
        locks.locking = refuse
        with Path("file").open("w") as file:
            print(calls, try_lock(file))
        """,
        tmp_path,
    )
    assert (ended.returncode, ended.stdout) == (0, "[(2, 1), (2, 1)] False\n"), ended.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import weir; weir.Network(weir.topology.shapes.star(2), world='linux')",
            'world="linux" needs Linux, and this system is win32: the virtual world works here',
        ),
        (
            "from weir.cli import main; sys.argv = ['weir', 'switch', 'router']; sys.exit(main())",
            "weir switch needs Linux, and this system is win32: `weir run` runs switches in a virtual network",
        ),
        (
            "from weir.cli import main; sys.argv = ['weir', 'link', 'a', 'b']; sys.exit(main())",
            "weir link needs Linux, and this system is win32: networks of `weir run` have links, too",
        ),
        (
            "from weir.cli import main; sys.argv = ['weir', 'ap', 'check', '.']; sys.exit(main())",
            "weir ap needs Linux, and this system is win32: the virtual world works here",
        ),
    ],
)
def test_calls_that_need_linux_say_so(code: str, message: str, tmp_path: Path):
    ended = elsewhere(code, tmp_path)
    assert ended.returncode == 1
    assert message in ended.stderr

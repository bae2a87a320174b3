"""Ctrl-C during runs: none is lost, even if events take a long time, and none shows a traceback."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
import tomllib
import weakref
from pathlib import Path

import pytest

import weir
from experiment_file import FILE, load
from torture.programs.template import program
from weir.cli import ping
from weir.stf import run_stf
from weir.stf.bench import Bench
from weir.system.repeated_interrupts import RepeatedInterrupts
from weir.topology import shapes

ROOT = Path(__file__).resolve().parent.parent
SLOW = "for (bit<32> i in 32w0 .. 32w100000) { meta.b = meta.b + i; }"
"""What takes the interpreter some hundredths of a second for each packet."""


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_a_run_with_slow_packets_ends_soon(tmp_path: Path):
    (tmp_path / "slow.p4").write_text(program(apply=SLOW))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    topology = shapes.star(2)
    topology.routes = None
    with weir.Network(topology, slow) as network:
        network.host("h1").start_ping("h2", count=100_000, interval="1ms")
        network.run_for("10ms")
        before = network.events
        threading.Timer(0.2, interrupt).start()
        # All events of a slice would take minutes.
        with pytest.raises(KeyboardInterrupt):
            network.run_for("100s")
        assert 0 < network.events - before < 5000
        network.run_for("1ms")


def test_an_interrupted_ping_says_why_its_request_is_lost(tmp_path: Path, capsys):
    (tmp_path / "again.p4").write_text(program(apply="resubmit_preserving_field_list(0);"))
    topology = shapes.star(2)
    topology.routes = None
    with weir.Network(topology, weir.compile(tmp_path / "again.p4")) as network:
        threading.Timer(0.5, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            ping.run_ping(network, "h1", ["h2"])
    out = capsys.readouterr().out
    # The computer's speed determines how much virtual time passes in half a second.
    assert "packets transmitted, 0 received, 100% packet loss" in out
    assert re.search(r"Why: \d+ packets? did not leave s1: its program recirculated or resubmitted", out), out


def test_a_test_with_a_slow_packet_ends_soon(tmp_path: Path):
    (tmp_path / "slow.p4").write_text(program(apply=SLOW))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    (tmp_path / "slow.stf").write_text("packet 0 00\n" * 100_000)
    threading.Timer(0.2, interrupt).start()
    # All packets would take minutes.
    with pytest.raises(KeyboardInterrupt):
        run_stf(slow, tmp_path / "slow.stf")


def test_a_packet_that_passes_a_slow_program_forever_ends_soon(tmp_path: Path):
    # A longer loop would end in the limit of loops, and the packet with it.
    again = SLOW.replace("100000", "10000") + " resubmit_preserving_field_list(0);"
    (tmp_path / "slow.p4").write_text(program(apply=again))
    slow = weir.compile(tmp_path / "slow.p4", executor="interp")
    (tmp_path / "slow.stf").write_text("packet 0 00\n")
    threading.Timer(0.2, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_stf(slow, tmp_path / "slow.stf")
    bench = Bench(slow, [0])
    threading.Timer(0.2, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        bench.send(0, b"x")


def test_an_interrupt_before_another_exception_is_not_lost():
    with weir.Network(shapes.star(2)) as network:

        def action() -> None:
            interrupt()
            raise ZeroDivisionError

        network.at("1ms", action)
        with pytest.raises(KeyboardInterrupt) as raised:
            network.run_for("1s")
        assert isinstance(raised.value.__context__, ZeroDivisionError)
        network.run_for("1s")


EARLY = """
import os, signal, sys

module, handler = sys.argv[1:]

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

# The shell of a background job makes processes ignore the signal.
signal.signal(signal.SIGINT, getattr(signal, handler))
sys.meta_path.insert(0, Interrupts())
from weir_command import main
sys.argv[1:] = ["--version"]
sys.exit(main())
"""
"""The command, which Ctrl-C interrupts before it reads a module."""


@pytest.mark.parametrize(
    ("module", "handler", "code", "said"),
    [
        ("weir", "default_int_handler", -signal.SIGINT, ""),
        ("weir.cli", "default_int_handler", -signal.SIGINT, ""),
        ("click", "default_int_handler", 130, "error: interrupted\n"),
        ("weir", "SIG_IGN", 0, ""),
    ],
)
def test_an_interrupt_while_the_command_starts_shows_no_traceback(
    module: str, handler: str, code: int, said: str
):
    ended = subprocess.run(
        [sys.executable, "-c", EARLY, module, handler],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (code, said)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert scripts == {"weir": "weir_command:main"}


def workers(session: int) -> list[int]:
    """The worker processes of a command that has its own session."""
    children = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if fields[3] == str(session) and b"loky.backend.popen" in (process / "cmdline").read_bytes():
                children.append(int(process.name))
        except OSError:
            continue
    return children


@pytest.mark.parametrize("milliseconds", [0, 30, 70, 120, 200, 400, 1000])
def test_an_interrupt_while_workers_start_is_one_line(tmp_path: Path, milliseconds: int):
    (tmp_path / "interrupted.py").write_text(FILE)
    command = [sys.executable, "-m", "weir", "experiment", "run", "interrupted.py:noisy", "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--out", "results"],
        cwd=tmp_path,
        env=os.environ | {"SLOW": "5"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    try:
        while not workers(process.pid):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(milliseconds / 1000)
        # As a terminal does, to all processes of the command.
        os.killpg(process.pid, signal.SIGINT)
        _, output = process.communicate(timeout=60)
    finally:
        process.kill()
    assert [line for line in output.splitlines() if line.strip()] == ["error: interrupted"]
    # If the interrupt comes while Python compiles a text, the signal ends the process.
    assert process.returncode in (130, -signal.SIGINT)
    while workers(process.pid):
        assert time.monotonic() < deadline, "worker processes are left"
        time.sleep(0.05)


LEAVES = """
import os, signal, sys
from loky.backend import resource_tracker
from weir.experiments.processes import worker_processes

register, calls = resource_tracker.register, 0

def interrupted(name, kind):
    global calls
    register(name, kind)
    calls += 1
    if calls == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGINT)

resource_tracker.register = interrupted
try:
    with worker_processes(2):
        print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
"""
"""A program that is interrupted when a semaphore has just been registered."""


@pytest.mark.parametrize("number", [1, 2, 5])
def test_an_interrupt_while_a_pool_is_made_leaves_no_semaphore(number: int):
    command = [sys.executable, "-W", "default", "-c", LEAVES, str(number)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("interrupted\n", "", 0)


SLOWLY = """
import gc, threading, time
from loky.backend import queues, resource_tracker
from weir.experiments.processes import quietly_started, worker_processes

feed, unregister = queues.Queue._feed, resource_tracker.unregister

def feed_slowly(*arguments):
    feed(*arguments)
    time.sleep(0.5)

def unregister_slowly(name, kind):
    if threading.current_thread().name == "QueueFeederThread":
        time.sleep(1)
    unregister(name, kind)

queues.Queue._feed = feed_slowly
resource_tracker.unregister = unregister_slowly
with worker_processes(2) as executor:
    with quietly_started():
        future = executor.submit(sum, (1, 2))
    print(future.result())
del executor, future
gc.collect()
time.sleep(1)
"""
"""Ends while a thread of the pool takes its time to remove a semaphore."""


def test_a_pool_leaves_no_semaphore_to_its_threads():
    ended = subprocess.run([sys.executable, "-c", SLOWLY], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("3\n", "", 0)


def test_a_pool_ends_on_a_computer_without_pgrep(tmp_path: Path):
    """Minimal Linux systems have none. loky would wait for its workers forever without psutil."""
    code = (
        "from weir.experiments.processes import worker_processes\n"
        "with worker_processes(2) as executor:\n    print(sum(executor.map(abs, [-1, -2])))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("3\n", "", 0)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert any(one.startswith("psutil") for one in extras["lab"])


def test_an_interrupt_that_python_ignores_comes_again(capfd: pytest.CaptureFixture[str]):
    class Thing:
        pass

    thing = Thing()
    reference = weakref.ref(thing, lambda _: interrupt())
    with RepeatedInterrupts(), pytest.raises(KeyboardInterrupt):
        del thing
        assert reference() is None
        for _ in range(100):
            time.sleep(0.05)
    assert capfd.readouterr() == ("", "")


def test_other_exceptions_that_python_ignores_are_shown(monkeypatch: pytest.MonkeyPatch):
    class Thing:
        def __del__(self) -> None:
            raise ZeroDivisionError

    calls: list[type] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: calls.append(ignored.exc_type))
    with RepeatedInterrupts():
        Thing()
        gc.collect()
    assert calls == [ZeroDivisionError]


def test_programs_of_a_run_in_a_worker_can_be_interrupted(tmp_path: Path):
    # A worker ignores Ctrl-C. Programs that it starts must not inherit that.
    (tmp_path / "starts.py").write_text(
        "import signal, subprocess, weir\n"
        "@weir.experiment(x=[1, 2])\n"
        "def starts(x):\n"
        "    process = subprocess.Popen(['sleep', '100'])\n"
        "    process.send_signal(signal.SIGINT)\n"
        "    return {'code': process.wait(20)}\n"
    )
    result = load(tmp_path / "starts.py", "starts").run(workers=2, progress=False)
    assert result.runs["code"].to_list() == [-signal.SIGINT] * 2


def test_an_interrupt_that_matplotlib_replaces_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from matplotlib.figure import Figure

    def savefig(*args: object, **options: object) -> None:
        try:
            interrupt()
            interrupt()
            time.sleep(1)
        except KeyboardInterrupt:
            pass
        raise ValueError("Invalid affine transformation matrix")

    monkeypatch.setattr(Figure, "savefig", savefig)
    with weir.Network(shapes.star(2)) as network:
        result = network.host("h1").ping("h2", count=1)
    with pytest.raises(KeyboardInterrupt):
        result.plot(tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())

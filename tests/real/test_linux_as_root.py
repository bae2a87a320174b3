"""The rights of programs in the Linux world: those in a user namespace, or root's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from linux_networks import ROUTER, fill, two_hosts

import weir
from weir.cli import main
from weir.errors import NetworkError
from weir.linux.enter import __file__ as ENTER
from weir.linux.namespaces import _advice

pytestmark = pytest.mark.usefixtures("namespaces")

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has root's rights")

OWN = "readlink /proc/self/ns/user"


def test_programs_are_in_a_user_namespace(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEIR_AS_ROOT", "0")
    ours = str(Path("/proc/self/ns/user").readlink())
    with weir.Network(two_hosts(delay="1ms"), ROUTER, world="linux") as net:
        fill(net)
        h1 = net.host("h1")
        assert h1.cmd(OWN).strip() not in ("", ours)
        assert h1.cmd("id -u").strip() == "0"
        assert h1.ping("h2", count=1).received == 1
        assert "ok" in h1.cmd("mount -t tmpfs none /mnt && echo ok")
        # A name for this computer belongs to a namespace outside.
        refused = h1.cmd(
            f"{sys.executable} -c 'import socket; socket.sethostname(socket.gethostname())' 2>&1"
        )
        assert "PermissionError" in refused


@as_root
def test_programs_by_root_can_use_other_users(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEIR_AS_ROOT", "0")
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        change = "import os; os.setgid(65534); os.setuid(65534); print(os.getuid())"
        assert net.host("h1").cmd(f"{sys.executable} -S -c '{change}'").strip() == "65534"


@as_root
@pytest.mark.parametrize("how", ["argument", "environment", "option"])
def test_root_can_give_its_rights(
    how: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    ours = str(Path("/proc/self/ns/user").readlink())
    monkeypatch.setenv("WEIR_AS_ROOT", "1" if how == "environment" else "0")
    if how == "option":
        line = ["run", "--shape", "star:2", "--world", "linux", "--as-root", "-c", f"h1 {OWN}"]
        assert main(line) == 0
        assert ours in capfd.readouterr().out
        return
    given = True if how == "argument" else None
    with weir.Network(two_hosts(), ROUTER, world="linux", as_root=given) as net:
        fill(net)
        assert net.host("h1").cmd(OWN).strip() == ours
        assert net.host("h1").ping("h2", count=1).received == 1


def test_rights_that_cannot_be_given(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    with pytest.raises(NetworkError, match='as_root=True needs world="linux"'):
        weir.Network(two_hosts(), ROUTER, as_root=True)
    assert main(["run", "--shape", "star:2", "--as-root", "-c", "pingall"]) == 2
    assert main(["lab", "run", "delay", "--as-root"]) == 2
    assert capfd.readouterr().err.count("--as-root is for --world linux") == 2
    monkeypatch.setenv("WEIR_AS_ROOT", "yes")
    with pytest.raises(NetworkError, match="WEIR_AS_ROOT is 'yes': expected 1 or 0"):
        weir.Network(two_hosts(), ROUTER, world="linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NetworkError, match="as_root: only root"):
        weir.Network(two_hosts(), ROUTER, world="linux", as_root=True)


def test_errors_say_how_to_allow_user_namespaces(tmp_path: Path):
    assert "sysctl" not in _advice(False, tmp_path)
    for name, value in {
        "user/max_user_namespaces": "0",
        "kernel/unprivileged_userns_clone": "1",
        "kernel/apparmor_restrict_unprivileged_userns": "1",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    assert _advice(False, tmp_path) == (
        "To allow it, type: sudo sysctl -w user.max_user_namespaces=10000 && "
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. Root can do without a user namespace: "
        'sudo weir … --as-root (in Python, as_root=True). Without network namespaces, use world="virtual"'
    )
    assert "use --as-root (in Python, as_root=True)" in _advice(True, tmp_path)


@as_root
def test_a_kernel_without_user_namespaces(tmp_path: Path):
    """In a user namespace in which no more of them may be made."""
    script = (
        "import weir\n"
        "open('/proc/sys/user/max_user_namespaces', 'w').write('0')\n"
        "weir.Network(weir.topology.shapes.star(2), world='linux')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-S", ENTER, sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "WEIR_AS_ROOT": "0"},
    )
    assert (
        "allows no network namespaces in a user namespace: unshare: No space left on device" in ended.stderr
    )
    assert "sudo sysctl -w user.max_user_namespaces=10000" in ended.stderr

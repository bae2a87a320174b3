"""Network namespaces in which tests have interfaces of their own, without root."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest
from linux_networks import ROUTER, fill, two_hosts

import needed
import weir

HERE = Path(__file__).parent

UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
"""Runs a command in a user namespace, with an empty network."""


@functools.cache
def refusal() -> str | None:
    """The reason why this machine has no network namespaces for tests; None if it has some."""
    try:
        trial = subprocess.run(
            [*UNSHARE, "ip", "link", "add", "veth0", "type", "veth", "peer", "veth1"],
            capture_output=True,
            text=True,
            timeout=30,
        )
    except OSError as error:
        return str(error)
    return trial.stderr.strip() or f"exit code {trial.returncode}" if trial.returncode else None


@pytest.fixture(scope="session")
def namespaces() -> list[str]:
    """The start of a command that runs in a user namespace, with an empty network.

    Skips tests where the kernel allows no network namespaces.

    With ``WEIR_REQUIRE_NAMESPACES=1`` they fail instead.
    """
    if why := refusal():
        needed.skip(f"network namespaces with veth: {why}", "WEIR_REQUIRE_NAMESPACES")
    return UNSHARE


@pytest.fixture
def play(tmp_path: Path, namespaces: list[str]):
    """Runs a script of this folder in a namespace and returns what it prints."""

    def run(script: str, *arguments: str, timeout: float = 60) -> str:
        command = [*namespaces, sys.executable, str(HERE / script), *arguments]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=timeout)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    return run


@pytest.fixture(scope="module")
def net(namespaces: list[str]):
    """Two hosts of the Linux world and the router between them."""
    with weir.Network(two_hosts(), ROUTER, world="linux") as network:
        fill(network)
        yield network

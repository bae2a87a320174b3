"""Programs and shell commands on hosts of the Linux world."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from weir.errors import NetworkError, TopologyError, shown
from weir.linux.terminal import run_in_terminal
from weir.system.process import Process
from weir.topology import HostSpec, commands

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase


def run(network: NetworkBase, host: HostSpec, command: str) -> tuple[HostSpec, str]:
    """Runs a shell command on a host and waits until it exits.

    Processes that the command started with ``&`` continue.

    Returns:
        The host's description after the command, and the command's output, errors included.
    """
    # Output goes to a file instead of a pipe, because background processes would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        process = network.namespaces.run(host.name, ["sh", "-c", command], stdout=output, stderr=output)
        try:
            process.wait()
        except BaseException:
            process.kill()
            raise
        output.seek(0)
        printed = output.read().decode(errors="replace")
    after = deepcopy(host)
    try:
        commands.apply(command, after)
    except TopologyError:
        # The command does not change anything that topology files describe.
        return host, printed
    return (host if process.returncode else after), printed


def start(network: NetworkBase, host: str, command: str | Sequence[str], options: dict[str, Any]) -> Process:
    """Starts a program on a host; see :meth:`weir.Host.popen`."""
    words = ["sh", "-c", command] if isinstance(command, str) else list(command)
    if not words or not all(isinstance(word, str) for word in words):
        raise NetworkError(
            f"command: expected a line for the shell, or a program and its arguments, found {shown(command)}"
        )
    files = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    options_and_files = {**files, **options}
    for number, name in enumerate(files):
        if options_and_files[name] is None:  # The file of this process, as for `subprocess`.
            options_and_files[name] = number
    return network.namespaces.run(host, words, **options_and_files)


def show(network: NetworkBase, host: str, line: str) -> int:
    """Runs a line of the shell on a host; see :meth:`weir.network.world.World.show`."""
    words = ["sh", "-c", line]
    if sys.stdin.isatty() and sys.stdout.isatty():
        return run_in_terminal(network.namespaces, host, words)
    sys.stdout.flush()
    process = network.namespaces.run(host, words, stdout=1, stderr=2)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        return process.wait()

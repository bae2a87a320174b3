"""Host commands in topologies, in the syntax of tools such as ``ip`` and ``tc``. The commands
change routes, neighbours, interfaces, queueing disciplines and settings."""

from __future__ import annotations

from weir import _core
from weir.topology.host_spec import HostSpec


def apply(command: str, host: HostSpec) -> None:
    """Applies a command to a host's specification.

    Args:
        command: the command, in the syntax of a shell.
        host: the host that it changes.

    Raises:
        TopologyError: the command is not understood; the host is unchanged.
    """
    host._set(_core.host_command(command, host))

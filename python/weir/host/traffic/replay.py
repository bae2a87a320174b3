"""Sends the frames of a capture again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weir import _core
from weir.clock import MAX_NANOS
from weir.errors import NetworkError, shown
from weir.flows import ReplayFlow
from weir.host.traffic.peer import interface_number

if TYPE_CHECKING:
    from weir.owners.network import Host


def start_replay(self: Host, path: str | Path, *, speed: float = 1.0, interface: str = "eth0") -> ReplayFlow:
    """Sends the frames of a capture, pcap or pcapng, with the times between them.

    The result is the number of frames sent.

    Args:
        path: the capture.
        speed: the factor by which frames are sent faster than captured: 2 halves the times.
        interface: the interface that sends them.

    Raises:
        FileError: the capture cannot be read, or its packets are not whole Ethernet frames in the
            order of their times.
        NetworkError: the host has no such interface, or the speed is not above 0.
    """
    network = self._network
    network._clock.check_open()
    if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not 0 < speed < float("inf"):
        raise NetworkError(f"speed: {shown(speed)} is out of range: expected a number above 0")
    rows = _core.read_capture(str(path), 1 << 62)
    first, last = (rows[0][0], rows[-1][0]) if rows else (0, 0)
    if (last - first) / speed >= MAX_NANOS - network.now_ns:
        raise NetworkError(
            f"speed: at {shown(speed)} times its speed, the capture would last longer than the clock "
            "can count"
        )
    frames = [(round((time - first) / speed), data) for time, data in rows]
    core = self._core.start_replay(interface_number(self, interface), frames)
    return ReplayFlow(network._clock, core)

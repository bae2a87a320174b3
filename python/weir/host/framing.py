"""Frames from a host as they are: made by hand, or captured before."""

from __future__ import annotations

from pathlib import Path

from weir import _core
from weir.clock import NANOS_MAX
from weir.errors import FileError, NetworkError
from weir.flows import ReplayFlow
from weir.host.end import End
from weir.host.twins import waiting
from weir.hostprogram import Sniffer
from weir.keywords import keywords_are_told
from weir.traffic import frame_bytes


@keywords_are_told
class Framing(End):
    """A host as it sends frames and looks at them."""

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a frame as it is, now: it is on its way when time next passes.

        Args:
            packet: the frame from its Ethernet header on: bytes, or an object that ``bytes()`` makes them of, such as a packet of Scapy.
            interface: the interface it leaves by.

        Raises:
            NetworkError: that is no packet, or the host has no such interface.
        """
        self._network.check_open()
        self._core.send_frame(self._interface(interface), frame_bytes(packet))

    def start_replay(self, path: str | Path, *, speed: float = 1.0, interface: str = "eth0") -> ReplayFlow:
        """Sends the frames of a capture, pcap or pcapng, with the times between them.

        Its result is how many frames were sent.

        Args:
            path: the capture.
            speed: how much faster than captured: 2 halves the times.
            interface: the interface they leave by.

        Raises:
            FileError: the capture cannot be read, or a frame was not captured whole.
            NetworkError: the host has no such interface, or the speed is not above 0.
        """
        self._network.check_open()
        if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not 0 < speed < float("inf"):
            raise NetworkError(f"speed: {speed!r} is out of range: expected a number above 0")
        rows = _core.read_capture(str(path), 1 << 62)
        for number, (_, data, length) in enumerate(rows):
            if len(data) < length:
                raise FileError(
                    f"packet {number} was captured with {len(data)} of its {length} bytes", file=path
                )
        first = min((time for time, _, _ in rows), default=0)
        longest = (max((time for time, _, _ in rows), default=0) - first) / speed
        if longest >= NANOS_MAX - self._network.now_ns:
            raise NetworkError(f"speed: at {speed!r} times its speed the capture would outlast the clock")
        frames = [(round((time - first) / speed), data) for time, data, _ in rows]
        core = self._core.start_replay(self._interface(interface), frames)
        return ReplayFlow(self._network.clock, core)

    replay = waiting(start_replay)

    def sniff(self, filter: str = "", interface: str = "eth0") -> Sniffer:
        """Keeps the frames that pass one of its interfaces from now on; see :meth:`Network.sniff`.

        Raises:
            NetworkError: the host has no such interface, nothing is connected to it, or the filter cannot be read.
        """
        return self._network.sniff(f"{self.name}-eth{self._interface(interface)}", filter)

"""Frames that pass an interface, as a packet socket sees them."""

from __future__ import annotations

import socket
import struct
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from weir.linux.services.arrivals import ANCILLARY, Arrivals, stamp
from weir.linux.services.filter import Filter
from weir.linux.services.service import Service, run

_ALL: Final = 3
"""``ETH_P_ALL``."""

_SOL_PACKET, _AUXDATA, _HAS_TAG = 263, 8, 1 << 4
RECORD: Final = struct.Struct("<QBI")
"""Of a frame in a file: its time, whether it was sent, its length; the frame follows."""


class Recorder(Service):
    """Records an interface of its node.

    Args:
        control: as of :class:`Service`.
        origin: as well.
        interface: its name.
        filter: which frames, in tcpdump's language; all if empty.
        directions: whether frames that arrive, and that leave, are recorded.
        file: where to; in memory if None.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        interface: str,
        filter: str,
        directions: tuple[bool, bool],
        file: str | None,
    ) -> None:
        super().__init__(control, origin)
        self._filter = Filter(filter)
        self._directions = directions
        self._rows: list[tuple[int, bool, bytes]] = []
        self._file = None if file is None else Path(file).open("wb")  # noqa: SIM115 it is open until the end
        self._arrivals = Arrivals()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL))
        self._socket.setblocking(False)
        stamp(self._socket)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        self._socket.setsockopt(_SOL_PACKET, _AUXDATA, 1)
        self._socket.bind((interface, _ALL))
        self.watch(self._socket, self._receive)

    def take(self) -> list[tuple[int, bool, bytes]]:
        """The frames since the last call: time, whether it was sent, bytes."""
        self._receive()
        rows, self._rows = self._rows, []
        return rows

    def flush(self) -> None:
        """Writes all frames that have passed to the file."""
        self._receive()
        if self._file is not None:
            self._file.flush()

    def _receive(self) -> None:
        rows = []
        while True:
            try:
                frame, extra, _, address = self._socket.recvmsg(1 << 17, ANCILLARY)
            except BlockingIOError:
                break
            except OSError:
                # The interface has gone down, which the socket outlives.
                break
            sent = address[2] == socket.PACKET_OUTGOING
            if self._directions[sent]:
                rows.append((self._arrivals.time(extra) - self.origin, sent, _with_tag(frame, extra)))
        rows = self._filter.kept(rows)
        if self._file is None:
            self._rows += rows
            return
        for time, sent, frame in rows:
            self._file.write(RECORD.pack(max(0, time), sent, len(frame)) + frame)


def _with_tag(frame: bytes, extra: list[tuple[int, int, bytes]]) -> bytes:
    """A frame with the VLAN tag that the kernel has taken out of it."""
    for level, kind, data in extra:
        if (level, kind) == (_SOL_PACKET, _AUXDATA):
            # struct tpacket_auxdata, packet(7).
            status, _, _, _, _, tag, protocol = struct.unpack("=IIIHHHH", data[:20])
            if status & _HAS_TAG:
                return frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:]
    return frame


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs a service of this module."""
    run(Recorder, control, *arguments)

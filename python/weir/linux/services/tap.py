"""The frames that pass an interface, read from a packet socket."""

from __future__ import annotations

import itertools
import socket
import struct
from typing import Final

from weir.linux.services.arrivals import ANCILLARY, Arrivals, enable_arrival_times
from weir.linux.services.filter import Filter, Row

ALL_FRAMES: Final = 3
"""The protocol number ``ETH_P_ALL``, with which a packet socket receives all frames."""

_SOL_PACKET, _AUXDATA, _HAS_TAG = 263, 8, 1 << 4


class Tap:
    """A packet socket that is bound to an interface.

    Args:
        sock: the socket.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        filter: the frames to record, in tcpdump's language; all if empty.
        directions: whether to record frames that arrive, and frames that leave.
    """

    def __init__(self, sock: socket.socket, origin: int, filter: str, directions: tuple[bool, bool]) -> None:
        self.socket = sock
        self._origin, self._directions = origin, directions
        self._filter = Filter(filter)
        self._arrivals = Arrivals()
        sock.setblocking(False)
        enable_arrival_times(sock)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        sock.setsockopt(_SOL_PACKET, _AUXDATA, 1)

    def take(self, limit: int | None = None) -> list[Row]:
        """Returns the frames since the last call, each with its time, whether it was sent, and its
        bytes.

        Args:
            limit: the maximum number of frames to read; ``None`` for all.
        """
        rows: list[Row] = []
        for _ in itertools.count() if limit is None else range(limit):
            try:
                frame, extra, _, address = self.socket.recvmsg(1 << 17, ANCILLARY)
            except BlockingIOError:
                break
            except OSError:
                # The interface has gone down; the socket still works.
                break
            sent = address[2] == socket.PACKET_OUTGOING
            if self._directions[sent]:
                rows.append(
                    (self._arrivals.time(extra) - self._origin, sent, _restore_vlan_tag(frame, extra))
                )
        return self._filter.matching_frames(rows)


def _restore_vlan_tag(frame: bytes, extra: list[tuple[int, int, bytes]]) -> bytes:
    """Puts the VLAN tag that the kernel had removed back into a frame."""
    for level, kind, data in extra:
        if (level, kind) == (_SOL_PACKET, _AUXDATA):
            # The data is a struct tpacket_auxdata, packet(7).
            status, _, _, _, _, tag, protocol = struct.unpack("=IIIHHHH", data[:20])
            if status & _HAS_TAG:
                return frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:]
    return frame

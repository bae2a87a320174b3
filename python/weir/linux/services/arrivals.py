"""Times at which the kernel received packets."""

from __future__ import annotations

import socket
import struct
from time import CLOCK_REALTIME, clock_gettime_ns
from typing import Final

SO_TIMESTAMPNS: Final = 35
"""The option of sockets, of the size of ``long``, that Python's module lacks."""

ANCILLARY: Final = 256
"""Bytes that the kernel says of a packet at most, besides the packet."""


def stamp(sock: socket.socket) -> None:
    """Lets the kernel say when each packet arrived."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)


def age(extra: list[tuple[int, int, bytes]]) -> int:
    """Nanoseconds since the arrival of a packet, from what the kernel says of it; 0 if nothing.

    The kernel's clock of arrivals is another than ours, so that only ages can be compared.
    """
    for level, kind, data in extra:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanos = struct.unpack("=qq", data[:16])
            late: int = clock_gettime_ns(CLOCK_REALTIME) - (seconds * 1_000_000_000 + nanos)
            return max(0, late)
    return 0

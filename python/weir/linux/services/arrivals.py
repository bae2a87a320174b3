"""Times at which the kernel received packets."""

from __future__ import annotations

import socket
import struct
from time import CLOCK_REALTIME, clock_gettime_ns, monotonic_ns
from typing import Final

SO_TIMESTAMPNS: Final = 35
"""The option of sockets, of the size of ``long``, that Python's module lacks."""

ANCILLARY: Final = 256
"""The maximum bytes of ancillary data that the kernel adds to a packet."""


_SECOND: Final = 1_000_000_000
_IMPOSSIBLE: Final = 60 * _SECOND
"""The time in nanoseconds that a packet cannot wait in a socket: an older time is wrong."""


def enable_arrival_times(sock: socket.socket) -> None:
    """Has the kernel report when each packet arrived."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)


class Arrivals:
    """The times at which the kernel received packets, on the clock of :func:`time.monotonic_ns`.

    The kernel reports them on another clock. The difference of the clocks is measured once, and
    again if a time is impossible because the kernel's clock was set.
    """

    def __init__(self) -> None:
        self._offset = _offset()

    def time(self, extra: list[tuple[int, int, bytes]]) -> int:
        """When a packet arrived, from the kernel's ancillary data; now if there is none."""
        now = monotonic_ns()
        for level, kind, data in extra:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanos = struct.unpack("=qq", data[:16])
                time: int = seconds * _SECOND + nanos
                if not now - _IMPOSSIBLE < time - self._offset <= now:
                    self._offset = _offset()
                return min(now, time - self._offset)
        return now


def _offset() -> int:
    """How far the clock of arrivals is ahead, from the measurement that was interrupted least."""
    tries = []
    for _ in range(5):
        before = monotonic_ns()
        real = clock_gettime_ns(CLOCK_REALTIME)
        after = monotonic_ns()
        tries.append((after - before, real - (before + after) // 2))
    return min(tries)[1]

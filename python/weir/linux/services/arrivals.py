"""Reads the times at which the kernel received packets."""

from __future__ import annotations

import socket
import struct
from time import CLOCK_REALTIME, clock_gettime_ns, monotonic_ns
from typing import Final

SO_TIMESTAMPNS: Final = 35
"""The socket option with which the kernel reports arrival times; Python's module lacks it."""

ANCILLARY: Final = 256
"""The maximum number of bytes of ancillary data that the kernel adds to a packet."""


_NS_PER_SECOND: Final = 1_000_000_000
_MAX_WAIT_NS: Final = 60 * _NS_PER_SECOND
"""The maximum time in nanoseconds that a packet waits in a socket. If a packet seems to have waited
for longer, its time of arrival is wrong."""


def enable_arrival_times(sock: socket.socket) -> None:
    """Makes the kernel report when each packet arrived at a socket."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)


class Arrivals:
    """The times at which the kernel received packets, on the clock of :func:`time.monotonic_ns`.

    The kernel reports arrival times on another clock. The difference of the clocks is measured at
    the start, and again when a time of arrival is impossible because somebody has set the kernel's
    clock.
    """

    def __init__(self) -> None:
        self._offset = _offset()

    def time(self, extra: list[tuple[int, int, bytes]]) -> int:
        """Returns the time at which a packet arrived, from the kernel's ancillary data; without
        such data, the current time."""
        now = monotonic_ns()
        for level, kind, data in extra:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanos = struct.unpack("=qq", data[:16])
                time: int = seconds * _NS_PER_SECOND + nanos
                if not now - _MAX_WAIT_NS < time - self._offset <= now:
                    self._offset = _offset()
                return min(now, time - self._offset)
        return now


def _offset() -> int:
    """Measures how many nanoseconds the clock of arrival times is ahead.

    The difference is measured several times, and the measurement that took the least time counts.
    """
    tries = []
    for _ in range(5):
        start = monotonic_ns()
        real = clock_gettime_ns(CLOCK_REALTIME)
        after = monotonic_ns()
        tries.append((after - start, real - (start + after) // 2))
    return min(tries)[1]

"""CoDel according to section 5 of RFC 8289, in plain Python, for comparison with P4."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Waited(NamedTuple):
    """A packet that comes out of a queue.

    Attributes:
        now: when the packet leaves the queue, in us.
        waited: its time in the queue, in us.
        behind: the number of packets that are still in the queue.
    """

    now: int
    waited: int
    behind: int


class Codel:
    """The RFC's algorithm over packets whose times are known in advance.

    The RFC takes the next packet out of the queue as soon as it has dropped a packet; here the next
    packet leaves at its own time.

    Attributes:
        dropped: the places of the dropped packets, from 0.
    """

    def __init__(
        self, packets: Iterable[Waited], target: int, interval: int, gap: Callable[[int], int]
    ) -> None:
        """Prepares CoDel for some packets.

        Args:
            packets: the packets, in the order in which they leave the queue.
            target: the RFC's TARGET, in us.
            interval: the RFC's INTERVAL, in us.
            gap: returns interval / sqrt(count), in us.
        """
        self.dropped: list[int] = []
        self._queue = iter(enumerate(packets))
        self._target, self._interval, self._gap = target, interval, gap
        self._now = self._place = self._first_above = self._drop_next = self._count = self._last_count = 0
        self._dropping = False
        self._empty = False

    def run(self) -> list[int]:
        """Takes all packets out of the queue; returns the places of the dropped packets."""
        while not self._empty:
            self._dequeue()
        return self.dropped

    def _do_dequeue(self) -> bool:
        """Takes a packet out of the queue; returns whether it may be dropped."""
        found = next(self._queue, None)
        if found is None:
            self._empty = True
            self._first_above = 0
            return False
        self._place, packet = found
        self._now = packet.now
        if packet.waited < self._target or packet.behind <= 1:
            self._first_above = 0
            return False
        if self._first_above == 0:
            self._first_above = self._now + self._interval
            return False
        return self._now >= self._first_above

    def _drop(self) -> None:
        self.dropped.append(self._place)

    def _dequeue(self) -> None:
        may_drop = self._do_dequeue()
        if self._dropping:
            if not may_drop:
                self._dropping = False
            while self._dropping and self._now >= self._drop_next:
                self._drop()
                self._count += 1
                if not self._do_dequeue():
                    self._dropping = False
                else:
                    self._drop_next += self._gap(self._count)
        elif may_drop:
            began = self._now
            self._drop()
            self._do_dequeue()
            self._dropping = True
            more = self._count - self._last_count
            self._count = 1
            if more > 1 and began - self._drop_next < 16 * self._interval:
                self._count = more
            self._drop_next = began + self._gap(self._count)
            self._last_count = self._count

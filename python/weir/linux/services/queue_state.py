"""Samples of an interface's queue, with the counts of ``tc -s qdisc``, read over netlink
(rtnetlink(7))."""

from __future__ import annotations

import socket
from array import array
from multiprocessing.connection import Connection
from typing import Any

from weir.linux.services.queue_messages import Counts, queue_counts, request
from weir.linux.services.service import Service, run


class QueueSampler(Service):
    """Samples the root queue of an interface of its node.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        interface: the name of the interface.
        every: nanoseconds between samples.
    """

    def __init__(self, control: Connection[Any, Any], origin: int, interface: str, every: int) -> None:
        super().__init__(control, origin)
        self._index = socket.if_nametoindex(interface)
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._every, self._next = every, self.now() + every
        # The columns: time, waiting packets, sent packets, sent bytes, dropped packets.
        self._columns = [array("Q") for _ in range(5)]
        self._stopped = False

    def columns(self) -> list[bytes]:
        """Returns the samples so far in columns: times, waiting packets, sent packets and bytes,
        dropped packets."""
        return [column.tobytes() for column in self._columns]

    def stop(self) -> None:
        """Stops sampling."""
        self._stopped = True

    def work(self) -> float | None:
        """Takes a sample if one is due; returns the seconds until the next sample."""
        if self._stopped:
            return None
        now = self.now()
        if now >= self._next:
            for column, value in zip(self._columns, (now, *self._read()), strict=True):
                column.append(value)
            self._next += self._every * max(1, -(-(now - self._next) // self._every))
            now = self.now()
        return (self._next - now) / 1_000_000_000

    def _read(self) -> Counts:
        """Reads the counts of the queue from the kernel."""
        self._netlink.send(request(self._index))
        counts: Counts = (0, 0, 0, 0)
        while True:
            data, sender = self._netlink.recvfrom(1 << 16)
            # Programs of the host can send messages to this socket, too.
            if sender == (0, 0):
                new_counts, is_last = queue_counts(data, self._index)
                counts = new_counts or counts
                if is_last:
                    return counts


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service of this module until the control connection is closed."""
    run(QueueSampler, control, *arguments)

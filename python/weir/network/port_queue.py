"""Adapts the queues of a switch's port to the port's link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import units

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.control.switch import Switch

# The largest depth of a queue that a switch supports.
_MAX_DEPTH = (1 << 31) - 1


class PortQueue:
    """The queues of a port, with the rate of the port's link and the length of the link's queue.

    The queues adapt to changes of the link until something else, such as a runtime command, sets
    their rate or depth. While the link has a queueing discipline other than a limit in packets, the
    queues have no rate, and packets wait in that discipline.

    Args:
        switch: the switch.
        port: the port's number.
        link: the link at the port.
        interface: the port's end of the link.
        depth: the maximum number of packets in each queue; ``None`` for the length of the link's
            queue.
    """

    def __init__(
        self, switch: Switch, port: int, link: cores.Link, interface: cores.Interface, depth: int | None
    ) -> None:
        self._switch = switch
        self._port = port
        self._link = link
        self._interface = interface
        self._follows_depth = depth is None
        self._rate: str | None = None
        if depth is not None:
            switch.set_queue_depth(depth, port)
        self._depth = switch.queues(port)[0].depth
        self.follow()

    def follow(self) -> None:
        """Sets the queues to the link's current rate and limit."""
        limit, bits = self._interface.packet_limit, self._link.rate_bps
        rate = None if limit is None or bits is None else units.format_rate(bits)
        queues = self._switch.queues(self._port)
        if rate != self._rate and all(queue.port_rate == self._rate for queue in queues):
            self._switch.set_queue_rate(rate, self._port)
            self._rate = rate
        if rate is not None and limit is not None and self._follows_depth:
            depth = min(limit, _MAX_DEPTH)
            if depth != self._depth and all(queue.depth == self._depth for queue in queues):
                self._switch.set_queue_depth(depth, self._port)
                self._depth = depth

"""Computes the times at which a recirculated packet can leave a switch, which are the ends of its
passes.

Packets begin their passes in the order of arrival, at least 1/capacity apart, and a recirculated
packet arrives again when its pass ends. The arrivals of other packets, not the P4 program,
decide when its passes can end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .machines import Machine

SECOND_NS: Final = 10**9


class Exits:
    """The passes of a switch over time, with one recirculating packet at a time.

    Args:
        machine: the timing of the switch.
        other_arrivals_ns: the arrival times of other packets, which make one pass each, in
            ascending order.
    """

    def __init__(self, machine: Machine, other_arrivals_ns: Sequence[int]) -> None:
        self._pass_ns, self._capacity = machine.pass_ns, machine.capacity
        self._others = other_arrivals_ns
        self._next = 0
        # The start of the next pass in nanoseconds · capacity; in this unit, passes are a second
        # apart.
        self._ready = 0

    def nearest(self, arrived_ns: int, left_ns: int, goal_ns: int) -> int:
        """Finds the possible departure time of a packet that is nearest to a goal, in nanoseconds.

        Calls must be in the order of arrival, because the passes of a packet delay later packets.

        Args:
            arrived_ns: the time at which the packet arrived.
            left_ns: the time at which the packet left.
            goal_ns: the time at which the packet should have left.
        """
        ends: list[int] = []
        at, place, ready = arrived_ns, self._next, self._ready
        while not ends or ends[-1] < max(goal_ns, left_ns):
            while place < len(self._others) and self._others[place] <= at:
                ready = max(ready, self._others[place] * self._capacity) + SECOND_NS
                place += 1
            if ready <= at * self._capacity and self._pass_ns * self._capacity >= SECOND_NS:
                # The packet is alone in the switch, so its passes follow each other without a gap
                # until the next event.
                until = min(goal_ns, left_ns, *self._others[place : place + 1])
                at += max(0, (until - at) // self._pass_ns - 1) * self._pass_ns
            ready = max(ready, at * self._capacity)
            at = -(-ready // self._capacity) + self._pass_ns
            ready += SECOND_NS
            ends.append(at)
            if at <= left_ns:
                self._next, self._ready = place, ready
        return min(ends, key=lambda end: abs(end - goal_ns))

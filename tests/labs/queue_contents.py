"""The packets that waited in a switch's queue when a packet joined it, from the switch's traces."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import weir


def met_in_queue(journeys: list[weir.Journey]) -> dict[int, list[int]]:
    """For each packet, the packets that waited at its port when it joined the queue, the oldest
    first."""
    joined: dict[int, list[tuple[int, int]]] = {}
    left: dict[int, list[int]] = {}
    for journey in journeys:
        for copy in journey.copies.values():
            for step in copy.steps:
                if step.kind == "queued":
                    joined.setdefault(step.what["port"], []).append((step.time_ns, journey.packet))
                elif step.kind == "dequeued":
                    left.setdefault(step.what["port"], []).append(step.time_ns)
    waiting = {}
    for port, arrivals in joined.items():
        arrivals.sort()
        times = [time for time, _ in arrivals]
        departures = sorted(left.get(port, []))
        for time, packet in arrivals:
            # Packets that arrive in the same nanosecond would make this ambiguous.
            assert times.count(time) == 1
            # A packet that leaves at once is itself in `gone`; no packet waits then.
            gone, before = bisect_right(departures, time), bisect_left(times, time)
            waiting[packet] = [other for _, other in arrivals[gone:before]]
    return waiting

"""The experiment "hold", in which packet A waits in the switch until packet B of its pair has
left."""

from __future__ import annotations

import random
import struct
from typing import Any, Final

import polars as pl

import weir

from .chain import network
from .machines import machine

PORT: Final = 5000
A, B, OTHER = 0, 1, 2
"""The roles of packets. A and B form a pair; other packets have no pair."""

_PAYLOAD: Final = struct.Struct("!BI")
BOUND_PASSES: Final = 100


class Sender(weir.HostProgram):
    """Sends packets at given times."""

    def __init__(self, plan: list[tuple[int, int, int]]) -> None:
        self._plan = plan
        self._next = 0

    def start(self) -> None:
        """Sets the timer for the first packet."""
        self.after(f"{self._plan[0][0]}ns")

    def on_timer(self, token: object) -> None:
        """Sends the packets that are due, and sets the timer for the next packet."""
        time, role, pair = self._plan[self._next]
        self.send_udp("h2", PORT, _PAYLOAD.pack(role, pair))
        self._next += 1
        if self._next < len(self._plan):
            self.after(f"{self._plan[self._next][0] - time}ns")


class Receiver(weir.HostProgram):
    """Records the packets in the order of their arrival."""

    def __init__(self) -> None:
        self.arrived: list[tuple[int, int, int]] = []
        """The time in ns, the role and the pair of each packet."""

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records a packet."""
        self.arrived.append((datagram.time_ns, *_PAYLOAD.unpack_from(datagram.payload)))


@weir.experiment(
    profile=["bmv2-vm", "modern"], bound=["passes", "time"], pairs=[10_000], at_once=[10], seeds=10
)
def hold(profile: str, bound: str, pairs: int, at_once: int, seed: int) -> dict[str, Any]:
    """Does a switch reorder pairs of packets without reordering other packets?

    B arrives up to 50 passes after A in 85 % of the pairs, before A in 5 %, after the bound of 100
    passes in 5 %, and never in 5 %. With each pair, a packet without a pair is sent. ``at_once``
    pairs start within the time of 100 passes, or fewer if the switch's capacity is too small.
    """
    model = machine(profile).switch_alone
    one_pass = model.pass_ns
    # BMv2 makes one pass at a time, so it can hold one packet at a time.
    at_once = min(at_once, max(1, model.capacity * one_pass // (2 * 10**9)))
    plan, gaps = _packets_by_time(pairs, one_pass, BOUND_PASSES * one_pass // at_once, random.Random(seed))
    big = 2**31
    limits = (BOUND_PASSES, big) if bound == "passes" else (big, BOUND_PASSES * one_pass // 1000)
    with network("hold", model, seed=seed) as net:
        net.switch("s1").table("bound").set_default(
            "set_bound", {"recirculations": limits[0], "us": limits[1]}
        )
        receiver = net.host("h2").run(Receiver(), udp=PORT)
        net.host("h1").run(Sender(plan), udp=PORT)
        net.run_for(f"{plan[-1][0] + 1000 * one_pass}ns")
        passes = net.switch("s1").counter("passes").read(0).packets
    sent = {(role, pair): time for time, role, pair in plan}
    arrivals = {(role, pair): time for time, role, pair in receiver.arrived}
    place = {(role, pair): number for number, (_, role, pair) in enumerate(receiver.arrived)}
    held = [arrivals[A, pair] - sent[A, pair] for pair in range(pairs) if (A, pair) in arrivals]
    within = [pair for pair, gap in enumerate(gaps) if gap is not None and gap <= 50]
    other_packets = [(role, pair) for _, role, pair in receiver.arrived if role != A]
    return {
        "sent": len(plan),
        "received": len(receiver.arrived),
        "within": len(within),
        "b_first": sum(place[B, pair] < place[A, pair] for pair in within),
        "late": pairs - len(within),
        "others_in_order": other_packets == [(role, pair) for _, role, pair in plan if role != A],
        "held_mean_passes": sum(held) / len(held) / one_pass,
        "held_max_passes": max(held) / one_pass,
        "passes_per_pair": passes / pairs,
        "capacity_percent": 100 * passes / (model.capacity * plan[-1][0] / 1e9),
        "held": pl.DataFrame({"gap_passes": gaps, "held_passes": [time / one_pass for time in held]}),
    }


def _packets_by_time(
    pairs: int, one_pass: int, spacing: int, chance: random.Random
) -> tuple[list[tuple[int, int, int]], list[float | None]]:
    """Plans all packets by time, as (time in ns, role, pair); also returns for each pair the time
    from A to B in passes."""
    plan: list[tuple[int, int, int]] = []
    gaps: list[float | None] = []
    for pair in range(pairs):
        start = (pair + 1) * spacing + 200 * one_pass
        kind = chance.random()
        gap: float | None
        if kind < 0.85:
            gap = chance.uniform(0.01, 50)
        elif kind < 0.90:
            gap = chance.uniform(-10, -0.01)
        elif kind < 0.95:
            gap = chance.uniform(150, 200)
        else:
            gap = None
        gaps.append(gap)
        plan.append((start, A, pair))
        if gap is not None:
            plan.append((start + round(gap * one_pass), B, pair))
        plan.append((start + chance.randrange(spacing), OTHER, pair))
    return sorted(plan), gaps

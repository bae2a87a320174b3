"""How much packets that wait in a switch take from all other traffic."""

from __future__ import annotations

from typing import Any, Final

import weir

from .chain import network
from .hold import PORT, A, B, Receiver, Sender
from .machines import machine

_NEVER: Final = 2**31
"""A bound that no packet reaches: recirculations, or 36 minutes in microseconds."""


@weir.experiment(
    profile=["bmv2-vm", "bmv2-server"],
    mbps=[4.0, 16.0, 32.0, 44.0],
    held=[0, 1, 2, 4, 8, 16],
    seconds=[5],
)
def hold_price(profile: str, mbps: float, held: int, seconds: int, seed: int) -> dict[str, Any]:
    """What does all other traffic lose while a switch holds packets?

    The switch holds ``held`` packets from before the other traffic, UDP at ``mbps``, starts until
    after it has ended. Then the packets that the held ones wait for arrive.
    """
    model = machine(profile).switch_alone
    with network("hold", model, seed=seed) as net:
        switch, h1, h2 = net.switch("s1"), net.host("h1"), net.host("h2")
        switch.table("bound").set_default("set_bound", {"recirculations": _NEVER, "us": _NEVER})
        receiver = h2.run(Receiver(), udp=PORT)
        if held:
            waiting = [(10_000_000 + pair, A, pair) for pair in range(held)]
            # An overloaded switch needs seconds to end the other traffic.
            last = round((seconds + 12) * 1e9)
            h1.run(Sender([*waiting, *((last + pair, B, pair) for pair in range(held))]), udp=PORT)
        net.run_for("100ms")
        before = _passes(switch)
        running = h1.start_iperf(h2, udp=True, rate=f"{mbps}Mbit", duration=f"{seconds}s", interval=None)
        net.run_for(f"{seconds}s")
        passes, held_passes = (now - then for now, then in zip(_passes(switch), before, strict=True))
        net.wait(running)
        flow = running.result()
        early = len(receiver.arrived)
        net.run_for("15s")
    order = [(role, pair) for _, role, pair in receiver.arrived]
    place = {packet: number for number, packet in enumerate(order)}
    return {
        "goodput_mbps": flow.goodput_mbps,
        "loss_percent": 100 * flow.loss,
        "delay_mean_ms": flow.streams[0].delay_mean_ms,
        "delay_max_ms": flow.streams[0].delay_max_ms,
        "reordered": flow.reordered,
        "held_passes_per_s": held_passes / seconds,
        "capacity_percent": 100 * passes / seconds / model.capacity,
        "left_early": early,
        "held_lost": sum((A, pair) not in place for pair in range(held)),
        "b_first": sum(place[B, pair] < place.get((A, pair), -1) for pair in range(held)),
    }


def _passes(switch: weir.Switch) -> tuple[int, int]:
    """All passes of a switch so far, and those after which a packet stayed in it."""
    counter = switch.counter("passes")
    return counter.read(0).packets, counter.read(1).packets

"""The experiment "hold_price": the loss and delay of other traffic while packets wait in a
switch."""

from __future__ import annotations

from typing import Any, Final

import weir

from .chain import network
from .hold import PORT, A, B, Receiver, Sender
from .machines import machine

_UNREACHED_BOUND: Final = 2**31
"""A bound that no packet reaches, in recirculations or in microseconds (36 minutes)."""


@weir.experiment(
    profile=["bmv2-vm", "bmv2-server"],
    mbps=[4.0, 16.0, 32.0, 44.0],
    held=[0, 1, 2, 4, 8, 16],
    seconds=[5],
)
def hold_price(profile: str, mbps: float, held: int, seconds: int, seed: int) -> dict[str, Any]:
    """How much loss and delay does other traffic have while a switch holds packets?

    The other traffic is UDP at ``mbps``. The switch holds ``held`` packets from before its start
    until after its end, when the packets arrive for which the held packets wait.
    """
    model = machine(profile).switch_alone
    with network("hold", model, seed=seed) as net:
        switch, h1, h2 = net.switch("s1"), net.host("h1"), net.host("h2")
        switch.table("bound").set_default(
            "set_bound", {"recirculations": _UNREACHED_BOUND, "us": _UNREACHED_BOUND}
        )
        receiver = h2.run(Receiver(), udp=PORT)
        if held:
            waiting = [(10_000_000 + pair, A, pair) for pair in range(held)]
            # An overloaded switch needs seconds to forward the rest of the other traffic.
            last = round((seconds + 12) * 1e9)
            h1.run(Sender([*waiting, *((last + pair, B, pair) for pair in range(held))]), udp=PORT)
        net.run_for("100ms")
        passes_before = _count_passes(switch)
        running = h1.start_iperf(h2, udp=True, rate=f"{mbps}Mbit", duration=f"{seconds}s", interval=None)
        net.run_for(f"{seconds}s")
        passes, held_passes = (
            now - then for now, then in zip(_count_passes(switch), passes_before, strict=True)
        )
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


def _count_passes(switch: weir.Switch) -> tuple[int, int]:
    """Reads how many passes a switch has made so far, and how many of them ended with a
    recirculation."""
    counter = switch.counter("passes")
    return counter.read(0).packets, counter.read(1).packets

"""TCP throughput in both directions, one after the other as in ``iperf -r`` and at the same
time."""

from __future__ import annotations

from typing import Any

import weir

from .chain import link_rate, network, recirculate
from .machines import machine


@weir.experiment(
    profile=["bmv2-vm"],
    link=["unlimited", "10Mbit"],
    order=["in turn", "at once"],
    x=[0, 1, 3, 7, 15],
    seconds=[10],
    seeds=5,
)
def directions(profile: str, link: str, order: str, x: int, seconds: int, seed: int) -> dict[str, Any]:
    """Does TCP have the same throughput from h2 to h1 as from h1 to h2?

    "In turn" is ``iperf -r``: h1 sends first, and h2 starts a second after h1 has finished, when no
    packets are in flight. "At once" is ``iperf -d``: both hosts send for the whole time.
    """
    rate, duration = link_rate(link), f"{seconds}s"
    with network("delay", machine(profile), rate=rate, seed=seed, noise="realistic") as net:
        recirculate(net, x)
        flows = [net.host("h1").start_iperf("h2", duration=duration, interval=None)]
        if order == "in turn":
            net.wait(*flows)
            net.run_for("1s")
        flows.append(net.host("h2").start_iperf("h1", duration=duration, interval=None))
        net.wait(*flows)
        there, back = (flow.result() for flow in flows)
    return {
        "there_mbps": there.goodput_mbps,
        "back_mbps": back.goodput_mbps,
        "sum_mbps": there.goodput_mbps + back.goodput_mbps,
        "there_retransmits": sum(stream.retransmits for stream in there.streams),
        "back_retransmits": sum(stream.retransmits for stream in back.streams),
    }

"""TCP throughput by number of recirculations and link rate (thesis, figure 5.21)."""

from __future__ import annotations

from typing import Any

import weir

from .chain import link_rate, network, recirculate
from .machines import Machine, machine


@weir.experiment(
    profile=["bmv2-vm"],
    link=["unlimited", "25Mbit", "10Mbit"],
    x=[0, 1, 3, 7, 15],
    switches=[1],
    seconds=[10],
    seeds=30,
)
def tcp_throughput(profile: str, link: str, x: int, switches: int, seconds: int, seed: int) -> dict[str, Any]:
    """What is the TCP throughput if the switch recirculates each packet X times?"""
    return measure_tcp(machine(profile), link, x, switches, seconds, seed)


def measure_tcp(model: Machine, link: str, x: int, switches: int, seconds: int, seed: int) -> dict[str, Any]:
    """Measures a TCP flow over a chain of switches that recirculate each packet X times."""
    rate = link_rate(link)
    with network("delay", model, switches=switches, rate=rate, seed=seed, noise="realistic") as net:
        recirculate(net, x)
        flow = net.host("h1").iperf("h2", duration=f"{seconds}s", interval=None)
    return {
        "goodput_mbps": flow.goodput_mbps,
        "retransmits": sum(stream.retransmits for stream in flow.streams),
        "rtt_ms": flow.streams[0].rtt_ms,
    }

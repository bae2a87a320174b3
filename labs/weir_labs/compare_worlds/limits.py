"""Where the computer's limits begin: a TCP flow over faster and faster links."""

from __future__ import annotations

from typing import Any

import weir
from weir import units

from .network import network
from .processor import Processors


@weir.experiment(
    world=["virtual", "linux"],
    rate=["10Mbit", "30Mbit", "100Mbit", "300Mbit", "1Gbit"],
    delay=["1ms"],
    queue=["1000p"],
    congestion=["cubic"],
    seconds=[3],
    switch=["weir"],
    seeds=3,
)
def limits(
    world: str, rate: str, delay: str, queue: str, congestion: str, seconds: int, switch: str, seed: int
) -> dict[str, Any]:
    """Up to which rate does a TCP flow fill the link, and what do the processors do?"""
    with network(world, seed, rate, delay, queue, switch=switch) as net:
        before = Processors()
        net.run_for("300ms")
        usage_before = before.usage()
        processors = Processors()
        result = net.host("h1").iperf("h3", duration=f"{seconds}s", congestion=congestion)
        usage = processors.usage()
    stream = result.streams[0]
    # Headers and preamble are not payload: 1448 bytes of 1514.
    possible_mbps = units.rate_bps(rate) * 1448 / 1514 / 1e6
    return {
        "rate_mbps": units.rate_bps(rate) / 1e6,
        "goodput_mbps": result.goodput_mbps,
        "filled_percent": 100 * result.goodput_mbps / possible_mbps,
        "retransmits": stream.retransmits,
        "before_percent": usage_before.busy_percent if world == "linux" else None,
        "busy_percent": usage.busy_percent if world == "linux" else None,
        "kernel_percent": usage.kernel_percent if world == "linux" else None,
        "softirq_percent": usage.softirq_percent if world == "linux" else None,
        "backlog_drops": usage.backlog_drops if world == "linux" else None,
    }

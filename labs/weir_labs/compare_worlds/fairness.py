"""How two TCP flows share a link."""

from __future__ import annotations

from typing import Any

import polars as pl

import weir

from .kernel import has_congestion
from .network import RECEIVERS, SENDERS, network


@weir.experiment(
    world=["virtual", "linux"],
    congestion=["cubic", "reno", "bbr"],
    rate=["20Mbit"],
    delay=["5ms"],
    queue=["100p"],
    seconds=[20],
    switch=["weir"],
    seeds=3,
)
def fairness(
    world: str, congestion: str, rate: str, delay: str, queue: str, seconds: int, switch: str, seed: int
) -> dict[str, Any]:
    """How do two flows share the link in the middle, if the second starts 100 ms later?"""
    if not has_congestion(world, congestion):
        return {"available": False}
    with network(world, seed, rate, delay, queue, switch=switch) as net:
        flows = []
        for sender, receiver in zip(SENDERS, RECEIVERS, strict=True):
            flow = net.host(sender).start_iperf(
                receiver, duration=f"{seconds}s", congestion=congestion, interval="100ms"
            )
            flows.append(flow)
            net.run_for("100ms")
        net.wait(*flows)
        results = [flow.result() for flow in flows]
    streams = [result.streams[0] for result in results]
    rates = [result.goodput_mbps for result in results]
    rows = [
        (sender, interval.end_s, interval.bytes * 8e-6 / (interval.end_s - interval.start_s))
        for sender, stream in zip(SENDERS, streams, strict=True)
        for interval in stream.intervals
    ]
    return {
        "available": True,
        "first_mbps": rates[0],
        "second_mbps": rates[1],
        "jain": sum(rates) ** 2 / (2 * sum(rate**2 for rate in rates)),
        "shares": pl.DataFrame(rows, schema=["host", "time_s", "mbps"], orient="row"),
    }

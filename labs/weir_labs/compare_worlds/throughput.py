"""The goodput of one TCP flow, and how long packets wait behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import weir

from .kernel import has_congestion
from .network import network


@weir.experiment(
    world=["virtual", "linux"],
    congestion=["cubic", "reno", "bbr"],
    rate=["20Mbit"],
    delay=["5ms"],
    queue=["100p"],
    seconds=[10],
    switch=["weir"],
    seeds=3,
)
def throughput(
    world: str, congestion: str, rate: str, delay: str, queue: str, seconds: int, switch: str, seed: int
) -> dict[str, Any]:
    """How much goodput does a TCP flow get, and how long is a round trip at the same time?

    A ping every 20 ms measures the queue: the time beyond the fastest round trip is waiting time.
    """
    if not has_congestion(world, congestion):
        return {"available": False}
    with network(world, seed, rate, delay, queue, switch=switch) as net:
        idle = net.host("h2").ping("h4", count=10, interval="10ms")
        flow = net.host("h1").start_iperf(
            "h3", duration=f"{seconds}s", congestion=congestion, interval="100ms"
        )
        ping = net.host("h2").start_ping("h4", count=50 * seconds, interval="20ms")
        net.wait(flow, ping)
        result, waited = flow.result(), ping.result()
    stream = result.streams[0]
    base = idle.rtts.min
    waits = [rtt - base for rtt in waited.rtts.values]
    intervals = [
        (interval.end_s, interval.bytes * 8e-6 / (interval.end_s - interval.start_s))
        for interval in stream.intervals
    ]
    return {
        "available": True,
        "goodput_mbps": result.goodput_mbps,
        "retransmits": stream.retransmits,
        "pings_lost": waited.sent - waited.received,
        "idle_rtt_ms": base,
        "wait_median_ms": float(np.median(waits)),
        "wait_max_ms": max(waits),
        "goodput": pl.DataFrame(intervals, schema=["time_s", "mbps"], orient="row"),
    }

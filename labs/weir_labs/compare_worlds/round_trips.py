"""How long an idle network takes to answer."""

from __future__ import annotations

from typing import Any

import polars as pl

import weir
from weir import units

from .network import network


@weir.experiment(
    world=["virtual", "linux"], delay=["0ms", "1ms", "10ms"], count=[200], switch=["weir"], seeds=3
)
def round_trips(world: str, delay: str, count: int, switch: str, seed: int) -> dict[str, Any]:
    """How long is a round trip through two routers, by the delay of the link between them?"""
    with network(world, seed, delay=delay, switch=switch) as net:
        net.host("h1").ping("h3")
        ping = net.host("h1").ping("h3", count=count, interval="5ms")
    rtts = ping.rtts
    return {
        "lost": ping.sent - ping.received,
        "rtt_min_ms": rtts.min,
        "rtt_median_ms": rtts.percentile(50),
        "rtt_p99_ms": rtts.percentile(99),
        "round_trips": pl.DataFrame(
            {"added_ms": [rtt - 2 * units.time_ns(delay) / 1e6 for rtt in rtts.values]}
        ),
    }

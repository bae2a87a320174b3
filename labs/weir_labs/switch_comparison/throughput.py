"""The experiment "throughput": the maximum throughput by packet size (the thesis's Figure 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

import weir

from . import flows
from .measure import WARM_UP, missing_row, switch_under_test
from .switches.kind import MissingSwitch
from .switches.known import COMPARED


@weir.experiment(
    switch=[*COMPARED],
    protocol=["tcp", "udp"],
    size=[100, 500, 1500, 9000],
    seconds=[1],
    energy=["auto"],
    seeds=2,
)
def throughput(
    switch: str, protocol: str, size: int, seconds: int, energy: str, seed: int
) -> Mapping[str, Any]:
    """What is the maximum throughput of a switch, by packet size?

    Hosts have no offloads, so each frame is valid on a wire.
    """
    plan = flows.Plan(protocol=protocol, size=size, rate_mbps=None, seconds=seconds, warm_up=WARM_UP)
    try:
        with switch_under_test(switch, size=size, energy=energy, seed=seed) as test:
            flow = test.flow(plan)
            test.finish()
            figures = test.figures(flow)
    except MissingSwitch as missing:
        return missing_row(missing)
    return {
        "available": True,
        "missing": None,
        "release": test.version,
        "sender": "iperf3" if flows.has_iperf3() else "Weir",
        "idle_rtt_us": test.idle_rtt_us,
        "others_percent": test.others_percent,
        **figures,
        "goodput": pl.DataFrame({"time_s": flow.delivered.times_s, "mbps": flow.delivered.rates_mbps}),
    }

"""The experiment "paths": several bottlenecks, switches without the scheme, and unequal weights."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

import weir
from weir.lab import within

from .line import line, link_rates_bps, manage_line, max_min_rates_bps, scenario_flows, shares_bps
from .sending import SECONDS, Senders
from .star import program

GOODPUT = 1448 / 1514
"""The bytes of payload in a full Ethernet frame with TCP timestamps."""

_INTERVAL_NS = 100_000_000


@weir.experiment(
    scenario=["one-link", "parking-lot", "two-bottlenecks", "legacy-switch", "seven-links"],
    weights=["1", "1:2:4"],
    mode=["htb", "fq", "cubic"],
    rate=["20Mbit"],
    rtt=["5ms"],
    queue=["16p"],
    seconds=[4],
    reserve_percent=[0.5],
)
def paths(
    scenario: str,
    weights: str,
    mode: str,
    rate: str,
    rtt: str,
    queue: str,
    seconds: int,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Do flows over several links get the smallest of their shares, according to their weights?

    h1 sends over all links, and each other host over one link. ``rtt`` is the round-trip time of
    each link.
    """
    weight_list = read_weights(weights)
    within("seconds", seconds, SECONDS)
    rates, flows = link_rates_bps(scenario, rate), scenario_flows(scenario, weight_list)
    legacy = (2,) if scenario == "legacy-switch" else ()
    names = [flow.source for flow in flows]
    with weir.Network(line(rates, flows, rtt, queue, legacy), program(), seed=seed, noise="realistic") as net:
        if mode in ("htb", "fq"):
            manage_line(net, rates, legacy)
        senders = Senders(
            net,
            names,
            mode,
            reserve_percent=reserve_percent,
            interval=f"{_INTERVAL_NS}ns",
            targets=[flow.target for flow in flows],
            weights=[flow.weight for flow in flows],
        )
        for name in names:
            senders.start(name, seconds * 10**9)
        net.run_for(f"{seconds}s")
        dropped = net.audit().dropped
        streams = senders.streams()
    # Measures the second half of the run, when slow start is over.
    half = seconds * 10**9 // 2 // _INTERVAL_NS
    measured = [
        sum(interval.bytes for interval in streams[name].intervals[half : 2 * half])
        * 8e3
        / (half * _INTERVAL_NS)
        for name in names
    ]
    most = (1 - reserve_percent / 100) * GOODPUT / 1e6
    expected = [float(share) * most for share in shares_bps(rates, flows)]
    fair = [float(share) * most for share in max_min_rates_bps(rates, flows)]
    deviations = [
        100 * abs(measured_rate / right - 1) for measured_rate, right in zip(measured, expected, strict=True)
    ]
    return {
        "worst_percent": max(deviations),
        "total_mbps": sum(measured),
        "fair_mbps": sum(fair),
        "dropped": dropped,
        "flows": pl.DataFrame(
            {
                "flow": names,
                "links": [len(flow.links) for flow in flows],
                "weight": [flow.weight for flow in flows],
                "expected_mbps": expected,
                "fair_mbps": fair,
                "mbps": measured,
            }
        ),
    }


def read_weights(text: str) -> list[int]:
    """Reads weights such as ``1:2:4``.

    Raises:
        ValueError: a part is not a number from 1 to 255.
    """
    parts = text.split(":")
    if not all(re.fullmatch("[0-9]{1,3}", part) and 1 <= int(part) <= 255 for part in parts):
        raise ValueError(f"weights={text}: expected numbers from 1 to 255 such as 1:2:4")
    return [int(part) for part in parts]

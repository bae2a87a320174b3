"""The experiment "rates": offered rates, one after the other, through one running switch (Figures
4.3 to 4.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

import weir
from weir.errors import WeirError

from . import flows
from .measure import WARM_UP, missing_row, switch_under_test
from .switches.kind import MissingSwitch
from .switches.known import COMPARED


@weir.experiment(
    switch=[*COMPARED],
    protocol=["tcp", "udp"],
    size=[100, 1500],
    rates=["10/50/80/100/1000"],
    seconds=[1],
    energy=["auto"],
    seeds=2,
)
def rates(
    switch: str, protocol: str, size: int, rates: str, seconds: int, energy: str, seed: int
) -> Mapping[str, Any]:
    """How do processor time, memory and energy depend on the offered rate?

    The rates in Mbit/s follow each other without a restart of the switch.
    """
    plans = [
        flows.Plan(protocol=protocol, size=size, rate_mbps=rate, seconds=seconds, warm_up=WARM_UP)
        for rate in read_rates(rates)
    ]
    try:
        with switch_under_test(switch, size=size, energy=energy, seed=seed) as test:
            passed = [test.flow(plan) for plan in plans]
            test.finish()
            steps = [
                {
                    "rate_mbps": flow.plan.rate_mbps,
                    "begin_s": test.warm_up_end_s(flow),
                    **test.figures(flow),
                }
                for flow in passed
            ]
            series = test.series()
    except MissingSwitch as missing:
        return missing_row(missing)
    return {
        "available": True,
        "missing": None,
        "release": test.version,
        "idle_rtt_us": test.idle_rtt_us,
        "others_percent": test.others_percent,
        "rss_growth_mb": None if series["rss_mb"][0] is None else series["rss_mb"][-1] - series["rss_mb"][0],
        "steps": pl.DataFrame(steps, infer_schema_length=None),
        "usage": series,
    }


def read_rates(text: str) -> list[float]:
    """Reads rates in Mbit/s, separated by ``/``.

    Raises:
        WeirError: a rate is not a finite number above 0.
    """
    try:
        rates = [float(word) for word in text.split("/")]
    except ValueError:
        rates = [0.0]
    if not all(0 < rate < math.inf for rate in rates):
        raise WeirError(f"rates={text}: expected rates in Mbit/s such as 10/50/100")
    return rates

"""The experiment "offloads": bulk TCP with the kernel's large frames, for switches that accept
them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import weir

from . import flows
from .measure import WARM_UP, missing_row, switch_under_test
from .switches.kind import MissingSwitch
from .switches.known import SWITCHES


@weir.experiment(
    switch=[name for name, kind in SWITCHES.items() if kind.offloads and not name.startswith("copy-")],
    offloads=[False, True],
    size=[1500],
    seconds=[1],
    energy=["auto"],
    seeds=2,
)
def offloads(
    switch: str, offloads: bool, size: int, seconds: int, energy: str, seed: int
) -> Mapping[str, Any]:
    """How fast is TCP if hosts may send up to 64 KB in one frame (GSO)?"""
    plan = flows.Plan(protocol="tcp", size=size, rate_mbps=None, seconds=seconds, warm_up=WARM_UP)
    try:
        with switch_under_test(switch, size=size, energy=energy, seed=seed, offloads=offloads) as test:
            flow = test.flow(plan)
            test.finish()
            figures = test.figures(flow)
    except MissingSwitch as missing:
        return missing_row(missing)
    return {
        "available": True,
        "missing": None,
        "release": test.version,
        "others_percent": test.others_percent,
        **figures,
    }

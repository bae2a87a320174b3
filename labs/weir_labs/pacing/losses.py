"""The experiment "losses": do random losses explain the paper's numbers for TCP without pacing?"""

from __future__ import annotations

from typing import Any

import weir

from .joining import observe


@weir.experiment(
    mode=["cubic", "htb", "fq"],
    loss=["0.05%"],
    hosts=[4],
    rate=["100Mbit"],
    rtt=["20ms"],
    reserve_percent=[0.5],
    period=["15s"],
    queue=["16p"],
    seeds=5,
)
def losses(**settings: Any) -> dict[str, Any]:
    """Scenario 2 with random losses on the link: are the total rates closer to the paper's?"""
    return observe(**settings)

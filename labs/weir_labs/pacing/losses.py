"""Random losses on the link: can they explain the paper's regular TCP?"""

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
    seeds=1,
)
def losses(**settings: Any) -> dict[str, Any]:
    """Scenario 2 over a link that loses packets at random: do totals come nearer to the paper's?"""
    return observe(**settings)

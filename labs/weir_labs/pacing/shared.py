"""The experiment "shared_computer": does a shared computer explain the paper's totals?"""

from __future__ import annotations

from typing import Any

import weir

from .joining import observe


@weir.experiment(
    mode=["cubic", "htb", "fq"],
    slower=[1.0, 4.0, 8.0],
    hosts=[4],
    rate=["100Mbit"],
    rtt=["20ms"],
    reserve_percent=[0.5],
    period=["15s"],
    queue=["16p"],
    computer=["bmv2-two-processors"],
    seeds=5,
)
def shared_computer(slower: float, computer: str, **settings: Any) -> dict[str, Any]:
    """Scenario 2 with hosts and switch on one computer: are the totals closer to the paper's?

    The computer is ``slower`` times slower than the fitted one.
    """
    return observe(**settings, computer=weir.Computer.named(computer).scaled(slower))

"""The experiment "sweep": threshold, time-out and probability of feedback."""

from __future__ import annotations

from typing import Any

import weir

from .balancing import make_feedback, numbers
from .measure import observe


@weir.experiment(
    queues=["all", "shared"],
    threshold=[10, 20, 40],
    timeout=["250ms", "500ms", "1s", "2s"],
    percent=[1, 5, 20, 100],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=2,
)
def sweep(
    queues: str,
    threshold: int,
    timeout: str,
    percent: int,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """For which settings of the feedback do the flows settle?"""
    feedback = make_feedback(queues, threshold, timeout, percent)
    return numbers(observe(feedback, congestion=congestion, rate=rate, seconds=seconds, seed=seed))

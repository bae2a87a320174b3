"""The experiment "hosts": senders that are slightly slower than the paths, as the senders in the
slides seem to be."""

from __future__ import annotations

from typing import Any

import weir

from .balancing import make_feedback, numbers
from .measure import observe


@weir.experiment(
    queues=["off", "all", "shared"],
    host_rate=["9250kbit", "9500kbit", "10Mbit"],
    threshold=[20],
    timeout=["1s"],
    percent=[5],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=8,
)
def hosts(
    queues: str,
    host_rate: str,
    threshold: int,
    timeout: str,
    percent: int,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Does a queue drain after a collision if a flow is slower than its path?"""
    feedback = make_feedback(queues, threshold, timeout, percent)
    return numbers(
        observe(feedback, congestion=congestion, rate=rate, host_rate=host_rate, seconds=seconds, seed=seed)
    )

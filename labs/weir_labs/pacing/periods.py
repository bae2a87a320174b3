"""Measurements of hosts in each period between two joins."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weir

from .sending import Values, binned_goodput, fairness, placed_intervals, variation_percent

STEPS: Final = 15
"""The number of intervals per period in which rates are measured. In the paper's periods, an
interval is a second."""


def measure_periods(
    streams: dict[str, weir.measure.TcpStream],
    interval_ns: int,
    sampled_ns: np.ndarray[Any, np.dtype[np.int64]],
    delays_ms: Values,
) -> dict[str, float]:
    """Computes the measurements in each period, with names such as ``NAME_1`` for P1.

    ``total`` and ``fairness`` are for all hosts, ``mbps_1_h1`` and ``cv_1_h1`` for one; ``rtt`` is
    the mean of the smoothed round-trip times in ms, ``retransmits`` the number of segments that all
    hosts sent again, and ``delay`` the mean queueing delay in ms.

    Args:
        streams: the streams by host, in the order in which the hosts joined.
        interval_ns: the length of an interval, :data:`STEPS` of which are a period.
        sampled_ns: when the queueing delay was sampled.
        delays_ms: the samples of the queueing delay.
    """
    numbers: dict[str, float] = {}
    rates = {
        name: binned_goodput(stream, interval_ns, len(streams) * STEPS) for name, stream in streams.items()
    }
    for number in range(1, len(streams) + 1):
        steps = range((number - 1) * STEPS, number * STEPS)
        names = [*streams][:number]
        within = [
            one
            for stream in streams.values()
            for step, one in placed_intervals(stream, interval_ns)
            if step in steps
        ]
        period = slice(steps.start, steps.stop)
        means = [float(rates[name][period].mean()) for name in names]
        numbers[f"total_{number}"] = sum(means)
        numbers[f"fairness_{number}"] = fairness(means)
        for name, mean in zip(names, means, strict=True):
            numbers[f"mbps_{number}_{name}"] = mean
            numbers[f"cv_{number}_{name}"] = variation_percent(rates[name][period])
        numbers[f"rtt_{number}"] = float(np.mean([one.rtt_ms for one in within if one.rtt_ms is not None]))
        numbers[f"retransmits_{number}"] = sum(one.retransmits for one in within)
        numbers[f"delay_{number}"] = float(
            delays_ms[sampled_ns // (STEPS * interval_ns) == number - 1].mean()
        )
    return numbers

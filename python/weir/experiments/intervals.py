"""Means with confidence intervals, and comparisons in pairs, computed with scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from weir.errors.extras import lab_extra
from weir.measure import statistics


@dataclass(frozen=True)
class Estimate:
    """A mean, and the bounds between which it lies with a confidence of 95 %.

    Attributes:
        mean: the mean of the values.
        low: the lower bound; the mean itself for one value, or if all are equal.
        high: the upper bound.
        count: number of values.
    """

    mean: float
    low: float
    high: float
    count: int

    @property
    def is_exact(self) -> bool:
        """Whether the mean is exact: there is one value, or all values are equal."""
        return self.low == self.high


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of values with Student's interval.

    Raises:
        MeasureError: there is no value.
    """
    mean, count = statistics.mean(values), len(values)
    deviation = statistics.standard_deviation(values, sample=True) if count > 1 else 0.0
    if deviation == 0:
        return Estimate(mean, mean, mean, count)
    half = student(count) * deviation / math.sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


@cache
def student(count: int) -> float:
    """Half of the 95 % interval of the mean of ``count`` values, at least 2, in standard errors."""
    # Not scipy.stats, whose import takes longer than many experiments.
    with lab_extra("experiments"):
        from scipy.special import stdtrit

    return float(stdtrit(count - 1, 0.975))


@dataclass(frozen=True)
class Difference:
    """How the means of two samples differ.

    Attributes:
        first: the first sample's mean.
        second: the second sample's mean.
        low: the lower bound of second - first, with a confidence of 95 %.
        high: the upper bound.
        p: the probability of a difference as large by chance; 0 if neither sample has a spread and
            they differ, 1 if they are equal; None if there are too few values to tell.
        paired: whether the values were compared in pairs of equal seeds.
    """

    first: float
    second: float
    low: float
    high: float
    p: float | None
    paired: bool


def difference(first: Sequence[float], second: Sequence[float], paired: bool) -> Difference:
    """Compares two samples: in pairs by the t test for pairs, otherwise by Welch's t test.

    Raises:
        MeasureError: a sample is empty.
    """
    means = statistics.mean(first), statistics.mean(second)
    change = means[1] - means[0]
    if paired:
        # Rounding must not give a constant change a spread.
        changes = [b - a for a, b in zip(first, second, strict=True)]
        size = max(1e-300, *(abs(value) for value in (*first, *second)))
        exact = max(changes) - min(changes) <= 1e-12 * size
    else:
        exact = len(set(first)) == len(set(second)) == 1
    if min(len(first), len(second)) < 2:
        return Difference(*means, change, change, None if change else 1.0, paired)
    if exact:
        return Difference(*means, change, change, 1.0 if change == 0 else 0.0, paired)
    with lab_extra("experiments"):
        from scipy import stats

    test = stats.ttest_rel(second, first) if paired else stats.ttest_ind(second, first, equal_var=False)
    low, high = test.confidence_interval(0.95)
    return Difference(*means, float(low), float(high), float(test.pvalue), paired)


def larger_than_chance(p_values: Sequence[float | None]) -> list[bool]:
    """The differences that are larger than chance: 5 % of them are expected to be false.

    Benjamini and Hochberg's procedure, because among many comparisons some are extreme by chance.
    """
    known = [p for p in p_values if p is not None]
    if not known:
        return [False] * len(p_values)
    with lab_extra("experiments"):
        from scipy import stats

    adjusted = iter(stats.false_discovery_control(known, method="bh"))
    return [p is not None and float(next(adjusted)) <= 0.05 for p in p_values]

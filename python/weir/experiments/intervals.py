"""Computes means with confidence intervals, and compares samples in pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from weir.errors.extras import lab_extra
from weir.measure import statistics


@dataclass(frozen=True)
class Estimate:
    """A mean with the bounds of its 95 % confidence interval.

    Attributes:
        mean: the mean of the values.
        low: the lower bound; equal to the mean if there is one value or all values are equal.
        high: the upper bound.
        count: the number of values.
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
    """Computes the mean of values with Student's confidence interval.

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
    """Computes half of the 95 % confidence interval of the mean of ``count`` values (at least 2),
    in standard errors."""
    # scipy.stats is not used, because its import takes longer than many experiments.
    with lab_extra("experiments"):
        from scipy.special import stdtrit

    return float(stdtrit(count - 1, 0.975))


@dataclass(frozen=True)
class Difference:
    """The difference between the means of two samples.

    Attributes:
        first: the first sample's mean.
        second: the second sample's mean.
        low: the lower bound of the 95 % confidence interval of second - first.
        high: the upper bound.
        p: the probability that chance causes a difference of this size. If all values of each
            sample are equal, 0 for different means and 1 for equal means. ``None`` if there are too
            few values.
        paired: whether the values were compared in pairs of equal seeds.
    """

    first: float
    second: float
    low: float
    high: float
    p: float | None
    paired: bool


def difference(first: Sequence[float], second: Sequence[float], paired: bool) -> Difference:
    """Compares two samples with the paired t test if ``paired`` is true, otherwise with Welch's t
    test.

    Raises:
        MeasureError: a sample is empty.
    """
    means = statistics.mean(first), statistics.mean(second)
    change = means[1] - means[0]
    if paired:
        # Rounding must not make a constant change look random.
        changes = [after - before for before, after in zip(first, second, strict=True)]
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
    """Decides which differences are larger than chance, such that 5 % of them are expected to be
    false.

    This is Benjamini and Hochberg's procedure. It is needed because among many comparisons some are
    extreme by chance.
    """
    numbers = [p for p in p_values if p is not None]
    if not numbers:
        return [False] * len(p_values)
    with lab_extra("experiments"):
        from scipy import stats

    adjusted = iter(stats.false_discovery_control(numbers, method="bh"))
    return [p is not None and float(next(adjusted)) <= 0.05 for p in p_values]

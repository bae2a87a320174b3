"""Statistics of plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from weir.errors import MeasureError


def mean(values: Iterable[float]) -> float:
    """Computes the arithmetic mean of values.

    Raises:
        MeasureError: there is no value.
    """
    return _mean(_known_values(values))


def standard_deviation(values: Iterable[float], sample: bool = False) -> float:
    """Computes the standard deviation of values.

    For a ``sample``, it is the estimate for the population, which divides by n - 1.

    Raises:
        MeasureError: there is no value, or the sample has only one.
    """
    known = _known_values(values)
    if sample and len(known) == 1:
        raise MeasureError("the deviation of a sample needs two values or more")
    average = _mean(known)
    squares = math.fsum((value - average) ** 2 for value in known)
    return math.sqrt(squares / (len(known) - 1 if sample else len(known)))


def coefficient_of_variation(values: Iterable[float], sample: bool = False) -> float:
    """Computes the standard deviation as a share of the mean, such as 0.05 for 5 %.

    Raises:
        MeasureError: there is no value, the sample has only one, or the mean is 0.
    """
    known = _known_values(values)
    average = _mean(known)
    if average == 0:
        raise MeasureError("the coefficient of variation is not defined for a mean of 0")
    return standard_deviation(known, sample) / abs(average)


def jain(values: Iterable[float]) -> float:
    """Computes Jain's fairness index of shares (Jain, Chiu, Hawe 1984).

    The index is 1 if all shares are equal, and 1/n if one share has everything.

    Raises:
        MeasureError: there is no share, one is negative, or all are 0.
    """
    known = _known_values(values)
    if any(value < 0 for value in known):
        raise MeasureError("shares must not be negative")
    squares = math.fsum(value * value for value in known)
    if squares == 0:
        raise MeasureError("Jain's index is not defined if all shares are 0")
    return math.fsum(known) ** 2 / (len(known) * squares)


def percentile(values: Iterable[float], percent: float) -> float:
    """Computes a percentile of values, interpolated linearly between neighbouring values.

    Raises:
        MeasureError: there is no value, or ``percent`` is not from 0 to 100.
    """
    known = sorted(_known_values(values))
    if isinstance(percent, str) or not 0 <= percent <= 100:
        raise MeasureError(f"{percent} percent is not from 0 to 100")
    place = (len(known) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(known) - 1)
    return known[below] + (known[above] - known[below]) * (place - below)


def rfc3550_jitter(transit_times: Iterable[float]) -> list[float]:
    """Computes the interarrival jitter after each packet (RFC 3550, section 6.4.1).

    The jitter has the unit of the transit times.

    Args:
        transit_times: each packet's one-way delay, in the order of arrival.

    Returns:
        A value for each packet; the first is 0.
    """
    jitter, last = 0.0, None
    result = []
    for transit in transit_times:
        if last is not None:
            jitter += (abs(transit - last) - jitter) / 16
        last = transit
        result.append(jitter)
    return result


def _known_values(values: Iterable[float]) -> Sequence[float]:
    known = list(values)
    if not known:
        raise MeasureError("there is no value")
    return known


def _mean(values: Sequence[float]) -> float:
    # Rounding could make the mean of equal values differ from them, and their deviation above 0.
    return min(max(math.fsum(values) / len(values), min(values)), max(values))

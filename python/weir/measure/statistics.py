"""Statistics of plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from weir.errors import MeasureError


def mean(values: Iterable[float]) -> float:
    """Computes the arithmetic mean of values.

    Raises:
        MeasureError: ``values`` is empty.
    """
    return _mean(_known_values(values))


def standard_deviation(values: Iterable[float], sample: bool = False) -> float:
    """Computes the standard deviation of values.

    For a ``sample``, it is the estimate for the population, which divides by n - 1.

    Raises:
        MeasureError: ``values`` is empty, or the sample has only one.
    """
    numbers = _known_values(values)
    if sample and len(numbers) == 1:
        raise MeasureError("the deviation of a sample needs two values or more")
    average = _mean(numbers)
    squares = math.fsum((value - average) ** 2 for value in numbers)
    return math.sqrt(squares / (len(numbers) - 1 if sample else len(numbers)))


def coefficient_of_variation(values: Iterable[float], sample: bool = False) -> float:
    """Computes the standard deviation as a share of the mean, such as 0.05 for 5 %.

    Raises:
        MeasureError: ``values`` is empty, the sample has only one, or the mean is 0.
    """
    numbers = _known_values(values)
    average = _mean(numbers)
    if average == 0:
        raise MeasureError("the coefficient of variation is not defined for a mean of 0")
    return standard_deviation(numbers, sample) / abs(average)


def jain(values: Iterable[float]) -> float:
    """Computes Jain's fairness index of shares (Jain, Chiu, Hawe 1984).

    The index is 1 if all shares are equal, and 1/n if one share has everything.

    Raises:
        MeasureError: there is no share, one is negative, or all are 0.
    """
    numbers = _known_values(values)
    if any(value < 0 for value in numbers):
        raise MeasureError("shares must not be negative")
    squares = math.fsum(value * value for value in numbers)
    if squares == 0:
        raise MeasureError("Jain's index is not defined if all shares are 0")
    return math.fsum(numbers) ** 2 / (len(numbers) * squares)


def percentile(values: Iterable[float], percent: float) -> float:
    """Computes a percentile of values, interpolated linearly between neighbouring values.

    Raises:
        MeasureError: ``values`` is empty, or ``percent`` is not from 0 to 100.
    """
    numbers = sorted(_known_values(values))
    if isinstance(percent, str) or not 0 <= percent <= 100:
        raise MeasureError(f"{percent} percent is not from 0 to 100")
    place = (len(numbers) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(numbers) - 1)
    return numbers[below] + (numbers[above] - numbers[below]) * (place - below)


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
    numbers = list(values)
    if not numbers:
        raise MeasureError("expected at least one value")
    return numbers


def _mean(values: Sequence[float]) -> float:
    # Rounding could make the mean of equal values differ from them, and their deviation above 0.
    return min(max(math.fsum(values) / len(values), min(values)), max(values))

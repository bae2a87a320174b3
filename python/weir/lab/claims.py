"""Builds sentences of reports from measured conditions, so that a report claims only what its runs
show."""

from __future__ import annotations

from collections.abc import Iterable

from weir.text.counted import count_noun
from weir.text.measured import decimal


def claim(text: str, holds: bool | None, numbers: str = "", *, needs: str = "") -> str:
    """Formulates whether a claim holds in the runs of a report.

    >>> claim("a queue costs time", True, "0.5 ms")
    'Yes: a queue costs time (0.5 ms).'
    >>> claim("a queue costs time", False, "0 ms")
    'No: in these runs it is not true that a queue costs time (0 ms).'
    >>> claim("a queue costs time", None, needs="two lengths of the queue")
    'Not run: whether a queue costs time, which needs two lengths of the queue.'

    Args:
        text: the claim, as a clause without a full stop.
        holds: whether the measured values agree with the claim; ``None`` if the results lack points
            that the claim is about.
        numbers: the measured values that decide.
        needs: the points that the claim needs, in the plural or with an article.
    """
    in_brackets = f" ({numbers})" if numbers else ""
    if holds is None:
        return f"Not run: whether {text}, which needs {needs}."
    if holds:
        return f"Yes: {text}{in_brackets}."
    return f"No: in these runs it is not true that {text}{in_brackets}."


def all_within(pairs: Iterable[tuple[float | None, float | None]], share: float) -> bool | None:
    """Returns whether measured values agree with expected ones.

    Args:
        pairs: each measured value with the expected one.
        share: the allowed difference, as a share of the expected value.

    Returns:
        Whether all agree; ``None`` if there are no pairs. A missing value does not agree.
    """
    compared = list(pairs)
    if not compared:
        return None
    return all(
        one is not None and other is not None and abs(one - other) <= share * abs(other) + 1e-9
        for one, other in compared
    )


def part_of(number: int, total: int, noun: str) -> str:
    """Says how many of all things have a property, with the noun's right form.

    >>> part_of(3, 5, "point")
    '3 of 5 points'
    >>> part_of(1, 1, "point")
    '1 of 1 point'

    Args:
        number: how many have the property.
        total: how many there are.
        noun: the singular of the things.
    """
    return f"{number} of {count_noun(total, noun)}"


def by_at_most(worst: float, number: int, digits: int = 2, unit: str = "%") -> str:
    """Says by how much measured values differ from others.

    A difference that the digits cannot show is less than the last digit, and a single difference is
    not the largest of several.

    >>> f"slopes differ {by_at_most(0.316, 5)}"
    'slopes differ by 0.32 % at most'
    >>> f"the slope differs {by_at_most(0.316, 1)}"
    'the slope differs by 0.32 %'
    >>> f"slopes differ {by_at_most(0.001, 5)}"
    'slopes differ by less than 0.01 %'

    Args:
        worst: the largest difference, without a sign.
        number: how many differences were compared.
        digits: the decimals.
        unit: the unit after the number.
    """
    text = decimal(worst, digits)
    if float(text) == 0:
        return f"by less than {10.0**-digits:.{digits}f} {unit}"
    return f"by {text} {unit} at most" if number > 1 else f"by {text} {unit}"


def span(least: float, most: float, digits: int = 0) -> str:
    """Formats a range of measured values, or the only value if both ends are the same with these
    digits.

    >>> span(92.0, 95.1), span(92.0, 92.3)
    ('92 to 95', '92')
    """
    ends = dict.fromkeys(decimal(end, digits) for end in (least, most))
    return " to ".join(ends)

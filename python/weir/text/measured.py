"""Formats measurements with only the digits that their confidence interval supports."""

from __future__ import annotations

import re
from math import floor, isfinite, log10
from typing import Final

_ROUNDING_ERROR: Final = 1e-12
"""Values below this are 0 except for rounding in the last bit."""

_TINY: Final = 1e-6
"""Half of an interval below this would have more zeros than a reader can count."""

_NARROW_SPACE: Final = "\u202f"
"""A narrow space at which lines do not break."""

# A whole number or the whole part of a decimal number, with or without commas; but neither part of
# a name, a path, an option or an address, nor digits after a decimal point.
_WHOLE: Final = re.compile(r"(?<![\w.,:/=#-])(?:\d{1,3}(?:,\d{3})+|\d{5,12})(?!\d)(?![\w:/=]|[.,]\d+[.,]\d)")


def grouped(text: str) -> str:
    """Separates the thousands in numbers of five or more digits by narrow spaces.

    ``12,345`` and ``12345`` become ``12 345``; ``1,234`` becomes ``1234``, as in the documentation.
    """
    return _WHOLE.sub(lambda found: _grouped(found[0].replace(",", "")), text)


def _grouped(number: str) -> str:
    return f"{int(number):,}".replace(",", _NARROW_SPACE) if len(number) >= 5 else number


def decimal(value: float | None, digits: int | None = 3) -> str:
    """Formats a number with a given number of decimals; a dash for ``None``, and ``0`` for exactly
    0.

    A negative number has a minus sign, not a hyphen. A number that is only rounded to 0 keeps its
    decimals, without a sign: ``0.00``. Without ``digits``, the number has up to six digits.
    """
    if value is None:
        return "–"
    if digits is None:
        return _minus(f"{value:.6g}")
    return "0" if abs(value) < _ROUNDING_ERROR else _rounded(value, digits)


def signed(difference: float, digits: int = 0) -> str:
    """Formats a difference with its sign, such as ``+3`` or ``−3``; ``0`` if it rounds to 0."""
    text = f"{difference:+.{digits}f}"
    return _minus(text) if float(text) else "0"


def measured(value: float | None, half: float | None, digits: int | None = 3) -> str:
    """Formats a mean with the digits that its confidence interval supports.

    The mean ends at the first digit of half of the interval, or at the second digit if the first is
    1 or 2. For example, 12.3456 ± 0.0412 becomes ``12.35``, and 12.3456 ± 0.0152 becomes
    ``12.346``. A mean that is rounded to tens or more keeps at least two digits, and a mean with
    one digit before the decimal point keeps that digit: 577 ± 1200 becomes ``580``, and 5.96 ± 40
    becomes ``6``.

    Args:
        value: the mean; ``None`` gives a dash.
        half: half of its confidence interval; ``None`` or 0 if there is none.
        digits: the decimals of a mean without an interval; a mean with a narrow interval has at
            most two more. ``None`` for measurements of any size: up to six digits without an
            interval.
    """
    if value is None or not half or not isfinite(half):
        return decimal(value, digits)
    return _rounded(value, _decimals_of_mean(value, half, digits))


def interval(half: float | None) -> str:
    """Formats half of a confidence interval with the digits of :func:`measured`; if there is no
    interval, returns a dash. A tiny one is written like ``9e-10``."""
    if not half or not isfinite(half):
        return "–"
    return f"{half:.0e}" if half < _TINY else _rounded(half, _decimals(half))


def with_interval(value: float | None, half: float | None, digits: int | None = 3) -> str:
    """Formats a mean with half of its confidence interval, such as ``12.35 ± 0.04``.

    Without an interval, because all runs gave the same, the result is only the mean; see
    :func:`measured`.
    """
    mean = measured(value, half, digits)
    if value is None or not half or not isfinite(half):
        return mean
    decimals = _decimals_of_mean(value, half, digits)
    return f"{mean} ± {_rounded(half, decimals)}" if round(half, decimals) else mean


def _decimals_of_mean(value: float, half: float, digits: int | None) -> int:
    """Returns the number of decimals of a mean with this interval."""
    decimals = _decimals(half) if digits is None else min(_decimals(half), digits + 2)
    if decimals >= 0 or not value:
        return decimals
    return max(decimals, min(0, 1 - floor(log10(abs(value)))))


def _decimals(half: float) -> int:
    """Computes the number of decimals up to the first or second digit of half of an interval;
    negative for tens."""
    first = floor(log10(half))
    return -first + (1 if half < 2.95 * 10.0**first else 0)


def _rounded(value: float, decimals: int) -> str:
    # Adding 0 turns -0 into 0, which has no sign.
    return _minus(f"{round(value, decimals) + 0.0:.{max(0, decimals)}f}")


def _minus(number: str) -> str:
    """Replaces the hyphen of a negative number by a minus sign; exponents keep their hyphen."""
    return "−" + number[1:] if number.startswith("-") else number

"""Formats measurements with only the digits that their confidence interval supports."""

from __future__ import annotations

from math import floor, isfinite, log10


def decimal(value: float | None, digits: int = 3) -> str:
    """Formats a number with a given number of decimals; None becomes a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def measured(value: float | None, half: float | None, digits: int = 3) -> str:
    """Formats a mean with the digits that its confidence interval supports.

    The mean ends at the first digit of half of the interval, or at the second digit if the first is
    1 or 2. For example, 12.3456 ± 0.0412 becomes ``12.35``, and 12.3456 ± 0.0152 becomes
    ``12.346``.

    Args:
        value: the mean; None gives a dash.
        half: half of its confidence interval; None or 0 if there is none.
        digits: the decimals of a mean without an interval; one with a narrow interval has at most
            two more.
    """
    if value is None or not half or not isfinite(half):
        return decimal(value, digits)
    return _rounded(value, min(_decimals(half), digits + 2))


def interval(half: float | None) -> str:
    """Formats half of a confidence interval with the digits of :func:`measured`; if there is no
    interval, returns a dash."""
    return "–" if not half or not isfinite(half) else _rounded(half, _decimals(half))


def with_interval(value: float | None, half: float | None, digits: int = 3) -> str:
    """Formats a mean with half of its confidence interval, such as ``12.35 ± 0.04``.

    Without an interval, because all runs gave the same, the result is only the mean; see
    :func:`measured`.
    """
    mean = measured(value, half, digits)
    if value is None or not half or not isfinite(half):
        return mean
    decimals = min(_decimals(half), digits + 2)
    return f"{mean} ± {_rounded(half, decimals)}" if round(half, decimals) else mean


def _decimals(half: float) -> int:
    """Computes the number of decimals up to the first or second digit of half of an interval;
    negative for tens."""
    first = floor(log10(half))
    return -first + (1 if half < 2.95 * 10.0**first else 0)


def _rounded(value: float, decimals: int) -> str:
    # Adding 0 turns -0 into 0, which has no sign.
    return f"{round(value, decimals) + 0.0:.{max(0, decimals)}f}"

"""Builds sentences of reports from measured conditions, so that a report claims only what its runs
show."""

from __future__ import annotations

from collections.abc import Iterable


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

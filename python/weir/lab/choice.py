"""Parameters of experiments that are one of a few words, or a number within limits."""

from __future__ import annotations

from weir.errors import WeirError
from weir.text.suggest import nearest


def one_of(name: str, value: str, *known: str) -> str:
    """A parameter's value, if it is one of those.

    Args:
        name: the parameter.
        value: its value.
        known: what it may be.

    Raises:
        WeirError: it is something else.
    """
    if value not in known:
        expected = f"{', '.join(known[:-1])} or {known[-1]}" if known[1:] else known[0]
        raise WeirError(f"{name}={value}: expected {expected}", suggestion=nearest(value, known))
    return value


def within(name: str, value: int, least: int, most: int) -> int:
    """A parameter's value, if it is not too small and not too large.

    Args:
        name: the parameter.
        value: its value.
        least: the smallest that it may be.
        most: the largest that it may be.

    Raises:
        WeirError: it is another.
    """
    if not least <= value <= most:
        raise WeirError(f"{name}={value}: expected a number from {least} to {most}")
    return value

"""Checks parameters of experiments that are one of a few words or a number within limits."""

from __future__ import annotations

from weir.errors import WeirError
from weir.text.suggest import nearest


def one_of(name: str, value: str, *known: str) -> str:
    """Checks that a parameter's value is one of the allowed values, and returns it.

    Args:
        name: the parameter's name.
        value: the parameter's value.
        known: the allowed values.

    Raises:
        WeirError: the value is not allowed.
    """
    if value not in known:
        expected = f"{', '.join(known[:-1])} or {known[-1]}" if known[1:] else known[0]
        raise WeirError(f"{name}={value}: expected {expected}", suggestion=nearest(value, known))
    return value


def within(name: str, value: int, allowed: range) -> int:
    """Checks that a parameter's value is within limits, and returns it.

    Args:
        name: the parameter's name.
        value: the parameter's value.
        allowed: the allowed values: all whole numbers from its first to its last.

    Raises:
        WeirError: the value is outside the limits.
    """
    if not allowed[0] <= value <= allowed[-1]:
        raise WeirError(f"{name}={value}: expected a number from {allowed[0]} to {allowed[-1]}")
    return value


def switches_of(world: str, switch: str) -> str:
    """Returns the kind of switch in a world, for an experiment with a parameter ``switch``.

    Args:
        world: ``virtual`` or ``linux``.
        switch: the kind of switch in the Linux world; the virtual world has only Weir's.
    """
    return switch if world == "linux" else "weir"

"""Reads and checks parameter values from the user of a lab before runs start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from weir import units
from weir.errors import UnitError, WeirError
from weir.experiments.parameters import as_text
from weir.lab.choice import one_of, within
from weir.text.digits import any_whole_number, finite_number
from weir.text.suggest import listing

Value = str | int | float | bool

Allowed = Mapping[str, Sequence[str] | range | Callable[[Any], object]]
"""The values that a parameter may have: words, whole numbers (``range(1, 11)``: 1 to 10), or a
function that reads a value and raises :class:`ValueError` or :class:`weir.WeirError`."""

_QUANTITIES: Final[Sequence[Callable[[str], object]]] = (
    units.rate_bps,
    units.time_ns,
    units.size_bytes,
    units.queue,
)


def read_values(name: str, given: Sequence[str], declared: Sequence[Value], allowed: Allowed) -> list[Value]:
    """Reads values that the user gave for a parameter.

    The values must be of the same kind as the values that the experiment declares. If a declared
    value is a quantity with a unit, each given string must be a quantity of that kind, or a
    declared word such as ``unlimited``. A number may be negative or 0 only if a declared value is,
    or if the lab says which values are allowed.

    Args:
        name: the parameter.
        given: the strings that the user wrote.
        declared: the parameter's values in the experiment.
        allowed: the values that some parameters may have; see :attr:`weir.lab.Lab.allowed`.

    Raises:
        WeirError: a value is of another kind, or not allowed.
    """
    kinds = {type(value) for value in declared}
    values: list[Value] = []
    for text in given:
        try:
            if kinds == {bool}:
                values.append({"true": True, "false": False}[text])
            elif kinds <= {int, float}:
                number = any_whole_number(text) if kinds == {int} else finite_number(text)
                if number is None:
                    raise ValueError(text)
                values.append(number)
            elif name in allowed or _is_like_declared(text, [str(value) for value in declared]):
                values.append(text)
            else:
                raise ValueError(text)
        except (KeyError, ValueError):
            # Values of full and of small size may be the same.
            example = listing(dict.fromkeys(as_text(value) for value in declared))
            kind = "whole number" if kinds == {int} else "value"
            raise WeirError(f"{name}={text}: expected a {kind} such as {example}") from None
    for value in values:
        if name in allowed:
            _check(name, value, allowed)
        else:
            _check_sign(name, value, declared)
    return values


def _check_sign(name: str, value: Value, declared: Sequence[Value]) -> None:
    """Refuses numbers below 0 or equal to 0 if no declared value is."""
    if isinstance(value, (str, bool)) or any(isinstance(allowed, (str, bool)) for allowed in declared):
        return
    least = min(allowed for allowed in declared if not isinstance(allowed, str))
    if value < 0 <= least:
        raise WeirError(f"{name}={as_text(value)}: expected a number from 0")
    if value == 0 < least:
        raise WeirError(f"{name}={as_text(value)}: expected a number above 0")


def _check(name: str, value: Value, allowed: Allowed) -> None:
    match allowed.get(name), value:
        case range() as numbers, int():
            within(name, value, numbers)
        case Sequence() as words, str():
            one_of(name, value, *words)
        case reader, _ if callable(reader):
            try:
                reader(value)
            except ValueError as error:
                raise WeirError(str(error)) from None


def _is_like_declared(text: str, declared: Sequence[str]) -> bool:
    """Returns whether a string is a quantity like the declared values, if they are quantities."""
    kinds = [kind for kind in _QUANTITIES if any(_can_read(kind, value) for value in declared)]
    return not kinds or text in declared or any(_can_read(kind, text) for kind in kinds)


def _can_read(kind: Callable[[str], object], text: str) -> bool:
    try:
        kind(text)
    except UnitError:
        return False
    return True

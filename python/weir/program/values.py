"""Values with their names, and values in the form that people write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weir import _core
from weir.errors import ControlError, shown


def read_value(value: Any, width: int) -> int:
    """Reads a value of ``width`` bits.

    The value is a number, ``"0x0800"``, ``"10.0.1.1"``, ``"2001:db8::1"`` or
    ``"08:00:00:00:01:11"``.

    Raises:
        ControlError: the argument is not a value, is an address of another width, or does not fit.
    """
    return int.from_bytes(_core.read_value(value, width), "big")


def format_value(number: int, width: int, name: str = "") -> str:
    """Formats a number so that :func:`read_value` can read it.

    The result is a MAC or IP address if the width and the name suggest one, otherwise a number.
    """
    return _core.format_value(number.to_bytes((width + 7) // 8, "big"), width, name)


def text_of(number: int) -> str:
    """Converts a number to the string with the same bytes, for types translated to ``string``."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big").decode("utf-8", "replace")


def name_of(what: str, name: Any) -> str:
    """Checks a name, and returns it; ``what`` is the kind of the named object, for messages.

    Raises:
        ControlError: the name is not a string.
    """
    if not isinstance(name, str):
        raise ControlError(f"expected {what}'s name, found {shown(name)}")
    return name


def as_list(what: str, values: Any) -> list[Any]:
    """Converts several values to a list; ``what`` is the kind of the values, for messages.

    Raises:
        ControlError: the argument is not a collection of values.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ControlError(f"expected several {what}, such as a list, found {shown(values)}")
    return list(values)


def bounded_number(value: Any, what: str, least: int, most: int) -> int:
    """Checks that a value is a whole number between bounds, and returns it.

    Raises:
        ControlError: the value is not such a number.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ControlError(f"expected {what}, a whole number, found {shown(value)}")
    if not least <= value <= most:
        raise ControlError(f"{what} {shown(value)} is out of range: expected {least} to {most}")
    return value

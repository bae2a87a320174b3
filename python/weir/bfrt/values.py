"""Converts values of scripts to those of messages, and back."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any

from weir.bfrt.error import BfRtTableError
from weir.bfrt.schema import Field
from weir.errors import shown

KeyRow = tuple[int, str, bytes, bytes | None, int]
"""A field of a key in a message: number, match kind, value, mask or upper end, length."""


def ip(text: object) -> int:
    """Converts an IPv4 or IPv6 address to a number."""
    return int(ipaddress.ip_address(str(text)))


def mac(text: object) -> int:
    """Converts a MAC address to a number."""
    return int(str(text).replace(":", "").replace("-", ""), 16)


def number(value: object, field: Field) -> int:
    """Converts a value to a number that fits a field.

    A value is an integer, an address, or a text: a number in Python's notation, an IPv4, IPv6 or
    MAC address.

    Raises:
        BfRtTableError: the value is not a number, or has more bits than the field.
    """
    try:
        converted = _integer(value)
    except (TypeError, ValueError):
        raise BfRtTableError(f"{field.name} needs a number or an address, not {shown(value)}") from None
    if not 0 <= converted < 1 << field.width:
        raise BfRtTableError(f"{field.name} has {field.width} bits; {shown(value)} does not fit")
    return converted


def _integer(value: Any) -> int:
    if not isinstance(value, str):
        return int(value)
    for convert in (lambda text: int(text, 0), ip):
        try:
            return convert(value)
        except ValueError:
            continue
    return mac(value)


def key_row(field: Field, value: object, second: object) -> KeyRow | None:
    """Converts a field of a key; returns ``None`` for one that matches every value.

    ``second`` is the mask, the upper end, the length of the prefix, or whether an optional value is
    there.
    """
    every = (1 << field.width) - 1
    if field.kind == "string":
        return field.number, field.match, str(value or "").encode(), None, 0
    if value is None and second is None and field.match != "Exact":
        return None
    main = number(0 if value is None else value, field)
    match field.match:
        case "Ternary":
            mask = every if second is None else number(second, field)
            return field.number, field.match, _bytes(field, main & mask), _bytes(field, mask), 0
        case "LPM":
            length = field.width if second is None else int(second)  # type: ignore[call-overload]
            return field.number, field.match, _bytes(field, main), None, length
        case "Range":
            end = every if second is None else number(second, field)
            return field.number, field.match, _bytes(field, main), _bytes(field, end), 0
        case "Optional":
            return field.number, field.match, _bytes(field, main), None, int(second is None or bool(second))
        case _:
            return field.number, field.match, _bytes(field, main), None, 0


def key_value(field: Field, row: KeyRow) -> Any:
    """Converts a field of a key that was read: a number, or a number with its second part."""
    _, kind, value, second, length = row
    if field.kind == "string":
        return value.decode()
    main = int.from_bytes(value, "big")
    match kind:
        case "Ternary" | "Range":
            return [main, int.from_bytes(second or b"", "big")]
        case "LPM":
            return [main, length]
        case "Optional":
            return [main, bool(length)]
        case _:
            return main


def data_value(field: Field, value: Any) -> Any:
    """Converts the value of a field of the data to its form in messages.

    Raises:
        BfRtTableError: the value does not fit the field.
    """
    if field.kind == "container":
        raise BfRtTableError(f"{field.name} has parts, which the shell cannot set")
    if field.is_list:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise BfRtTableError(f"{field.name} needs a list, not {shown(value)}")
        items = list(value)
        if field.kind == "bool":
            return "flags", [bool(item) for item in items]
        if field.kind == "bytes":
            return bytes(number(item, field) for item in items)
        return "numbers", [number(item, field) for item in items]
    if field.kind == "bool":
        return bool(value)
    if field.kind == "float":
        return float(value)
    if field.kind == "string":
        if field.choices and value not in field.choices:
            raise BfRtTableError(f"{field.name} is one of {', '.join(field.choices)}, not {shown(value)}")
        return str(value)
    return _bytes(field, number(value, field))


def read_data(field: Field, value: Any) -> Any:
    """Converts the value of a field of the data that was read."""
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value


def text(field: Field, value: Any) -> str:
    """Formats a value as the shell shows it."""
    if isinstance(value, list) and not field.is_list and field.match:
        main, second = value
        shown_second = str(second) if field.match in ("LPM", "Optional") else _hex(field, second)
        return f"({_hex(field, main)}, {shown_second})"
    if isinstance(value, int) and not isinstance(value, bool):
        is_count = field.name.startswith(("$COUNTER_SPEC", "$MATCH_PRIORITY", "$METER_SPEC"))
        return str(value) if is_count else _hex(field, value)
    return str(value)


def _hex(field: Field, value: int) -> str:
    return f"0x{value:0{max(1, (field.width + 3) // 4)}X}"


def _bytes(field: Field, value: int) -> bytes:
    return value.to_bytes(field.size, "big")

"""Match values: what an entry says about each key of its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weir import _core
from weir.control.values import format_value, read_value
from weir.errors import ControlError
from weir.jsonfile import describe
from weir.program import KeyInfo

Match = tuple[str, int, int]
"""A kind and two numbers: ``("exact", value, 0)``, ``("lpm", value, prefix length)``, ``("ternary", value, mask)``,
``("range", low, high)``, ``("any", 0, 0)``. An optional key's value is ``exact``."""

ANY: Match = ("any", 0, 0)


def read_match(value: Any, key: KeyInfo) -> Match:
    """Reads what an entry says about one key.

    An exact key takes a value; lpm ``[value, length]`` or ``"10.0.1.0/24"``; ternary ``[value, mask]`` or
    ``"0x800 &&& 0xfff"``; range ``[low, high]`` or ``"1..5"``; optional a value. All but exact take ``"*"`` for any value.

    Raises:
        ControlError: it is not of the key's kind, or does not fit its width.
    """
    if value == "*" and key.match_kind != "exact":
        return ANY
    reader = _READERS.get(key.match_kind)
    if reader is None:
        raise ControlError(f"match kind {key.match_kind} cannot be given here")
    return reader(value, key)


def _exact(value: Any, key: KeyInfo) -> Match:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, (list, tuple)):
        raise ControlError(f"{key.name} matches exactly: expected one value, found {len(value)}")
    return ("exact", read_value(value, key.width), 0)


def _lpm(value: Any, key: KeyInfo) -> Match:
    example = "[value, prefix length]"
    parts = _pair(value, key, "/", example)
    number = read_value(parts[0], key.width)
    length = parts[1]
    if isinstance(length, str) and length.isascii() and length.isdigit() and len(length) < 10:
        length = int(length)
    if not isinstance(length, int) or isinstance(length, bool):
        raise ControlError(f"expected a prefix length from 0 to {key.width}, found {describe(length)}")
    if not 0 <= length <= key.width:
        raise ControlError(f"prefix length {length} is out of range: {key.name} has {key.width} bits")
    low = number & ((1 << (key.width - length)) - 1)
    if low:
        right = format_value(number - low, key.width, key.name)
        raise ControlError(
            f"{parts[0]}/{length} has bits set past its prefix", suggestion=f"{right}/{length}"
        )
    return ("lpm", number, length) if length else ANY


def _ternary(value: Any, key: KeyInfo) -> Match:
    parts = _pair(value, key, "&&&", "[value, mask]")
    number, mask = read_value(parts[0], key.width), read_value(parts[1], key.width)
    if number & ~mask:
        right = f"{number & mask:#x} &&& {mask:#x}"
        raise ControlError(f"{parts[0]} has bits set where the mask {parts[1]} has none", suggestion=right)
    return ("ternary", number, mask) if mask else ANY


def _range(value: Any, key: KeyInfo) -> Match:
    parts = _pair(value, key, "..", "[low, high]")
    low, high = read_value(parts[0], key.width), read_value(parts[1], key.width)
    if low > high:
        raise ControlError(
            f"the range {parts[0]} to {parts[1]} is empty", suggestion=f"[{parts[1]}, {parts[0]}]"
        )
    return ("range", low, high)


def _pair(value: Any, key: KeyInfo, separator: str, example: str) -> list[Any]:
    if isinstance(value, str) and separator in value:
        return [part.strip() for part in value.split(separator, 1)]
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return list(value)
    found = f"{len(value)} values" if isinstance(value, (list, tuple)) else describe(value)
    raise ControlError(f"{key.name} is {_article(key.match_kind)} key: expected {example}, found {found}")


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeioul" else f"a {kind}"


_READERS: dict[str, Callable[[Any, KeyInfo], Match]] = {
    "exact": _exact,
    "lpm": _lpm,
    "ternary": _ternary,
    "range": _range,
    "optional": _exact,
}


def format_match(match: Match, key: KeyInfo) -> str:
    """A match value as text that :func:`read_match` reads back."""
    kind, a, b = match
    first = format_value(a, key.width, key.name)
    match kind:
        case "any":
            return "*"
        case "lpm":
            return f"{first}/{b}"
        case "ternary":
            return f"{a:#x} &&& {b:#x}" if b else "*"
        case "range" if (a, b) == (0, (1 << key.width) - 1):
            return "*"
        case "range":
            return f"{first}..{format_value(b, key.width, key.name)}"
        case _:
            return first


def to_bytes(number: int, width: int) -> bytes:
    """A value as the core takes it: big-endian, as many bytes as the width needs."""
    return number.to_bytes((width + 7) // 8, "big")


def to_parts(match: Match, key: KeyInfo) -> _core.MatchParts:
    """A match as the core takes it."""
    kind, a, b = match
    return (key.name, kind, to_bytes(a, key.width), b if kind == "lpm" else to_bytes(b, key.width))


def from_parts(parts: _core.MatchParts) -> Match:
    """A match as the core tells it."""
    _, kind, first, second = parts
    b = second if isinstance(second, int) else int.from_bytes(second, "big")
    return (kind, int.from_bytes(first, "big"), b)


def canonical(match: Match, key: KeyInfo) -> Match:
    """The one form of all matches that accept the same."""
    kind, a, b = match
    full = (1 << key.width) - 1
    wide = {"lpm": b == 0, "ternary": b == 0, "range": (a, b) == (0, full)}
    narrow = {"lpm": b == key.width, "ternary": b == full, "range": a == b}
    if wide.get(kind, kind == "any"):
        return ANY
    return ("exact", a, 0) if narrow.get(kind) else match

"""Numbers, keys, parameters and names as the runtime commands write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weir import _core
from weir.control.match import ANY, Match, from_parts, to_bytes, to_parts
from weir.control.table import Table
from weir.control.values import format_value, read_value
from weir.errors import ControlError
from weir.program import ActionInfo, KeyInfo

MOST_PRIORITY = (1 << 31) - 1


def whole(text: str, what: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """A whole number between bounds, decimal or 0x…, 0b…, 0o….

    Raises:
        ControlError: it is none.
    """
    # Python reads no decimal number of more than 4300 digits.
    if len(text) > 4096 or not re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+", text):
        raise ControlError(f'expected {what}, a whole number, found "{text}"')
    number = int(text) if text.isdigit() else int(text, 0)
    if not least <= number <= most:
        raise ControlError(f"{what} {text} is out of range: expected {least} to {most}")
    return number


def value(text: str, width: int, what: str) -> int:
    """A value of ``width`` bits: a number or an address.

    Raises:
        ControlError: it is none, or does not fit.
    """
    try:
        if re.fullmatch(r"0[oO][0-7]+", text):
            return read_value(int(text, 8), width)
        if text in ("true", "false"):
            return read_value(int(text == "true"), width)
        # What BMv2's command line reads as well: bare colons between single hex digits.
        return read_value(text, width)
    except ControlError as error:
        raise ControlError(f"{what}: {error.message}", suggestion=error.suggestion) from None


def match(text: str, key: KeyInfo) -> Match:
    """What an entry says of a key: ``VALUE``, ``VALUE/LENGTH`` (lpm), ``VALUE&&&MASK`` (ternary), ``LOW->HIGH`` (range). Bits outside
    the mask or the prefix do not matter.

    Raises:
        ControlError: it is not of the key's kind.
    """
    what = f"key {key.name}"
    full = (1 << key.width) - 1
    match key.match_kind:
        case "lpm":
            first, length = _pair(text, "/", key, "VALUE/LENGTH")
            number = value(first, key.width, what)
            bits = whole(length, f"{what}: a prefix length", 0, key.width)
            return ("lpm", number & (full << (key.width - bits)) & full, bits) if bits else ANY
        case "ternary":
            first, second = _pair(text, "&&&", key, "VALUE&&&MASK")
            number, mask = value(first, key.width, what), value(second, key.width, what)
            return ("ternary", number & mask, mask) if mask else ANY
        case "range":
            first, second = _pair(text, "->", key, "LOW->HIGH")
            low, high = value(first, key.width, what), value(second, key.width, what)
            if low > high:
                raise ControlError(f"{what}: the range {text} is empty", suggestion=f"{second}->{first}")
            return ("range", low, high)
        case "optional":
            if text == "*":
                return ANY
            if "&&&" in text:
                first, second = _pair(text, "&&&", key, "VALUE")
                mask = value(second, key.width, what)
                if mask not in (0, full):
                    raise ControlError(f"{what} is optional: its mask is 0 or all ones, found {second}")
                return ("exact", value(first, key.width, what), 0) if mask else ANY
            return ("exact", value(text, key.width, what), 0)
        case _:
            return ("exact", value(text, key.width, what), 0)


def _pair(text: str, separator: str, key: KeyInfo, form: str) -> tuple[str, str]:
    first, found, second = text.partition(separator)
    if not found:
        kind = key.match_kind
        raise ControlError(f'key {key.name} is matched {kind}: expected {form}, found "{text}"')
    return first, second


def format_match(parts: _core.MatchParts, key: KeyInfo) -> str:
    """A match as :func:`match` reads it."""
    kind, a, b = from_parts(parts)
    full = (1 << key.width) - 1
    if kind == "any":
        wide: dict[str, str] = {"lpm": "0/0", "range": f"0->{full:#x}", "optional": "*"}
        return wide.get(key.match_kind, "0&&&0")
    shown = format_value(a, key.width, key.name)
    forms = {"lpm": f"{shown}/{b}", "ternary": f"{a:#x}&&&{b:#x}", "range": f"{a:#x}->{b:#x}"}
    return forms.get(kind, shown)


def needs_priority(table: Table) -> bool:
    """Whether the table's entries are ordered by priority."""
    return table.info.needs_priority


def keys(table: Table, texts: Sequence[str]) -> list[_core.MatchParts]:
    """One match a key, in the table's order.

    Raises:
        ControlError: their number is wrong, or one of them.
    """
    infos = table.info.keys
    if not infos:
        raise ControlError(f"table {table.name} has no keys: it takes a default action, no entries")
    if len(texts) != len(infos):
        wanted = ", ".join(f"{key.name} ({key.match_kind}, {key.width} bits)" for key in infos)
        raise ControlError(f"table {table.name} needs {len(infos)} keys: {wanted}; found {len(texts)}")
    return [to_parts(match(text, key), key) for text, key in zip(texts, infos, strict=True)]


def params(action: ActionInfo, texts: Sequence[str]) -> _core.Args:
    """The action's parameters, in its order.

    Raises:
        ControlError: their number is wrong, or one of them.
    """
    if len(texts) != len(action.params):
        wanted = ", ".join(f"{param.name} ({param.width} bits)" for param in action.params) or "none"
        raise ControlError(
            f"action {action.name} takes {len(action.params)} parameters: {wanted}; found {len(texts)}"
        )
    return [
        (p.name, to_bytes(value(text, p.width, f"parameter {p.name} of {action.name}"), p.width))
        for p, text in zip(action.params, texts, strict=True)
    ]

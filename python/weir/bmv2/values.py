"""Converts values of calls between Thrift's bytes and codes and Weir's numbers and names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from weir import _core
from weir.bmv2.failing import CallRefusedError
from weir.bmv2.idl import services
from weir.program import ActionInfo, KeyInfo, TableInfo

MAX_INT32: Final = (1 << 31) - 1
"""The priority in Weir that corresponds to BMv2's priority 0. Weir prefers the largest priority,
BMv2 the smallest."""


def size(width: int) -> int:
    """Computes how many bytes a value with this number of bits takes."""
    return (width + 7) // 8


def number(data: bytes | str) -> int:
    """Converts big-endian bytes to a number."""
    return int.from_bytes(data if isinstance(data, bytes) else data.encode("latin-1"), "big")


def read(text: str, width: int) -> bytes:
    """Converts a value that the core wrote as text to big-endian bytes."""
    return int.from_bytes(_core.read_value(text, width), "big").to_bytes(size(width), "big")


def signed(value: int, bits: int) -> int:
    """Interprets the lowest bits of a number as a signed number, for Thrift."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def counts_in(count: Any) -> tuple[int, int]:
    """Converts a counter's packets and bytes from Thrift's signed 64-bit numbers to unsigned
    ones."""
    return count.packets & ((1 << 64) - 1), count.bytes & ((1 << 64) - 1)


def priority_in(table: TableInfo, options: Any) -> int | None:
    """Converts the priority of an entry from Thrift to the core."""
    if not table.needs_priority:
        return None
    priority = getattr(options, "priority", None) or 0
    if not 0 <= priority < MAX_INT32:
        raise CallRefusedError("ERROR", f"priority {priority} is out of range: expected 0 to {MAX_INT32 - 1}")
    return MAX_INT32 - int(priority)


def matches_in(table: TableInfo, matches: Sequence[Any]) -> dict[str, object]:
    """Converts the match keys of an entry from Thrift; returns them by the name of the key."""
    if len(matches) != len(table.keys):
        raise CallRefusedError(
            "BAD_MATCH_KEY", f"table {table.name} has {len(table.keys)} keys, found {len(matches)} matches"
        )
    return {key.name: _match_in(key, match) for key, match in zip(table.keys, matches, strict=True)}


def _match_in(key: KeyInfo, match: Any) -> object:
    types = services().MatchType
    match (match.type, key.match_kind):
        case (types.EXACT, "exact" | "optional") if match.exact is not None:
            return number(match.exact.key)
        case (types.VALID, "exact") if match.valid is not None:
            return int(match.valid.key)
        case (types.LPM, "lpm") if match.lpm is not None:
            length = match.lpm.prefix_length
            kept = ((1 << max(0, min(length, key.width))) - 1) << max(0, key.width - length)
            return [number(match.lpm.key) & kept, length]
        case (types.TERNARY, "ternary") if match.ternary is not None:
            mask = number(match.ternary.mask)
            return [number(match.ternary.key) & mask, mask]
        case (types.TERNARY, "optional") if match.ternary is not None:
            mask = number(match.ternary.mask)
            if mask not in (0, (1 << key.width) - 1):
                raise CallRefusedError(
                    "BAD_MATCH_KEY", f"{key.name} is an optional key: its mask is 0 or full"
                )
            return number(match.ternary.key) if mask else "*"
        case (types.RANGE, "range") if match.range is not None:
            return [number(match.range.start), number(match.range.end_)]
    names = types._VALUES_TO_NAMES
    match_kind = names.get(match.type, str(match.type)).lower()
    raise CallRefusedError(
        "BAD_MATCH_KEY", f"{key.name} is matched {key.match_kind}, found a match of type {match_kind}"
    )


def match_out(key: KeyInfo, text: str) -> Any:
    """Converts the match of one key of an entry from the core's text to Thrift."""
    types = services()
    kinds, width, full = types.MatchType, key.width, (1 << key.width) - 1
    everything = text == "*"

    def data(value: int) -> bytes:
        return value.to_bytes(size(width), "big")

    match key.match_kind:
        case "exact":
            return types.Match(type=kinds.EXACT, exact=types.ExactMatch(key=read(text, width)))
        case "lpm":
            value, _, length = ("0", "", "0") if everything else text.rpartition("/")
            lpm = types.PrefixMatch(key=read(value, width), prefix_length=int(length))
            return types.Match(type=kinds.LPM, lpm=lpm)
        case "range":
            low, _, high = text.partition("..")
            ends = (data(0), data(full)) if everything else (read(low, width), read(high, width))
            return types.Match(type=kinds.RANGE, range=types.RangeMatch(start=ends[0], end_=ends[1]))
    value, _, mask = text.partition(" &&& ")
    pair = (
        (data(0), data(0)) if everything else (read(value, width), read(mask, width) if mask else data(full))
    )
    return types.Match(type=kinds.TERNARY, ternary=types.TernaryMatch(key=pair[0], mask=pair[1]))


def find_action(actions: Iterable[ActionInfo], name: str, where: str) -> ActionInfo:
    """Finds the action that has this name, or whose name ends with it after the last dot.

    Raises:
        CallRefusedError: there is no such action.
    """
    declared = list(actions)
    for action in declared:
        if name in (action.name, action.name.rpartition(".")[2]):
            return action
    raise CallRefusedError(
        "INVALID_ACTION_NAME",
        f'{where} has no action "{name}" (its actions: {", ".join(action.name for action in declared)})',
    )


def params_in(action: ActionInfo, data: Sequence[bytes]) -> dict[str, object]:
    """Converts the parameters of an action from Thrift; returns them by name."""
    if len(data) != len(action.params):
        raise CallRefusedError(
            "BAD_ACTION_DATA",
            f"action {action.name} takes {len(action.params)} parameters, found {len(data)}",
        )
    return {param.name: number(value) for param, value in zip(action.params, data, strict=True)}


def params_out(actions: Iterable[ActionInfo], name: str, params: Mapping[str, str]) -> list[bytes]:
    """Converts the parameters of an action to bytes for Thrift."""
    widths = {param.name: param.width for action in actions if action.name == name for param in action.params}
    return [read(text, widths[param]) for param, text in params.items()]

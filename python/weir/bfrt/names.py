"""The names of parameters: the shortest suffixes that distinguish the names of fields."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from weir.bfrt.schema import Field

_SECOND = {"Ternary": "_mask", "LPM": "_p_length", "Optional": "_is_valid"}
"""The ending of the name of a field's second part."""


def identifier(name: str) -> str:
    """Converts a name to one that Python takes."""
    cleaned = re.sub(r"[^0-9A-Za-z_]+", "_", name.replace("$", ""))
    cleaned = re.sub(r"__+", "_", cleaned)
    if keyword.iskeyword(cleaned) or not cleaned or cleaned[0].isdigit():
        return f"p4_{cleaned}"
    return cleaned


def parameters(key: Sequence[Field], data: Sequence[Field]) -> list[tuple[Field, tuple[str, ...]]]:
    """Returns the parameters of each field: one, or two for fields that match in two parts.

    All suffixes have the same number of parts, the smallest that makes them different.
    """
    fields = [*key, *data]
    longest = max((field.name.count(".") + 1 for field in fields), default=1)
    short = [_end(field, longest) for field in fields]
    for parts in range(1, longest + 1):
        ends = [_end(field, parts) for field in fields]
        if len(set(ends)) == len(ends):
            short = ends
            break
    return [(field, _names(field, name)) for field, name in zip(fields, short, strict=True)]


def _end(field: Field, parts: int) -> str:
    return identifier("_".join(field.name.split(".")[-parts:]))


def _names(field: Field, name: str) -> tuple[str, ...]:
    if field.match == "Range":
        return f"{name}_start", f"{name}_end"
    if field.match in _SECOND:
        return name, name + _SECOND[field.match]
    return (name,)

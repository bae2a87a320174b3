"""Commands on parser value sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands import values
from weir.control.commands.registry import command
from weir.control.match import to_parts
from weir.control.value_set import Parts, ValueSet
from weir.errors import ControlError
from weir.program import ValueSetInfo

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Parser value sets"
_FIELDS = (
    "A set of several fields takes one VALUE a field; a field is written by its kind, as a table's key is.\n"
    "One number for all fields together, the first one in the upper bits, is taken as well, as in simple_switch_CLI."
)


@command(_GROUP, "", "show the parser value sets with their fields", example="show_pvs")
def show_pvs(runtime: Runtime, args: list[str]) -> list[str]:
    return [_declaration(info) for info in runtime.switch.program.value_sets.values()]


def _declaration(info: ValueSetInfo) -> str:
    fields = ", ".join(f"{field.name} ({field.match_kind}, {field.width})" for field in info.fields)
    return f"{info.name} [{fields}] size {info.size}"


@command(
    _GROUP,
    "VALUE_SET VALUE…",
    "add a member; one that is there changes nothing",
    example="pvs_add MyParser.tunnels 0x88b5",
    details=_FIELDS,
    most=None,
)
def pvs_add(runtime: Runtime, args: list[str]) -> list[str]:
    found = runtime.switch.value_set(args[0])
    found.add_parts(_member(found, args[1:]))
    return []


@command(
    _GROUP,
    "VALUE_SET VALUE…",
    "take a member out; one that is not there changes nothing",
    example="pvs_remove MyParser.tunnels 0x88b5",
    details=_FIELDS,
    most=None,
)
def pvs_remove(runtime: Runtime, args: list[str]) -> list[str]:
    found = runtime.switch.value_set(args[0])
    found.remove_parts(_member(found, args[1:]))
    return []


@command(_GROUP, "VALUE_SET", "take all members out", example="pvs_clear MyParser.tunnels")
def pvs_clear(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.value_set(args[0]).clear()
    return []


@command(_GROUP, "VALUE_SET", "show the members, one a line", example="pvs_get MyParser.tunnels")
def pvs_get(runtime: Runtime, args: list[str]) -> list[str]:
    found = runtime.switch.value_set(args[0])
    return [
        " ".join(
            values.format_match(parts, field) for parts, field in zip(member, found.info.fields, strict=True)
        )
        for member in runtime.switch._core.value_set(found.name)
    ]


def _member(found: ValueSet, words: list[str]) -> Parts:
    fields = found.info.fields
    if len(words) == 1 and len(fields) > 1:
        width = sum(field.width for field in fields)
        number = values.value(words[0], width, f"a member of {found.name}")
        chosen = []
        for field in fields:
            width -= field.width
            part = number >> width & ((1 << field.width) - 1)
            chosen.append(to_parts(("exact", part, 0), field))
        return chosen
    if len(words) != len(fields):
        raise ControlError(
            f"a member of {_declaration(found.info)} takes {len(fields)} values, found {len(words)}"
        )
    # In a value set a plain value stands for itself whatever the field's kind.
    plain = ("&&&", "->", "/", "*")
    return [
        to_parts(
            values.match(word, field)
            if any(mark in word for mark in plain)
            else ("exact", values.value(word, field.width, f"field {field.name}"), 0),
            field,
        )
        for word, field in zip(words, fields, strict=True)
    ]

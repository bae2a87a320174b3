"""Commands on tables whose entries lead to members and groups of an action profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import _core
from weir.control.commands import values
from weir.control.commands.profiles import group_number, member_number, profile_of
from weir.control.commands.registry import command
from weir.control.commands.tables import find_table, split_entry
from weir.control.table import Table
from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Tables with action profiles"


def _indirect(runtime: Runtime, name: str) -> Table:
    profile_of(runtime, name)
    return find_table(runtime, name)


def _target(text: str, *, group: bool) -> _core.Target:
    return _core.Target.group(group_number(text)) if group else _core.Target.member(member_number(text))


def _add(runtime: Runtime, args: list[str], *, group: bool) -> list[str]:
    table = _indirect(runtime, args[0])
    keys, target, priority = split_entry(table, args[1:])
    if len(target) != 1:
        what = "a group's number" if group else "a member's number"
        raise ControlError(f'expected {what} behind "=>", found {len(target)} words')
    update = _core.Update.insert(
        table.name, values.keys(table, keys), _target(target[0], group=group), priority
    )
    return [f"entry {runtime.switch.make(update)} added"]


@command(
    _GROUP,
    "TABLE KEY… => MEMBER [PRIORITY]",
    "add an entry that leads to a member",
    example="table_indirect_add routes 10.0.1.0/24 => 0",
    least=4,
    most=None,
)
def table_indirect_add(runtime: Runtime, args: list[str]) -> list[str]:
    return _add(runtime, args, group=False)


@command(
    _GROUP,
    "TABLE KEY… => GROUP [PRIORITY]",
    "add an entry that leads to a group",
    example="table_indirect_add_with_group routes 10.0.1.0/24 => 0",
    least=4,
    most=None,
)
def table_indirect_add_with_group(runtime: Runtime, args: list[str]) -> list[str]:
    return _add(runtime, args, group=True)


@command(_GROUP, "TABLE HANDLE", "take an entry out", example="table_indirect_delete routes 0")
def table_indirect_delete(runtime: Runtime, args: list[str]) -> list[str]:
    _indirect(runtime, args[0]).delete(values.whole(args[1], "an entry's handle"))
    return []


@command(
    _GROUP,
    "TABLE MEMBER",
    "set the member that is led to when no entry matches",
    example="table_indirect_set_default routes 0",
)
def table_indirect_set_default(runtime: Runtime, args: list[str]) -> list[str]:
    _indirect(runtime, args[0]).set_default(member=member_number(args[1]))
    return []


@command(
    _GROUP,
    "TABLE GROUP",
    "set the group that is led to when no entry matches",
    example="table_indirect_set_default_with_group routes 0",
)
def table_indirect_set_default_with_group(runtime: Runtime, args: list[str]) -> list[str]:
    _indirect(runtime, args[0]).set_default(group=group_number(args[1]))
    return []


@command(
    _GROUP,
    "TABLE",
    "set the program's own default again",
    example="table_indirect_reset_default routes",
)
def table_indirect_reset_default(runtime: Runtime, args: list[str]) -> list[str]:
    _indirect(runtime, args[0]).reset_default()
    return []

"""Commands on action profiles and selectors, and on the tables that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands import values
from weir.control.commands.registry import command
from weir.control.commands.tables import find_action, find_table, split_entry
from weir.control.table import Table
from weir.control.values import format_value
from weir.errors import ControlError
from weir.program import ActionInfo, ProfileInfo

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Action profiles"
_MOST = (1 << 32) - 1


def _profile(runtime: Runtime, name: str) -> ProfileInfo:
    known = runtime.switch.program.profiles
    return known[values.find("action profile", name, known)]


def _selector(runtime: Runtime, name: str) -> ProfileInfo:
    found = _profile(runtime, name)
    if not found.is_selector:
        raise ControlError(f"{found.name} is an action profile without selector: it has no groups")
    return found


def _action(runtime: Runtime, profile: ProfileInfo, name: str) -> ActionInfo:
    if not profile.tables:
        raise ControlError(f"no table uses {profile.name}: it has no actions")
    return find_action(find_table(runtime, profile.tables[0]), name, default=False)


def _member(text: str) -> int:
    return values.whole(text, "a member's number", 0, _MOST)


def _group(text: str) -> int:
    return values.whole(text, "a group's number", 0, _MOST)


@command(
    _GROUP,
    "PROFILE ACTION [PARAMETER…]",
    "add a member",
    example="act_prof_create_member ecmp set_port 3",
    details="The member's number is printed.",
    most=None,
)
def act_prof_create_member(runtime: Runtime, args: list[str]) -> list[str]:
    profile = _profile(runtime, args[0])
    action = _action(runtime, profile, args[1])
    call = values.params(action, args[2:])
    return [f"member {runtime.switch.core.insert_member(profile.name, action.name, call)} created"]


@command(
    _GROUP,
    "PROFILE ACTION MEMBER [PARAMETER…]",
    "give a member another action",
    example="act_prof_modify_member ecmp set_port 0 4",
    most=None,
)
def act_prof_modify_member(runtime: Runtime, args: list[str]) -> list[str]:
    profile = _profile(runtime, args[0])
    action = _action(runtime, profile, args[1])
    call = values.params(action, args[3:])
    runtime.switch.core.modify_member(profile.name, _member(args[2]), action.name, call)
    return []


@command(
    _GROUP,
    "PROFILE MEMBER",
    "take a member out that nothing leads to",
    example="act_prof_delete_member ecmp 0",
)
def act_prof_delete_member(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.core.delete_member(_profile(runtime, args[0]).name, _member(args[1]))
    return []


@command(
    _GROUP, "SELECTOR", "add an empty group; its number is printed", example="act_prof_create_group ecmp"
)
def act_prof_create_group(runtime: Runtime, args: list[str]) -> list[str]:
    selector = _selector(runtime, args[0])
    return [f"group {runtime.switch.core.insert_group(selector.name)} created"]


@command(
    _GROUP, "SELECTOR GROUP", "take a group out that nothing leads to", example="act_prof_delete_group ecmp 0"
)
def act_prof_delete_group(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.core.delete_group(_selector(runtime, args[0]).name, _group(args[1]))
    return []


@command(
    _GROUP,
    "SELECTOR MEMBER GROUP",
    "put a member into a group",
    example="act_prof_add_member_to_group ecmp 0 0",
)
def act_prof_add_member_to_group(runtime: Runtime, args: list[str]) -> list[str]:
    selector, member, group = _selector(runtime, args[0]), _member(args[1]), _group(args[2])
    members = _members(runtime, selector, group)
    if any(number == member for number, _ in members):
        raise ControlError(f"member {member} is in group {group} already")
    runtime.switch.core.modify_group(selector.name, group, [*members, (member, 1)])
    return []


@command(
    _GROUP,
    "SELECTOR MEMBER GROUP",
    "take a member out of a group",
    example="act_prof_remove_member_from_group ecmp 0 0",
)
def act_prof_remove_member_from_group(runtime: Runtime, args: list[str]) -> list[str]:
    selector, member, group = _selector(runtime, args[0]), _member(args[1]), _group(args[2])
    members = _members(runtime, selector, group)
    left = [(number, weight) for number, weight in members if number != member]
    if len(left) == len(members):
        raise ControlError(f"member {member} is not in group {group}")
    runtime.switch.core.modify_group(selector.name, group, left)
    return []


def _members(runtime: Runtime, selector: ProfileInfo, group: int) -> list[tuple[int, int]]:
    groups = dict(runtime.switch.core.profile(selector.name)[1])
    if group not in groups:
        there = ", ".join(map(str, groups)) or "none"
        raise ControlError(f"{selector.name} has no group {group} (there are: {there})")
    return groups[group]


@command(_GROUP, "PROFILE", "show members and groups", example="act_prof_dump ecmp")
def act_prof_dump(runtime: Runtime, args: list[str]) -> list[str]:
    profile = _profile(runtime, args[0])
    members, groups = runtime.switch.core.profile(profile.name)
    lines = []
    for number, action, call in members:
        texts = [format_value(int.from_bytes(value, "big"), 8 * len(value), name) for name, value in call]
        lines.append(f"member {number}: {' '.join([action, *texts])}")
    for number, inside in groups:
        shown = [f"{member}" if weight == 1 else f"{member} (weight {weight})" for member, weight in inside]
        lines.append(f"group {number}: {' '.join(shown) or 'empty'}")
    return lines


def _add(runtime: Runtime, args: list[str], *, group: bool) -> list[str]:
    table = _indirect(runtime, args[0])
    keys, target, priority = split_entry(table, args[1:])
    what = "a group's number" if group else "a member's number"
    if len(target) != 1:
        raise ControlError(f'expected {what} behind "=>", found {len(target)} words')
    number = _group(target[0]) if group else _member(target[0])
    handle = runtime.switch.core.insert_indirect(
        table.name, values.keys(table, keys), number, group, priority
    )
    return [f"entry {handle} added"]


def _indirect(runtime: Runtime, name: str) -> Table:
    table = find_table(runtime, name)
    if not any(table.name in profile.tables for profile in runtime.switch.program.profiles.values()):
        raise ControlError(f"table {table.name} has no action profile: table_add adds its entries")
    return table


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
    table = _indirect(runtime, args[0])
    runtime.switch.core.delete(table.name, values.whole(args[1], "an entry's handle"))
    return []


@command(
    _GROUP,
    "TABLE MEMBER",
    "set the member that is led to when no entry matches",
    example="table_indirect_set_default routes 0",
)
def table_indirect_set_default(runtime: Runtime, args: list[str]) -> list[str]:
    table = _indirect(runtime, args[0])
    runtime.switch.core.set_default_indirect(table.name, _member(args[1]), False)
    return []


@command(
    _GROUP,
    "TABLE GROUP",
    "set the group that is led to when no entry matches",
    example="table_indirect_set_default_with_group routes 0",
)
def table_indirect_set_default_with_group(runtime: Runtime, args: list[str]) -> list[str]:
    table = _indirect(runtime, args[0])
    runtime.switch.core.set_default_indirect(table.name, _group(args[1]), True)
    return []


@command(
    _GROUP,
    "TABLE",
    "set the program's own default again",
    example="table_indirect_reset_default routes",
)
def table_indirect_reset_default(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.core.reset_default(_indirect(runtime, args[0]).name)
    return []

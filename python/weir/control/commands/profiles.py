"""Commands on action profiles and selectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weir import _core
from weir.control.action_profile import ActionProfile
from weir.control.commands import values
from weir.control.commands.registry import Run, command
from weir.control.commands.tables import find_action, find_table
from weir.control.values import format_value
from weir.errors import ControlError
from weir.program import ActionInfo

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Action profiles"
_BY_TABLE = "Action profiles by their tables"
_MOST = (1 << 32) - 1


def member_number(text: str) -> int:
    """A member's number."""
    return values.whole(text, "a member's number", 0, _MOST)


def group_number(text: str) -> int:
    """A group's number."""
    return values.whole(text, "a group's number", 0, _MOST)


def _profile(runtime: Runtime, name: str) -> ActionProfile:
    return runtime.switch.action_profile(name)


def _action(runtime: Runtime, profile: ActionProfile, name: str) -> ActionInfo:
    if not profile.info.tables:
        raise ControlError(f"no table uses {profile.name}: it has no actions")
    return find_action(find_table(runtime, profile.info.tables[0]), name, default=False)


def _command(
    takes: str, summary: str, *, example: str, by_table: str, details: str = "", most: int | None = -1
) -> Callable[[Run], Run]:
    """A command on a profile, and its older form ``by_table`` that names a table that uses the profile."""
    example_by_table = " ".join([by_table, "routes", *example.split()[2:]])

    def add(run: Run) -> Run:
        def of_table(runtime: Runtime, args: list[str]) -> list[str]:
            return run(runtime, [profile_of(runtime, args[0]), *args[1:]])

        of_table.__name__ = by_table
        command(_GROUP, takes, summary, example=example, details=details, most=most)(run)
        command(
            _BY_TABLE,
            takes.replace("PROFILE", "TABLE").replace("SELECTOR", "TABLE"),
            f"as {run.__name__}, on the profile that a table uses",
            example=example_by_table,
            most=most,
        )(of_table)
        return run

    return add


def profile_of(runtime: Runtime, table: str) -> str:
    """The name of the action profile that a table uses."""
    found = find_table(runtime, table)
    if found.info.profile is None:
        raise ControlError(f"table {found.name} has no action profile: table_add adds its entries")
    return found.info.profile


@_command(
    "PROFILE ACTION [PARAMETER…]",
    "add a member",
    example="act_prof_create_member ecmp set_port 3",
    details="The member's number is printed.",
    by_table="table_indirect_create_member",
    most=None,
)
def act_prof_create_member(runtime: Runtime, args: list[str]) -> list[str]:
    profile = _profile(runtime, args[0])
    action = _action(runtime, profile, args[1])
    call = values.params(action, args[2:])
    made = runtime.switch.make(_core.Update.insert_member(profile.name, None, action.name, call))
    return [f"member {made} created"]


@_command(
    "PROFILE ACTION MEMBER [PARAMETER…]",
    "give a member another action",
    example="act_prof_modify_member ecmp set_port 0 4",
    by_table="table_indirect_modify_member",
    most=None,
)
def act_prof_modify_member(runtime: Runtime, args: list[str]) -> list[str]:
    profile = _profile(runtime, args[0])
    action = _action(runtime, profile, args[1])
    call, member = values.params(action, args[3:]), member_number(args[2])
    runtime.switch.write([_core.Update.modify_member(profile.name, member, action.name, call)])
    return []


@_command(
    "PROFILE MEMBER",
    "take a member out that nothing leads to",
    example="act_prof_delete_member ecmp 0",
    by_table="table_indirect_delete_member",
)
def act_prof_delete_member(runtime: Runtime, args: list[str]) -> list[str]:
    _profile(runtime, args[0]).delete_member(member_number(args[1]))
    return []


@_command(
    "SELECTOR",
    "add an empty group; its number is printed",
    example="act_prof_create_group ecmp",
    by_table="table_indirect_create_group",
)
def act_prof_create_group(runtime: Runtime, args: list[str]) -> list[str]:
    return [f"group {_profile(runtime, args[0]).add_group()} created"]


@_command(
    "SELECTOR GROUP",
    "take a group out that nothing leads to",
    example="act_prof_delete_group ecmp 0",
    by_table="table_indirect_delete_group",
)
def act_prof_delete_group(runtime: Runtime, args: list[str]) -> list[str]:
    _profile(runtime, args[0]).delete_group(group_number(args[1]))
    return []


@_command(
    "SELECTOR MEMBER GROUP",
    "put a member into a group",
    example="act_prof_add_member_to_group ecmp 0 0",
    by_table="table_indirect_add_member_to_group",
)
def act_prof_add_member_to_group(runtime: Runtime, args: list[str]) -> list[str]:
    selector, member, group = _profile(runtime, args[0]), member_number(args[1]), group_number(args[2])
    members = _members(selector, group)
    if member in members:
        raise ControlError(f"member {member} is in group {group} already")
    selector.modify_group(group, {**members, member: 1})
    return []


@_command(
    "SELECTOR MEMBER GROUP",
    "take a member out of a group",
    example="act_prof_remove_member_from_group ecmp 0 0",
    by_table="table_indirect_remove_member_from_group",
)
def act_prof_remove_member_from_group(runtime: Runtime, args: list[str]) -> list[str]:
    selector, member, group = _profile(runtime, args[0]), member_number(args[1]), group_number(args[2])
    members = _members(selector, group)
    if member not in members:
        raise ControlError(f"member {member} is not in group {group}")
    selector.modify_group(group, {one: weight for one, weight in members.items() if one != member})
    return []


def _members(selector: ActionProfile, group: int) -> dict[int, int]:
    groups = selector.groups()
    if group not in groups:
        there = ", ".join(map(str, groups)) or "none"
        raise ControlError(f"{selector.name} has no group {group} (there are: {there})")
    return groups[group]


@command(_GROUP, "PROFILE", "show members and groups", example="act_prof_dump ecmp")
def act_prof_dump(runtime: Runtime, args: list[str]) -> list[str]:
    return [line for _, _, line in _lines(runtime, _profile(runtime, args[0]))]


@_command(
    "PROFILE MEMBER",
    "show a member",
    example="act_prof_dump_member ecmp 0",
    by_table="table_dump_member",
)
def act_prof_dump_member(runtime: Runtime, args: list[str]) -> list[str]:
    return _line(runtime, args[0], "member", member_number(args[1]))


@_command(
    "SELECTOR GROUP",
    "show a group",
    example="act_prof_dump_group ecmp 0",
    by_table="table_dump_group",
)
def act_prof_dump_group(runtime: Runtime, args: list[str]) -> list[str]:
    return _line(runtime, args[0], "group", group_number(args[1]))


def _line(runtime: Runtime, name: str, what: str, number: int) -> list[str]:
    profile = _profile(runtime, name)
    lines = {one: line for kind, one, line in _lines(runtime, profile) if kind == what}
    if number not in lines:
        there = ", ".join(map(str, lines)) or "none"
        raise ControlError(f"{profile.name} has no {what} {number} (there are: {there})")
    return [lines[number]]


def _lines(runtime: Runtime, profile: ActionProfile) -> list[tuple[str, int, str]]:
    """Members and groups: what each is, its number, and how it is shown."""
    members, groups = runtime.switch._core.profile(profile.name)
    lines = []
    for number, action, call, _ in members:
        texts = [format_value(int.from_bytes(value, "big"), 8 * len(value), name) for name, value in call]
        lines.append(("member", number, f"member {number}: {' '.join([action, *texts])}"))
    for number, inside, _ in groups:
        shown = [f"{member}" if weight == 1 else f"{member} (weight {weight})" for member, weight in inside]
        lines.append(("group", number, f"group {number}: {' '.join(shown) or 'empty'}"))
    return lines

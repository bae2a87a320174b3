"""What may stand next in a runtime command."""

from __future__ import annotations

from collections.abc import Iterable

from weir.control.commands.registry import COMMANDS
from weir.control.commands.runtime import Runtime
from weir.control.names import find
from weir.errors import ControlError


def choices(runtime: Runtime, words: list[str]) -> list[str]:
    """What may follow these words of a command: names of commands and objects, numbers of what is there now."""
    if not words:
        return list(COMMANDS)
    name, *given = words
    if name == "help":
        return [] if given else list(COMMANDS)
    takes = COMMANDS[name].takes.split() if name in COMMANDS else []
    # A word with … stands for any number of them; what follows it comes behind a bar.
    many = next((position for position, word in enumerate(takes) if "…" in word), len(takes))
    place = min(len(given), many)
    if place == len(takes):
        return []
    if place == many and "|" in given and "[|]" in takes:
        place = len(takes) - 1
    try:
        return list(map(str, _choices(runtime, name, takes[place].strip("[]…"), given)))
    except ControlError:
        # What stands before is wrong: nothing fits behind it.
        return []


def _choices(runtime: Runtime, command: str, wanted: str, given: list[str]) -> Iterable[object]:
    switch, program = runtime.switch, runtime.switch.program
    match wanted:
        case "TABLE" if "indirect" in command or command in ("table_dump_member", "table_dump_group"):
            return (table.name for table in program.tables.values() if table.profile is not None)
        case "TABLE":
            return program.tables
        case "ACTION" if given:
            if command.startswith("act_prof"):
                tables = switch.action_profile(given[0]).info.tables
            else:
                tables = [find("table", given[0], program.tables)]
            actions = (action.name for table in tables for action in program.tables[table].actions)
            return dict.fromkeys(actions)
        case "HANDLE":
            return (entry.handle for entry in switch.table(find("table", given[0], program.tables)).entries())
        case "COUNTER" | "REGISTER" | "METER" as kind:
            return program.objects(kind.lower())
        case "PROFILE":
            return program.profiles
        case "SELECTOR":
            return (name for name, profile in program.profiles.items() if profile.is_selector)
        case "MEMBER" if given:
            return switch.action_profile(_profile(runtime, command, given[0])).members()
        case "GROUP" if command.startswith(("mc_", "mirroring_")):
            return switch.multicast_groups()
        case "GROUP" if given:
            return switch.action_profile(_profile(runtime, command, given[0])).groups()
        case "VALUE_SET":
            return program.value_sets
        case "SESSION":
            return switch.clone_sessions()
        case "NODE":
            return runtime.nodes.by_handle
        case "PORT":
            return switch.ports
        case "LAG":
            return runtime.nodes.lags
        case _:
            return ()


def _profile(runtime: Runtime, command: str, name: str) -> str:
    """The action profile that a command names, or that the table uses which it names."""
    if command.startswith("act_prof"):
        return name
    program = runtime.switch.program
    return program.tables[find("table", name, program.tables)].profile or ""

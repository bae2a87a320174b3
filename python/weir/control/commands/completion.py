"""What may stand next in a runtime command."""

from __future__ import annotations

from weir.control.commands.registry import COMMANDS
from weir.control.commands.runtime import Runtime


def choices(runtime: Runtime, words: list[str]) -> list[str]:
    """What may follow these words of a command: names of commands, tables, actions and the other objects."""
    if not words:
        return list(COMMANDS)
    name, *given = words
    if name == "help":
        return [] if given else list(COMMANDS)
    takes = COMMANDS[name].takes.split() if name in COMMANDS else []
    if len(given) >= len(takes):
        return []
    program = runtime.switch.program
    match takes[len(given)].strip("[]"):
        case "TABLE":
            return list(program.tables)
        case "ACTION":
            info = program.find_table(given[0])
            tables = list(program.tables.values()) if info is None else [info]
            return list(dict.fromkeys(action.name for table in tables for action in table.actions))
        case "COUNTER" | "REGISTER" | "METER" as kind:
            return list(program.objects(kind.lower()))
        case "PROFILE" | "SELECTOR":
            return list(program.profiles)
        case _:
            return []

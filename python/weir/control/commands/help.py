"""The command that shows the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands.registry import COMMANDS, command
from weir.control.commands.state import REFUSED
from weir.errors import ControlError
from weir.suggest import nearest

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime


@command("Help", "[COMMAND]", "show the commands, or more about one", example="help table_add")
def help(runtime: Runtime, args: list[str]) -> list[str]:
    if args:
        return about(args[0])
    width = max(len(known.name) for known in COMMANDS.values())
    return [f"{known.name.ljust(width)}  {known.summary}" for known in COMMANDS.values()]


def about(name: str) -> list[str]:
    """What there is to know about a command."""
    if name in REFUSED:
        return [f"{name} is not there: {REFUSED[name]}"]
    if name not in COMMANDS:
        raise ControlError(f'there is no runtime command "{name}"', suggestion=nearest(name, COMMANDS))
    known = COMMANDS[name]
    summary = f"{known.summary[0].upper()}{known.summary[1:]}."
    return [known.usage, summary, *known.details.splitlines(), f"Example: {known.example}"]

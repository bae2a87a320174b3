"""The page of all commands, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from weir.cli.app import app

WIDTH = 80

INTRODUCTION = """\
# Commands

This page shows the `--help` text of each command. Exit codes: 0 for success, 1 for an error or a
failed check, 2 for a wrong command line, 130 for an interruption. Output to a terminal is coloured
unless `NO_COLOR` is set. A mistake is reported on standard error as `FILE:LINE:COLUMN: …`, with a
suggestion.
"""


def page() -> str:
    """The page as Markdown."""
    parts = [INTRODUCTION]
    for path, command, context in walk(click.Context(app, info_name="weir"), app, ("weir",)):
        level = "#" * min(len(path) + 1, 4)
        parts.append(f"{level} `{' '.join(path)}`\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def walk(
    context: click.Context, command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """A command and those below it, each with its name and its context."""
    context.terminal_width = WIDTH
    yield path, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(click.Context(below, info_name=name, parent=context), below, (*path, name))

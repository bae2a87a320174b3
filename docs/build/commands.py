"""The page of all commands, from the commands themselves."""

from __future__ import annotations

import click

from weir.cli.app import app
from weir.cli.man import walk

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
        context.terminal_width = WIDTH
        level = "#" * min(len(path) + 1, 4)
        parts.append(f"{level} `{' '.join(path)}`\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)

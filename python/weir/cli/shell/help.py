"""Prints the shell's help: a table of all commands, or the description of one command."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping

import click

from weir.cli import text
from weir.cli.shell.command import GROUPS, ShellCommand

_WIDTH = 80


def show_all(commands: Mapping[str, ShellCommand], world: str) -> None:
    """Prints a table of all commands, by group, in at most 80 columns."""
    usages = {name: command.short or command.usage for name, command in commands.items()}
    width = max(map(len, usages.values()))
    for group in GROUPS:
        text.heading(group)
        for name, command in commands.items():
            if command.group == group:
                rows = textwrap.wrap(command.summary, _WIDTH - width - 4)
                click.echo(f"  {usages[name].ljust(width)}  {rows[0]}")
                for row in rows[1:]:
                    click.echo(f"{' ' * (width + 4)}{row}")
    times = "virtual" if world == "virtual" else "those of the wall clock"
    click.echo(f"\nhelp COMMAND describes a command. Times are {times}. Ctrl-C stops a command.")


def show(command: ShellCommand) -> None:
    """Prints the description of a command."""
    width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, 100)
    indent = " " * 4
    text.heading(
        "\n".join(textwrap.wrap(command.usage, width, subsequent_indent=indent, break_on_hyphens=False))
    )
    for line in (f"{command.summary[0].upper()}{command.summary[1:]}.", *command.details.splitlines()):
        click.echo(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False))
    if command.example:
        click.echo(f"Example: {command.example}")

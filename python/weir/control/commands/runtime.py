"""Runs the runtime command language on a switch: a line, or a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from weir.control.commands import (  # noqa: F401  # Each fills the table of commands.
    counters,
    hashes,
    help,
    indirect,
    profiles,
    queues,
    replication,
    state,
    tables,
    value_sets,
)
from weir.control.commands.nodes import Nodes
from weir.control.commands.registry import COMMANDS
from weir.errors import ControlError
from weir.jsonfile import read_text
from weir.suggest import nearest

if TYPE_CHECKING:
    from weir.control.switch import Switch

# A million entries are some 60 MB.
_MAX_FILE = 256 << 20


class Runtime:
    """The commands of one switch. What they say of multicast nodes is remembered here, as the switch knows groups only.

    Attributes:
        switch: what they act on.
        nodes: multicast nodes by handle, and the groups they are in.
    """

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.nodes = Nodes(switch)

    def run(self, line: str) -> list[str]:
        """Runs one line. An empty one and a comment (``#``) do nothing.

        Returns:
            The lines to print.

        Raises:
            ControlError: there is no such command, or it cannot be done.
        """
        words = split(line)
        return self.call(words) if words else []

    def call(self, words: list[str]) -> list[str]:
        """Runs a command that is cut into words already."""
        name, *args = words
        if name in state.REFUSED:
            raise ControlError(f"{name} is not there: {state.REFUSED[name]}")
        if name not in COMMANDS:
            raise ControlError(
                f'there is no runtime command "{name}" (help shows them)', suggestion=nearest(name, COMMANDS)
            )
        return COMMANDS[name].call(self, args)

    def load(self, path: str | Path) -> list[str]:
        """Runs a file's commands, up to the first that fails.

        Raises:
            FileError: the file cannot be read.
            ControlError: a command failed; the message names file and line.
        """
        return self.run_lines(read_text(path, _MAX_FILE).splitlines(), path)

    def run_lines(self, lines: Iterable[str], path: str | Path) -> list[str]:
        """Runs lines of a file."""
        printed = []
        for number, line in enumerate(lines, 1):
            try:
                printed += self.run(line)
            except ControlError as error:
                raise ControlError(
                    error.message, file=path, where=str(number), suggestion=error.suggestion
                ) from None
        return printed


def split(line: str) -> list[str]:
    """A line's words, without its comment: a ``#`` at the start of a word begins one."""
    words = []
    for word in line.split():
        if word.startswith("#"):
            break
        words.append(word)
    return words

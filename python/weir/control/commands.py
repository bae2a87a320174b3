"""Runs commands in the language of `simple_switch_CLI`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from weir import _core
from weir.control.unlinked import warn_of_commands
from weir.control.unlinked_copies import warn_of_copies_in_commands
from weir.control.warned import warn_caller
from weir.errors import CommandFileError
from weir.files.textfile import read_text

if TYPE_CHECKING:
    from weir.control.owner import ProgrammedSwitch

# The maximum size of a file of commands. A million entries need about 60 MB.
_MAX_FILE = 256 << 20


COMMANDS = {command.name: command for command in _core.runtime_commands()}
"""All runtime commands by name, in the order in which the help shows them."""

UNSUPPORTED = dict(_core.unsupported_commands())
"""Commands of ``simple_switch_CLI`` that are not supported, each with the reason."""


class Runtime:
    """Runs runtime commands on a switch.

    Multicast nodes are stored in this object, because the switch has only groups.

    Attributes:
        switch: the switch on which commands run.
    """

    __slots__ = ("_core", "switch")

    def __init__(self, switch: ProgrammedSwitch) -> None:
        self.switch = switch
        self._core = _core.Commands(switch._core, switch.name, str(switch.program.path))

    def run(self, line: str) -> list[str]:
        """Runs a line. Empty lines and comments (``#`` or ``//``) have no effect.

        Returns:
            The lines to print.

        Raises:
            ControlError: there is no such command, or it failed.
        """
        printed = self._core.run(line)
        self._warn([line.split()])
        return printed

    def call(self, words: list[str]) -> list[str]:
        """Runs a command that is already split into words, and returns the lines to print."""
        printed = self._core.run(words)
        self._warn([words])
        return printed

    def load(self, path: str | Path) -> list[str]:
        """Runs the commands in a file. A command that fails changes nothing and does not stop the
        other commands.

        Returns:
            The lines to print.

        Raises:
            FileError: the file cannot be read.
            CommandFileError: commands failed; the message has the file and line of each error.
        """
        content = read_text(path, _MAX_FILE)
        printed, remarks, failed = self._core.run_lines(str(path), content)
        for remark in remarks:
            warn_caller(remark)
        self._warn(list(map(str.split, content.splitlines())))
        if failed:
            raise CommandFileError(failed, printed)
        return printed

    def choices(self, words: list[str]) -> list[str]:
        """Returns the words that can follow the given words of a command: names, and numbers of
        existing objects."""
        return self._core.choices(words)

    def _warn(self, commands: Sequence[Sequence[str]]) -> None:
        warn_of_commands(self.switch, commands)
        warn_of_copies_in_commands(self.switch, commands)

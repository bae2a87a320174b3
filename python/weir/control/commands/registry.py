"""The table of commands: each one's name, usage, help and function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

Run = Callable[["Runtime", list[str]], list[str]]


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: such as ``table_add``.
        takes: what stands behind the name, such as ``TABLE HANDLE``.
        summary: what it does, in a line.
        details: more to know; may be empty.
        example: how it looks in use.
        least: arguments that it needs.
        most: arguments that it takes; None for any number.
        run: does it, and gives the lines to print.
        group: the heading it stands under.
    """

    name: str
    takes: str
    summary: str
    details: str
    example: str
    least: int
    most: int | None
    run: Run
    group: str

    @property
    def usage(self) -> str:
        """Its call."""
        return f"{self.name} {self.takes}".rstrip()

    def call(self, runtime: Runtime, args: list[str]) -> list[str]:
        """Runs it.

        Raises:
            ControlError: it has too few or too many arguments, or cannot be done.
        """
        if len(args) < self.least:
            raise ControlError(f"{self.name} needs {self._wanted()}, found {len(args)} ({self.usage})")
        if self.most is not None and len(args) > self.most:
            extra = args[self.most]
            raise ControlError(f'{self.name} takes {self._wanted()}, found also "{extra}" ({self.usage})')
        return self.run(runtime, args)

    def _wanted(self) -> str:
        number = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        if self.most is None:
            number = f"{self.least} or more"
        return f"{number} argument{'' if self.least == self.most == 1 else 's'}"


COMMANDS: dict[str, Command] = {}
"""All commands by name, in the order in which help shows them."""


def command(
    group: str,
    takes: str,
    summary: str,
    *,
    example: str,
    details: str = "",
    least: int | None = None,
    most: int | None = -1,
) -> Callable[[Run], Run]:
    """Puts the function that follows into the table under its own name.

    Args:
        least: arguments needed; by default the words of ``takes`` that are not in brackets.
        most: arguments taken, None for any number; by default all words of ``takes``.
    """
    words = takes.split()
    required = sum(1 for word in words if not word.startswith("["))

    def add(run: Run) -> Run:
        name = run.__name__
        COMMANDS[name] = Command(
            name,
            takes,
            summary,
            details,
            example,
            required if least is None else least,
            len(words) if most == -1 else most,
            run,
            group,
        )
        return run

    return add

"""The list of runtime commands, and a check that each switch executes them as listed.

A line of ``list.txt`` is one of

- ``both COMMAND``, ``none COMMAND``: both switches accept the command, or neither does;
- ``theirs COMMAND ; ROW``, ``ours COMMAND ; ROW``: only ``simple_switch`` accepts it, or only Weir,
  for the reason in the row of ``docs/reference/differences.md`` whose first cell is ROW;
- ``both COMMAND ; 5 500``: both accept it and print these numbers;
- ``# …``: a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
PROGRAM = FOLDER / "program.p4"
_LIST = FOLDER / "list.txt"

_PRINTS_NUMBERS = (
    "table_num_entries",
    "counter_read",
    "register_read",
    "meter_get_rates",
)
"""Commands whose numbers are compared."""

Run = Callable[[str], tuple[bool, str]]
"""Runs a command: whether it was taken, and what was printed."""


@dataclass(frozen=True)
class ListedCommand:
    """A command of the list.

    Attributes:
        takes: the switches that accept it: ``both``, ``none``, ``theirs`` or ``ours``.
        command: the command.
        row: the reason why only one switch accepts it.
        numbers: the numbers that the command prints.
    """

    takes: str
    command: str
    row: str = ""
    numbers: str = ""

    def is_accepted(self, side: str) -> bool:
        """Whether a side, ``theirs`` or ``ours``, accepts the command."""
        return self.takes in ("both", side)


def read() -> list[ListedCommand]:
    """Reads the list."""
    mistakes = []
    for line in _LIST.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        takes, _, rest = line.partition(" ")
        command, _, more = rest.strip().partition(" ; ")
        numbers = more if takes == "both" else ""
        mistakes.append(ListedCommand(takes, command.strip(), "" if numbers else more, numbers))
    return mistakes


def numbers(command: str, output: str) -> str:
    """The numbers that a command printed, sorted and without indexes, if they are compared."""
    if not command.startswith(_PRINTS_NUMBERS):
        return ""
    found = re.findall(r"(?<![\w.\[])\d+(?:\.\d+)?(?![\w\].]|: )", output)
    return " ".join(sorted(found, key=float))


def wrong_commands(listed: Sequence[ListedCommand], side: str, run: Run) -> list[str]:
    """Yields a line for each command that a side does not execute as listed."""
    lines = []
    for one in listed:
        taken, said = run(one.command)
        if taken != one.is_accepted(side):
            lines.append(f"{one.command}: {'taken' if taken else 'refused'}: {said.strip()[-200:]}")
        elif taken and one.numbers and numbers(one.command, said) != one.numbers:
            lines.append(f"{one.command}: {numbers(one.command, said)} instead of {one.numbers}")
    return lines

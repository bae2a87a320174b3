"""Options of commands that exist both in a shell and at the prompt of ``weir run``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from weir import units


class Flag(NamedTuple):
    """One option; it takes no value if it has no ``metavar``."""

    flag: str
    name: str
    metavar: str | None
    text: str


class Flags(tuple[Flag, ...]):
    """The options of a command, in the order of its help."""

    __slots__ = ()

    def __new__(cls, *rows: tuple[str, str, str | None, str]) -> Flags:
        """From rows of flag, name in Python, metavar of the value, and help."""
        return super().__new__(cls, (Flag(*row) for row in rows))

    @property
    def typed(self) -> tuple[str, ...]:
        """The flags as typed."""
        return tuple(one.flag for one in self)

    @property
    def valueless(self) -> tuple[str, ...]:
        """The flags without value."""
        return tuple(one.flag for one in self if one.metavar is None)

    @property
    def usage(self) -> str:
        """The options of the usage line, each in brackets."""
        return " ".join(f"[{one.flag} {one.metavar}]" if one.metavar else f"[{one.flag}]" for one in self)

    def options(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Adds these options to a command of click.

        The word after an option is its value even if it begins with a dash, so that ``-t -1`` is
        reported as a wrong time.
        """
        for flag, name, metavar, text in reversed(self):
            if metavar is None:
                command = click.option(flag, name, is_flag=True, help=text)(command)
            else:
                command = click.option(flag, name, metavar=metavar, help=text)(command)
        return command


def seconds(value: str, what: str) -> str:
    """A time as ping and iperf accept it: seconds without a unit, or a number with a unit.

    Raises:
        UnitError: it cannot be read.
    """
    bare = value.removeprefix("-").replace(".", "", 1)
    quantity = f"{value}s" if bare.isascii() and bare.isdigit() else value
    units.time_ns(quantity, what, "s")
    return quantity

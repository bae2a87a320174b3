"""Options of commands that are typed in a shell and at the prompt of ``weir run``: said once for both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from weir import units


class Flag(NamedTuple):
    """One option; it stands alone if it has no ``metavar``."""

    flag: str
    name: str
    metavar: str | None
    text: str


class Flags(tuple[Flag, ...]):
    """The options of a command, in the order of its help."""

    __slots__ = ()

    def __new__(cls, *rows: tuple[str, str, str | None, str]) -> Flags:
        """Of flags, their names in Python, what stands behind them, and their help."""
        return super().__new__(cls, (Flag(*row) for row in rows))

    @property
    def typed(self) -> tuple[str, ...]:
        """As they are typed."""
        return tuple(one.flag for one in self)

    @property
    def alone(self) -> tuple[str, ...]:
        """Those that stand alone."""
        return tuple(one.flag for one in self if one.metavar is None)

    @property
    def usage(self) -> str:
        """How they are typed, each in brackets."""
        return " ".join(f"[{one.flag} {one.metavar}]" if one.metavar else f"[{one.flag}]" for one in self)

    def options(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Gives a command of click these options.

        What stands behind an option is its value even if it begins with a dash, so that ``-t -1`` is told as the wrong time it is.
        """
        for flag, name, metavar, text in reversed(self):
            if metavar is None:
                command = click.option(flag, name, is_flag=True, help=text)(command)
            else:
                command = click.option(flag, name, metavar=metavar, help=text)(command)
        return command


def seconds(value: str, what: str) -> str:
    """A time as ping and iperf take it, in seconds without a unit; one with a unit is fine too.

    Raises:
        UnitError: it cannot be read.
    """
    bare = value.removeprefix("-").replace(".", "", 1)
    quantity = f"{value}s" if bare.isascii() and bare.isdigit() else value
    units.time_ns(quantity, what, "s")
    return quantity

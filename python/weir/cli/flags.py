"""Options of commands that exist in a shell and also at the prompt of ``weir run``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import click

from weir import units
from weir.errors import CommandError
from weir.text.digits import whole_number
from weir.text.suggest import nearest


class Flag(NamedTuple):
    """A command-line option. An option without ``metavar`` takes no value."""

    flag: str
    name: str
    metavar: str | None
    text: str


class Flags(tuple[Flag, ...]):
    """The options of a command, in the order of its help."""

    __slots__ = ()

    def __new__(cls, *rows: tuple[str, str, str | None, str]) -> Flags:
        """Creates the options from rows of flag, name in Python, metavar of the value, and help."""
        return super().__new__(cls, (Flag(*row) for row in rows))

    @property
    def typed(self) -> tuple[str, ...]:
        """All flags, as users type them."""
        return tuple(flag.flag for flag in self)

    @property
    def valueless(self) -> tuple[str, ...]:
        """The flags that take no value."""
        return tuple(flag.flag for flag in self if flag.metavar is None)

    @property
    def usage(self) -> str:
        """The options as the usage line shows them, each in brackets."""
        return " ".join(
            f"[{flag.flag} {flag.metavar}]" if flag.metavar else f"[{flag.flag}]" for flag in self
        )

    def options(self, command: Callable[..., Any]) -> Callable[..., Any]:
        """Adds these options to a click command.

        The word after an option is its value even if it begins with a dash, so that ``-t -1`` is
        reported as a wrong time.
        """
        for flag, name, metavar, text in reversed(self):
            if metavar is None:
                command = click.option(flag, name, is_flag=True, help=text)(command)
            else:
                command = click.option(flag, name, metavar=metavar, help=text)(command)
        return command


FAMILY = (
    ("-4", "v4", None, "Use IPv4."),
    ("-6", "v6", None, "Use IPv6."),
)
"""The options that choose the version of IP, if the target is a name."""


def family(options: Mapping[str, Any], what: str) -> int | None:
    """Returns the chosen version of IP; ``None`` if no version was chosen.

    Raises:
        CommandError: both versions were chosen.
    """
    if options.get("v4") and options.get("v6"):
        raise CommandError(f"{what}: -4 and -6 are given: expected one of them")
    return 4 if options.get("v4") else 6 if options.get("v6") else None


_DSCP = {
    "be": 0,
    "le": 1,
    "va": 44,
    "ef": 46,
    **{f"cs{number}": 8 * number for number in range(8)},
    **{f"af{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
}
"""The names of DSCPs (RFC 2474, 2597, 3246, 5865, 8622)."""


def type_of_service(value: str, what: str) -> int:
    """Reads a type of service as ping and iperf accept it: 0 to 255, decimal or hexadecimal.

    Raises:
        CommandError: the value cannot be read.
    """
    number = _number(value)
    if number is None or number > 255:
        raise CommandError(
            f'{what} takes a type of service from 0 to 255, such as 184 or 0xb8, found "{value}"'
        )
    return number


def dscp(value: str, what: str) -> int:
    """Converts a DSCP as iperf3 accepts it, a number or a name, to a type of service.

    Raises:
        CommandError: the value cannot be read.
    """
    number = _DSCP.get(value.lower(), _number(value))
    if number is None or number > 63:
        raise CommandError(
            f'{what} takes a number from 0 to 63 or a name such as ef, found "{value}"',
            suggestion=nearest(value.lower(), _DSCP),
        )
    return number << 2


MAX_WHOLE = 999_999_999
"""The largest whole number that options take."""


def whole_value(value: str, what: str) -> int:
    """Reads a whole number as ping and traceroute accept it, up to :data:`MAX_WHOLE`.

    Raises:
        CommandError: the value is not such a number.
    """
    number = whole_number(value, most=MAX_WHOLE)
    if number is None:
        digits = value.removeprefix("-")
        is_whole = digits.isascii() and digits.isdigit()
        limit = (
            "" if not is_whole else f" from 0 to {MAX_WHOLE}" if digits != value else f" up to {MAX_WHOLE}"
        )
        raise CommandError(f'{what} takes a whole number{limit}, found "{value}"')
    return number


def _number(text: str) -> int | None:
    base = 16 if text.lower().startswith("0x") else 10
    try:
        number = int(text, base) if text.isascii() and text.isalnum() else -1
    except ValueError:
        return None
    return None if number < 0 else number


def seconds(value: str, what: str) -> str:
    """Converts a time as ping and iperf accept it, seconds without a unit or a number with a unit,
    to a time with a unit.

    Raises:
        UnitError: the time cannot be read.
    """
    bare = value.removeprefix("-").replace(".", "", 1)
    quantity = f"{value}s" if bare.isascii() and bare.isdigit() else value
    units.time_ns(quantity, what, "s")
    return quantity

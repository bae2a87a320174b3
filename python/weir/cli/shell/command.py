"""Commands of the shell as data, and checks of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weir.errors import CommandError

HOST_COMMANDS = ("ping", "iperf", "traceroute")
"""Commands that follow a host's name."""

HOST_TOOLS = ("arp", "ifconfig", "ip", "route", "sysctl", "tc")
"""Tools whose commands a host understands, as in topology files."""

NODE_COMMANDS = (*HOST_COMMANDS, "programs", "runtime", "tools")
"""Commands that follow a node's name."""

GROUPS = ("Traffic", "Show", "Watch", "Change", "Session")
"""The headings of the commands, in the order of the help."""


@dataclass(frozen=True)
class ShellCommand:
    """A command of the shell.

    Attributes:
        group: the heading that it is listed under.
        usage: all its arguments.
        summary: what it does, in one line.
        run: called with the words after its name; returns whether it succeeded.
        details: further help.
        example: a command as it is typed.
        short: the usage in the list of commands, if the full one is long.
    """

    group: str
    usage: str
    summary: str
    run: Callable[[list[str]], bool]
    details: str = ""
    example: str = ""
    short: str = ""


def check_no_arguments(name: str, args: list[str]) -> None:
    """Refuses arguments of a command that takes none.

    Raises:
        CommandError: there is an argument.
    """
    if args:
        raise CommandError(f'{name} takes no arguments, found "{args[0]}"')

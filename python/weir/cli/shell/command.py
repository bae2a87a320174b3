"""The description of a shell command, and checks of arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weir.errors import CommandError

HOST_COMMANDS = ("ping", "iperf", "traceroute")
"""The commands that follow a host's name."""

HOST_TOOLS = ("arp", "ifconfig", "ip", "route", "sysctl", "tc")
"""The tools whose commands can follow a host's name in the shell and in topology files."""

NODE_COMMANDS = (*HOST_COMMANDS, "programs", "runtime", "tools")
"""All commands that follow a node's name."""

GROUPS = ("Traffic", "Show", "Watch", "Change", "Session")
"""The headings under which the help lists commands, in this order."""


@dataclass(frozen=True)
class ShellCommand:
    """A command of the shell: its name, its help and the function that runs it.

    Attributes:
        group: the heading under which help lists the command.
        usage: the command with all arguments.
        summary: the command's effect, in one line.
        run: a function of the words after the command's name that returns whether the command
            succeeded.
        details: further help.
        example: an example of the command.
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

"""The command ``why``, which shows where and why packets were dropped."""

from __future__ import annotations

import click

from weir.cli.shell.command import ShellCommand, check_no_arguments
from weir.network import Network


class WhyCommand:
    """The command that shows where a network dropped packets since the last measurement began."""

    def __init__(self, network: Network) -> None:
        self._losses = network._clock.losses
        self._mark = self._losses.mark()
        self._since = "the start"

    def begin(self) -> None:
        """Starts to count drops from 0; called when a measurement begins."""
        self._mark = self._losses.mark()
        self._since = "the last measurement began"

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell command ``why``, by its name."""
        return {
            "why": ShellCommand(
                "Show",
                "why",
                "show where and why packets were dropped",
                self._why,
                "Counts from the start of the last measurement (ping, iperf, traceroute, pingall), and "
                "shows each place and reason with the number of packets, and the tables that missed. "
                "trace SWITCH shows what happens to single packets.",
            )
        }

    def _why(self, args: list[str]) -> bool:
        check_no_arguments("why", args)
        lines = self._losses.since(self._mark).lines()
        if not lines:
            click.echo(f"no packet was dropped since {self._since}")
        for line in lines:
            click.echo(f"{line[0].upper()}{line[1:]}" if line.startswith("the ") else line)
        return True

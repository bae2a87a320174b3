"""``weir run``: a topology that runs a P4 program, with a prompt for commands."""

from __future__ import annotations

import sys
from typing import Any

import click

from weir.cli.network_options import NetworkCommand, exit_code, network_options, open_network


@click.command(
    "run",
    cls=NetworkCommand,
    short_help="Run a topology, and commands on it.",
    epilog="""\b
Examples:
  weir run topology.json --p4 router.p4
  weir run topology.json --p4 router.p4 -c "h1 ping -c 3 h2" -c pingall --pcap captures""",
)
@click.argument("topology", metavar="TOPOLOGY", type=click.Path())
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help='Run a command, such as "h1 ping h2", instead of the prompt. May be repeated.',
)
@network_options
def command(commands: tuple[str, ...], **given: Any) -> int:
    """Run a topology in virtual time.

    Without -c, commands are read from a prompt, or from standard input.
    """
    from weir.cli.shell import Shell

    with open_network(given) as network:
        shell = Shell(network)
        if commands:
            return exit_code(network, shell.run_all(commands))
        if sys.stdin.isatty():
            from weir.cli.prompt import read_commands

            read_commands(shell)
            return exit_code(network, True)
        return exit_code(network, shell.run_all(sys.stdin))

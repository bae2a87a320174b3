"""``weir run``: a topology running a P4 program, to type commands to."""

from __future__ import annotations

import sys

import click

from weir.cli.app import define_option, executor_option, include_option, read_defines
from weir.cli.text import colour


@click.command(
    "run",
    short_help="Run a topology, with commands to it.",
    epilog="""\b
Examples:
  weir run topology.json --p4 router.p4
  weir run topology.json --p4 router.p4 -c "h1 ping -c 3 h2" -c pingall --pcap captures""",
)
@click.argument("topology", metavar="TOPOLOGY.json")
@click.option("--p4", metavar="FILE.p4", help="The program of the switches that name none of their own.")
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help='Run a command, such as "h1 ping h2", and end. May be given several times.',
)
@click.option("--pcap", metavar="DIR", help="Write a capture (pcapng) of each link into this folder.")
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Where randomness begins.",
)
@click.option(
    "--profile", metavar="NAME", default="default", show_default=True, help="The switches' timing profile."
)
@executor_option
@include_option
@define_option
def command(
    topology: str,
    p4: str | None,
    commands: tuple[str, ...],
    pcap: str | None,
    seed: int,
    profile: str,
    executor: str | None,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> int:
    """Run a topology in virtual time. Without -c, commands are read from a prompt, or from standard input."""
    from weir.cli.shell import Shell
    from weir.network import Network
    from weir.program import compile
    from weir.topology import Topology

    described = Topology.load(topology)
    macros = read_defines(define)
    program = (
        None if p4 is None else compile(p4, include, macros, executor=executor, colour=colour(sys.stderr))
    )
    with Network(
        described, program, seed=seed, profile=profile, pcap=pcap, include=include, executor=executor
    ) as network:
        shell = Shell(network)
        if commands:
            return 0 if shell.run_all(commands) else 1
        if sys.stdin.isatty():
            from weir.cli.prompt import read_commands

            read_commands(shell)
            return 0
        return 0 if shell.run_all(sys.stdin) else 1

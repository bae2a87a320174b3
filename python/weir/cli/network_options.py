"""The options of commands that run a network, and the network that they describe."""

from __future__ import annotations

import sys
from typing import Any

import click

from weir.cli.app import define_option, executor_option, include_option, read_defines
from weir.cli.text import colour, error
from weir.network import Network
from weir.program import compile
from weir.topology import Topology

_OPTIONS = (
    click.option(
        "--p4",
        metavar="FILE.p4",
        type=click.Path(),
        help="The program of switches for which the topology names none.",
    ),
    click.option(
        "--pcap",
        metavar="DIR",
        type=click.Path(),
        help="Write a capture (pcapng) of each link into this folder.",
    ),
    click.option(
        "--seed", type=int, default=1, show_default=True, metavar="N", help="The seed of all randomness."
    ),
    click.option(
        "--profile",
        metavar="NAME",
        default="default",
        show_default=True,
        help="The switches' timing profile.",
    ),
    click.option(
        "--strict", is_flag=True, help="Do not start if a command fails in a file that the topology names."
    ),
    executor_option,
    include_option,
    define_option,
)

_NAMES = ("topology", "p4", "pcap", "seed", "profile", "strict", "executor", "include", "define")


def network_options(command: Any) -> Any:
    """Adds the options of commands that take a ``TOPOLOGY.json``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_network(given: dict[str, Any]) -> Network:
    """The network that ``topology`` and the network options describe.

    Removes them from ``given``. Reports runtime commands that failed in the files that the topology
    names; :func:`exit_code` accounts for them.
    """
    topology, p4, pcap, seed, profile, strict, executor, include, define = (
        given.pop(name) for name in _NAMES
    )
    described, macros = Topology.load(topology), read_defines(define)
    program = p4 and compile(p4, include, macros, executor=executor, colour=colour(sys.stderr))
    network = Network(
        described,
        program,
        seed=seed,
        profile=profile,
        pcap=pcap,
        include=include,
        executor=executor,
        strict=strict,
    )
    for problem in network.command_errors:
        error(str(problem))
    return network


def exit_code(network: Network, done: bool) -> int:
    """The exit code of a command that runs a network.

    It is 0 if the command succeeded and no file of commands had a mistake.
    """
    return 0 if done and not network.command_errors else 1

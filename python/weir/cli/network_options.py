"""The options of commands that run a network, and the network that they describe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from weir.cli.group import define_option, executor_option, include_option, read_defines
from weir.cli.output_file import Output
from weir.cli.text import colour, error, show_warnings, warning
from weir.errors import NetworkError
from weir.files import is_there
from weir.network import NOISES, WORLDS, Network
from weir.network.build import usual_program
from weir.program import compile
from weir.text.suggest import listing
from weir.topology import Topology, shapes

if TYPE_CHECKING:
    from weir.host import Host
    from weir.p4runtime import ServerOptions

shape_option = click.option(
    "--shape",
    metavar="NAME:SIZES",
    expose_value=False,
    help="A generated topology instead of a file, such as dumbbell:4 or leaf_spine:4,2,hosts=8,rate=10Mbit.",
)
"""Adds ``--shape``, for commands whose first argument is a topology."""

_OPTIONS = (
    shape_option,
    click.option(
        "--p4",
        metavar="FILE.p4",
        type=click.Path(),
        help="The program of switches for which the topology names none: a P4 file, p4c's JSON, or router, l2_switch or delay_line.",
    ),
    click.option(
        "--world",
        type=click.Choice(WORLDS),
        default="virtual",
        show_default=True,
        help="Simulated hosts on a virtual clock, or Linux network namespaces on this machine that run any program.",
    ),
    click.option(
        "--as-root",
        is_flag=True,
        help="With --world linux, by root: give programs of hosts root's rights on this machine; otherwise they run in a user namespace.",
    ),
    click.option(
        "--pcap",
        metavar="DIR",
        type=Output(),
        help="Write a capture (pcapng) of each link into this folder.",
    ),
    click.option(
        "--seed",
        type=int,
        default=1,
        show_default=True,
        metavar="N",
        help="The seed of all random numbers; see --noise.",
    ),
    click.option(
        "--profile",
        metavar="NAME",
        default="default",
        show_default=True,
        help="The switches' timing profile.",
    ),
    click.option(
        "--computer",
        metavar="NAME|FILE.json",
        help="The computer whose processors all switches and hosts share; by default each has its own time.",
    ),
    click.option(
        "--noise",
        type=click.Choice(list(NOISES)),
        default="none",
        show_default=True,
        help="Random delays in hosts. Without noise and random effects of links and programs, every seed gives the same result.",
    ),
    click.option(
        "--progress/--no-progress",
        "progress",
        default=None,
        help="For long calls, show virtual time, real time and speed on standard error.  [default: on a terminal]",
    ),
    click.option(
        "--strict", is_flag=True, help="Do not start if a command in a file that the topology names fails."
    ),
    executor_option,
    include_option,
    define_option,
)

_USUAL = {
    "l2_switch": "l2_switch, a switch that learns addresses and comes with Weir",
    "router": "router, a program that comes with Weir, with routes to all hosts",
}
"""How a note describes the programs of switches that the topology gives none."""

_NAMES = (
    "topology",
    "p4",
    "world",
    "as_root",
    "pcap",
    "seed",
    "profile",
    "computer",
    "noise",
    "progress",
    "strict",
    "executor",
    "include",
    "define",
)


class NetworkCommand(click.Command):
    """A command whose first argument is a topology: a file, a shape, or ``--shape`` instead."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts the shape of ``--shape`` where the topology is expected."""
        for place, arg in enumerate(args):
            name, equals, shape = arg.partition("=")
            if arg == "--":
                break
            if name == "--shape" and (equals or place + 1 < len(args)):
                used = 1 if equals else 2
                shape = shape if equals else args[place + 1]
                return super().parse_args(ctx, [shape, *args[:place], *args[place + used :]])
        return super().parse_args(ctx, args)


def network_options(command: Any) -> Any:
    """Adds the options of commands that take a topology."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_network(
    given: dict[str, Any], free: tuple[str, int] | None = None, p4runtime: bool | ServerOptions = False
) -> Network:
    """The network that ``topology`` and the network options describe.

    Removes them from ``given``. Reports runtime commands that failed in the files that the topology
    names; :func:`exit_code` accounts for them.

    Args:
        given: the options.
        free: a host and a UDP port: programs of the topology that use this port are not started.
        p4runtime: how controllers reach the switches; None if they cannot.
    """
    (
        topology,
        p4,
        world,
        as_root,
        pcap,
        seed,
        profile,
        computer,
        noise,
        progress,
        strict,
        executor,
        include,
        define,
    ) = (given.pop(name) for name in _NAMES)
    show_warnings()
    if define and not p4:
        raise click.UsageError("-D is for the program of --p4, which is not given")
    if as_root and world != "linux":
        raise click.UsageError("--as-root is for --world linux: the virtual world runs no programs")
    described, macros = read_topology(topology), read_defines(define)
    if free is not None and free[0] in described.hosts:
        host = described.hosts[free[0]]
        host.programs = [one for one in host.programs if free[1] not in one.udp]
    program = p4 and compile(p4, include, macros, executor=executor, colour=colour(sys.stderr))
    own = {switch.name: switch.p4 for switch in described.switches.values() if switch.p4 is not None}
    if p4 and 0 < len(own) < len(described.switches):
        named = ", ".join(f"{name} ({path})" for name, path in own.items())
        warning(f"--p4 {p4} does not apply to switches whose program the topology names: {named}")
    network = Network(
        described,
        program,
        world=world,
        as_root=as_root or None,
        p4runtime=p4runtime,
        seed=seed,
        profile=profile,
        computer=computer,
        pcap=pcap,
        include=include,
        executor=executor,
        strict=strict,
        noise=noise,
        progress=sys.stderr.isatty() if progress is None else progress,
    )
    for problem in network.command_errors:
        error(str(problem))
    if not p4:
        _report_usual_program(network)
    return network


def _report_usual_program(network: Network) -> None:
    """Says on standard error which program runs on switches without one of their own."""
    without = [name for name, switch in network.topology.switches.items() if switch.p4 is None]
    if not without or not all(network.switch(name).has_program for name in without):
        # A controller will send the program.
        return
    name = usual_program(network.topology)
    sys.stdout.flush()
    click.echo(
        f"note: {listing(without)} {'runs' if len(without) == 1 else 'run'} {_USUAL[name]}; "
        "--p4 FILE.p4 chooses another",
        err=True,
    )


def sending_host(network: Network, source: str, target: str) -> Host:
    """The host that sends to a target. Neither may be a switch.

    Raises:
        NetworkError: the source is not a host, or one of them is a switch.
    """
    hosts = [host.name for host in network.hosts]
    for name in (source, target):
        if name in network.topology.switches and name not in hosts:
            raise NetworkError(
                f'"{name}" is a switch, and only hosts send and answer: there are {listing(hosts)}'
                if hosts
                else f'"{name}" is a switch, and only hosts send and answer: this topology has no hosts'
            )
    return network.host(source)


def read_topology(text: str) -> Topology:
    """The topology of a file, or the shape that the text describes.

    Settings of the file that have no effect are reported on standard error.
    """
    is_shape = shapes.is_shape(text) and not is_there(text)
    topology = shapes.from_text(text) if is_shape else Topology.load(text)
    for note in topology.notes:
        click.echo(f"{topology.file}: note: {note}", err=True)
    return topology


def exit_code(network: Network, done: bool) -> int:
    """The exit code of a command that runs a network.

    It is 0 if the command succeeded and no file of commands had a mistake.
    """
    return 0 if done and not network.command_errors else 1

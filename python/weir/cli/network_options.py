"""Options of commands that run a network, and the functions that build the network from them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weir.cli.files import Input, Output, keep_inputs
from weir.cli.group import complete_from, define_option, executor_option, include_option, read_defines
from weir.cli.numbers import AnyWhole
from weir.cli.text import colour, error, show_warnings, warning
from weir.errors import CommandError, NetworkError, WeirError
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
    shell_complete=complete_from(lambda: [f"{name}:" for name in shapes.SHAPES]),
    help="A generated topology instead of a file, such as dumbbell:4 or leaf_spine:4,2,hosts=8,rate=10Mbit.",
)
"""A decorator that adds ``--shape`` to commands whose first argument is a topology."""

_OPTIONS = (
    shape_option,
    click.option(
        "--p4",
        metavar="FILE.p4",
        type=Input(),
        help="The program for switches without a program in the topology: a P4 file, p4c's JSON, or router, l2_switch or delay_line.",
    ),
    click.option(
        "--world",
        type=click.Choice(WORLDS),
        default="virtual",
        show_default=True,
        help="virtual: simulated hosts with a virtual clock; linux: Linux network namespaces on this machine, which run any program.",
    ),
    click.option(
        "--as-root",
        is_flag=True,
        help="With --world linux, if root runs the command: run host programs with root's rights on this machine, not in a user namespace.",
    ),
    click.option(
        "--pcap",
        metavar="DIR",
        type=Output(),
        help="Write a capture (pcapng) of each link to this folder.",
    ),
    click.option(
        "--seed",
        type=AnyWhole(),
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
        type=Input(),
        help="Model a computer whose processors all switches and hosts share.  [default: none]",
    ),
    click.option(
        "--noise",
        type=click.Choice(list(NOISES)),
        default="none",
        show_default=True,
        help="Random delays in hosts. With none, every seed gives the same result unless links or programs have random effects.",
    ),
    click.option(
        "--progress/--no-progress",
        "progress",
        default=None,
        help="Show virtual time, real time and speed of long runs on standard error.  [default: on a terminal]",
    ),
    click.option(
        "--strict", is_flag=True, help="Stop if a command fails in one of the topology's command files."
    ),
    executor_option,
    include_option,
    define_option,
)

_DEFAULT_PROGRAMS = {
    "l2_switch": "l2_switch, a switch that learns addresses and comes with Weir",
    "router": "router, a program that comes with Weir, with routes to all hosts",
}
"""For each default program, its description in the note to the user."""

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


_FIXED: dict[str, Any] = {"world": "virtual", "as_root": False, "pcap": None, "progress": False}
"""The values of the options that commands of the virtual world do not have."""


class NetworkCommand(click.Command):
    """A command whose first argument is a topology file or a shape, or that has the option
    ``--shape`` instead."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses arguments, in which a shape may follow ``--shape``."""
        return super().parse_args(ctx, self._with_shape(ctx, args))

    @staticmethod
    def _with_shape(ctx: click.Context, args: list[str]) -> list[str]:
        """Returns arguments in which the shape of ``--shape`` is the topology argument."""
        for place, arg in enumerate(args):
            name, equals, shape = arg.partition("=")
            if arg == "--":
                break
            if name == "--shape" and (equals or place + 1 < len(args)):
                used = 1 if equals else 2
                shape = shape if equals else args[place + 1]
                if not ctx.resilient_parsing and not shapes.is_shape(shape):
                    # A shape must not be taken for the name of a file.
                    shapes.from_text(shape)
                return [shape, *args[:place], *args[place + used :]]
        return args


def network_options(command: Any) -> Any:
    """Adds the options of commands that take a topology."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def virtual_network_options(command: Any) -> Any:
    """Adds the options of commands that take a topology and run only the virtual world."""
    command = network_options(command)
    command.__click_params__ = [one for one in command.__click_params__ if one.name not in _FIXED]
    return command


def open_network(
    given: dict[str, Any], free: tuple[str, int] | None = None, p4runtime: bool | ServerOptions = False
) -> Network:
    """Creates the network that ``topology`` and the network options describe.

    Removes these options from ``given``. Reports failed runtime commands in the topology's files,
    which :func:`exit_code` takes into account.

    Args:
        given: the command's options.
        free: a host and a UDP port that must stay free; programs of the topology that use this port
            are not started.
        p4runtime: the options of the P4Runtime servers; ``False`` for no servers.
    """
    make, p4 = network_maker(given, free, p4runtime)
    return reported(make(), p4)


def network_maker(
    given: dict[str, Any], free: tuple[str, int] | None = None, p4runtime: bool | ServerOptions = False
) -> tuple[Callable[[], Network], str | None]:
    """Reads the topology and compiles the program for :func:`open_network`, and removes the options
    from ``given``.

    Returns:
        A function that creates the network, and the program of ``--p4``.
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
    ) = (given.pop(name) if name in given else _FIXED[name] for name in _NAMES)
    show_warnings()
    if define and not p4:
        raise click.UsageError("-D is for the program of --p4, which is not given")
    if as_root and world != "linux":
        raise click.UsageError("--as-root is for --world linux: the virtual world runs no programs")
    described, macros = read_topology(topology), read_defines(define)
    keep_inputs(named_files(described))
    if free is not None and free[0] in described.hosts:
        host = described.hosts[free[0]]
        host.programs = [one for one in host.programs if free[1] not in one.udp]
    program = p4 and compile(p4, include, macros, executor=executor, colour=colour(sys.stderr))
    named_programs = {
        switch.name: switch.p4 for switch in described.switches.values() if switch.p4 is not None
    }
    if p4 and 0 < len(named_programs) < len(described.switches):
        programs_text = ", ".join(f"{name} ({path})" for name, path in named_programs.items())
        warning(f"--p4 {p4} does not apply to switches whose program the topology names: {programs_text}")

    def make() -> Network:
        return Network(
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

    return make, p4


def reported(network: Network, p4: str | None) -> Network:
    """Reports failed runtime commands and default programs of a new network, and returns it."""
    try:
        keep_inputs(
            file for switch in network.switches if switch.has_program for file in switch.program.sources
        )
    except CommandError:
        network.close()
        raise
    for problem in network.command_errors:
        error(str(problem))
    if not p4:
        _report_default_program(network)
    return network


def _report_default_program(network: Network) -> None:
    """Prints which default program runs on switches without a program, on standard error."""
    without = [name for name, switch in network.topology.switches.items() if switch.p4 is None]
    if not without or not all(network.switch(name).has_program for name in without):
        # A controller will send the program.
        return
    name = usual_program(network.topology)
    sys.stdout.flush()
    click.echo(
        f"note: {listing(without)} {'runs' if len(without) == 1 else 'run'} {_DEFAULT_PROGRAMS[name]}; "
        "--p4 FILE.p4 chooses another",
        err=True,
    )


def sending_host(network: Network, source: str, target: str) -> Host:
    """Finds the host that sends to a target, and checks that neither of them is a switch.

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
    """Reads a topology from a file, or generates the shape that the text describes.

    Reports settings in the file that have no effect on standard error.
    """
    is_shape = shapes.is_shape(text) and not is_there(text)
    topology = shapes.from_text(text) if is_shape else Topology.load(text)
    for note in topology.notes:
        click.echo(f"{topology.file}: note: {note}", err=True)
    return topology


def named_files(topology: Topology) -> Iterator[Path]:
    """Yields the files that a topology names: programs, entries, commands, a computer."""
    for switch in topology.switches.values():
        for file in (switch.p4, switch.entries, switch.commands):
            if isinstance(file, Path):
                yield file
    for host in topology.hosts.values():
        yield from (Path(program.file) for program in host.programs)
    if topology.computer is not None:
        yield Path(topology.computer)


def complete_host(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Completes the name of a host from the topology that the command line names."""
    text = context.params.get("topology") or ""
    try:
        hosts = (shapes.from_text(text) if shapes.is_shape(text) else Topology.load(text)).hosts
    except WeirError:
        return []
    return [name for name in hosts if name.startswith(incomplete)]


def exit_code(network: Network, done: bool) -> int:
    """Returns the exit code of a command that runs a network.

    The exit code is 0 if the command succeeded and no file of runtime commands had a mistake.
    """
    return 0 if done and not network.command_errors else 1

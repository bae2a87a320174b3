"""``weir topology``: checks topology files, and prints their JSON Schema."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from weir.cli.files import Input
from weir.cli.group import LazyGroup, include_option
from weir.cli.text import colour, coloured_line, error
from weir.errors import FileError, TopologyError
from weir.text.visible import visible_but_colours

if TYPE_CHECKING:
    from weir.topology import Topology


@click.group(
    "topology",
    cls=LazyGroup,
    short_help="Check topology files; print their schema.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir topology check topology.json
  weir topology schema > topology.schema.json""",
)
def command() -> None:
    """Check topology files, and print their JSON Schema."""


@command.command("check", epilog="\b\nExample:\n  weir topology check topology.json")
@click.argument("files", metavar="TOPOLOGY.json...", type=Input(), nargs=-1, required=True)
@include_option
def check(files: tuple[str, ...], include: tuple[str, ...]) -> int:
    """Check topology files.

    Checks names, addresses, quantities, commands and links, and whether the files that a topology
    names exist. Compiles the P4 programs that a topology names, and reports their errors. For each
    valid file, the command prints how many hosts, switches and links it has. The exit code is 1 if
    a file is not valid.
    """
    from weir.topology import Topology
    from weir.topology.programs import check_program

    failed = False
    for file in files:
        try:
            topology = Topology.load(file)
            for name, host in topology.hosts.items():
                for program in host.programs:
                    check_program(name, program)
            valid = _programs_are_valid(topology, include)
        except (FileError, TopologyError) as problem:
            error(str(problem))
            valid = False
        if not valid:
            failed = True
            continue
        numbers = (
            f"hosts: {len(topology.hosts)}, switches: {len(topology.switches)}, links: {len(topology.links)}"
        )
        click.echo(f"{file} is valid ({numbers})")
        for note in topology.notes:
            click.echo(f"{file}: note: {note}", err=True)
        linked = {end.node for link in topology.links for end in (link.a, link.b)}
        for name in (*topology.hosts, *topology.switches):
            if name not in linked:
                click.echo(f"{file}: note: no link is connected to {name}", err=True)
    return int(failed)


def _programs_are_valid(topology: Topology, include: tuple[str, ...]) -> bool:
    """Checks the switches' P4 programs, and prints their errors; returns whether all programs are
    valid."""
    from weir.program import check

    paths = dict.fromkeys(switch.p4 for switch in topology.switches.values() if switch.p4 is not None)
    errors = [
        diagnostic
        for path in paths
        for diagnostic in check(path, include, colour=colour(sys.stderr))
        if diagnostic.severity == "error"
    ]
    if errors:
        text = "\n\n".join(diagnostic.rendered.rstrip("\n") for diagnostic in errors)
        coloured_line(visible_but_colours(text), err=True)
    return not errors


@command.command("schema", epilog="\b\nExample:\n  weir topology schema > topology.schema.json")
def schema() -> None:
    """Print the JSON Schema of topology files, for editors.

    Editors use the schema if a topology has "$schema": "topology.schema.json", or if their settings
    name the schema.
    """
    from importlib.resources import files

    text = (files("weir.topology") / "topology.schema.json").read_text(encoding="utf-8")
    click.echo(text, nl=False)

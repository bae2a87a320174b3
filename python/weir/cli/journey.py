"""How the command writes journeys: trees, with colours on a terminal."""

from __future__ import annotations

import shutil
import sys

import click

from weir.cli import text
from weir.stf.pattern import grouped
from weir.trace.journey import Journey
from weir.trace.show import Line, lines, plain, rich_lines
from weir.trace.tree import tree, without
from weir.trace.ways import shared


def echo(journey: Journey, usual: Journey | None = None, indent: str = "", most: int | None = None) -> None:
    """Writes a journey's tree, or its first lines; of one that begins as the usual one, what is different."""
    node = tree(journey)
    if usual is not None:
        node = without(node, shared(journey, usual)) or node
    shown = lines(node)
    echo_lines(shown[:most], indent)
    if most is not None and len(shown) > most:
        click.echo(f"{indent}… {len(shown) - most} more lines")


def echo_lines(shown: list[Line], indent: str = "") -> None:
    """Writes lines of a tree."""
    if not text.colour(sys.stdout):
        for line in plain(shown):
            click.echo(f"{indent}{line}")
        return
    from rich.console import Console

    width = shutil.get_terminal_size().columns
    console = Console(width=width, highlight=False, emoji=False, markup=False)
    for shown_line in rich_lines(shown, width - len(indent)):
        console.print(indent, shown_line, sep="", soft_wrap=True)


def echo_outputs(journey: Journey) -> None:
    """Writes what came out."""
    for output in journey.outputs:
        click.echo(f"out of port {output.port}: {grouped(output.packet.hex())}")
    if not journey.outputs and journey.ended:
        click.echo("nothing came out")

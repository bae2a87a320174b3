"""Prints packet traces as trees, with colours on a terminal."""

from __future__ import annotations

import shutil
import sys

import click

from weir._core import group_hex
from weir.cli import text
from weir.trace.journey import Journey
from weir.trace.paths import shared_steps
from weir.trace.step_tree import tree, without_steps
from weir.trace.tree_lines import Line, lines, plain_text, rich_lines


def echo(
    journey: Journey, default: Journey | None = None, indent: str = "", maximum: int | None = None
) -> None:
    """Prints the tree of a trace, or its first ``maximum`` lines.

    If ``default`` is given, writes only the differences from that trace.
    """
    node = tree(journey)
    if default is not None:
        node = without_steps(node, shared_steps(journey, default)) or node
    text_lines = lines(node)
    echo_lines(text_lines[:maximum], indent)
    if maximum is not None and len(text_lines) > maximum:
        click.echo(f"{indent}… {len(text_lines) - maximum} more lines")


def echo_lines(tree_lines: list[Line], indent: str = "") -> None:
    """Prints lines of a tree, with colours on a terminal."""
    if not text.colour(sys.stdout):
        for line in plain_text(tree_lines):
            click.echo(f"{indent}{line}")
        return
    from weir.display.terminal import VisibleConsole

    width = shutil.get_terminal_size().columns
    console = VisibleConsole(width=width)
    for shown_line in rich_lines(tree_lines, width - len(indent)):
        console.print(indent, shown_line, sep="", soft_wrap=True)


def echo_outputs(journey: Journey) -> None:
    """Prints the output packets of a trace."""
    for output in journey.outputs:
        click.echo(f"out of port {output.port}: {group_hex(output.packet.hex())}")
    if not journey.outputs and journey.ended:
        click.echo("no packet left the switch")

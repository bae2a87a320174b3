"""How the command writes: errors, headings and tables, in colour on a terminal and plain elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import click


def colour(stream: TextIO) -> bool:
    """Whether to write colours: on a terminal, unless ``NO_COLOR`` is set (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def error(message: str) -> None:
    """Writes an error on standard error, after ``error:`` unless it is a compiler's that says so itself."""
    sys.stdout.flush()
    compiled = click.unstyle(message).startswith(("error", "warning"))
    prefix = "" if compiled else click.style("error: ", fg="red", bold=True)
    click.echo(prefix + message, err=True, color=colour(sys.stderr))


def heading(text: str) -> None:
    """Writes a line that stands out on a terminal."""
    click.echo(click.style(text, bold=True), color=colour(sys.stdout))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes rows in columns that line up."""
    cells = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in [list(titles), *cells]) for i in range(len(titles))]
    heading(_line(titles, widths))
    for row in cells:
        click.echo(_line(row, widths))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

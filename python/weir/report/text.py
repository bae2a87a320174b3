"""Formats tables as lines of text, for terminals and pipes."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from weir.report.page import Table


def table_lines(table: Table) -> list[str]:
    """Formats a table as lines, with words aligned to the left and numbers to the right."""
    grid = [list(table.head), *(list(row) for row in table.rows)]
    widths = [max(len(row[column]) for row in grid) for column in range(len(table.head))]
    return ["  ".join(_aligned_cells(table, row, widths)).rstrip() for row in grid]


def print_table(console: Console, table: Table) -> None:
    """Prints a table, with a bold head if possible.

    Lines are never wrapped or truncated.
    """
    head, *rows = table_lines(table)
    console.print(Text(head, style="bold"), soft_wrap=True)
    for row in rows:
        console.print(Text(row), soft_wrap=True)


def _aligned_cells(table: Table, row: list[str], widths: list[int]) -> list[str]:
    return [
        cell.ljust(width) if column in table.words else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]

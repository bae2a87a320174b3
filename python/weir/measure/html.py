"""Results of measurements in notebooks: key figures, a small picture, the first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.display.markup import MAX_ROWS, details, escape, grid, shown
from weir.display.spark import spark

if TYPE_CHECKING:
    from weir.measure.table import Table


def result_html(result: Table) -> str:
    """A result as HTML."""
    title, *lines = str(result).splitlines()
    parts = [f"<div>{escape(line)}</div>" for line in lines]
    course = result._spark
    if course is not None:
        name, unit = course.name.replace("_", " "), {"mbps": "Mbit/s"}.get(course.unit, course.unit)
        parts.append(spark(course.times_s, course.values, "s", unit, f"{name} over time"))
    return shown(title, *parts, _rows(result))


def _rows(result: Table) -> str:
    """The first rows, folded."""
    columns = result.columns()
    total = len(columns[0].values) if columns else 0
    if total == 0:
        return ""
    words = [number for number, column in enumerate(columns) if column.kind in ("text", "bool", "bytes")]
    rows = zip(*([_text(cell) for cell in column.values[:MAX_ROWS]] for column in columns), strict=True)
    title = f"{total:,} row{'' if total == 1 else 's'}"
    return details(title, grid([column.name for column in columns], rows, words, total))


def _text(cell: object) -> str | None:
    if cell is None:
        return None
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)

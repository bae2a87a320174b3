"""Shows results of measurements in notebooks: key figures, a small picture, the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weir.display.markup import MAX_ROWS, details, escape, grid, titled_output
from weir.display.sparkline import sparkline
from weir.files.columns import Column


class PlottedSeries(Protocol):
    """The values over time that a small picture shows, such as those of a :class:`weir.Series`."""

    @property
    def name(self) -> str:
        """The name of the values."""

    @property
    def unit(self) -> str:
        """The unit in which the values are given."""

    @property
    def times_s(self) -> Sequence[float]:
        """The times of the values in seconds."""

    @property
    def values(self) -> Sequence[float]:
        """A value for each time."""


def result_html(text: str, columns: Sequence[Column], course: PlottedSeries | None) -> str:
    """Converts a result to HTML.

    Args:
        text: the result in lines of text, the title first.
        columns: the rows of the result, as columns.
        course: the values in the small picture; ``None`` for no picture.
    """
    title, *lines = text.splitlines()
    parts = [f"<div>{escape(line)}</div>" for line in lines]
    if course is not None:
        name, unit = course.name.replace("_", " "), {"mbps": "Mbit/s"}.get(course.unit, course.unit)
        parts.append(sparkline(course.times_s, course.values, "s", unit, f"{name} over time"))
    return titled_output(title, *parts, _rows(columns))


def _rows(columns: Sequence[Column]) -> str:
    """Renders the first rows as HTML that can be unfolded."""
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

"""A report as a self-contained HTML file with styles, pictures, and a script that sorts tables."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from weir.display.topology import Drawing, topology_svg
from weir.report.dark import follow_colour_scheme
from weir.report.plot import Plot
from weir.report.template import write_from_template
from weir.text.measured import interval, measured
from weir.text.visible import visible
from weir.topology import Topology
from weir.topology.drawing import drawing

_MIN_CONTENTS: Final = 4
"""The minimum number of sections of a report that has a list of contents."""


@dataclass(frozen=True)
class Table:
    """A table of strings.

    Attributes:
        head: the columns' names.
        rows: the cells, each row as long as the head.
        caption: a sentence that says what the table shows.
        words: the columns (from 0) that contain words; all others contain numbers and are aligned
            to the right.
        marked: the numbers of the highlighted columns.
        prose: whether cells are sentences, which may be wrapped.
        folded: whether only the caption is shown until the reader opens the table.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: Sequence[int] = ()
    marked: Sequence[int] = ()
    prose: bool = False
    folded: bool = False

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Mapping[str, Any]],
        columns: Sequence[tuple[str, str | Callable[[Mapping[str, Any]], str]] | tuple[str, str, int | str]],
        caption: str = "",
        *,
        words: Sequence[int] = (),
        marked: Sequence[int] = (),
    ) -> Table:
        """Creates a table from rows with values by name.

        Args:
            rows: the values of each row, as in ``frame.iter_rows(named=True)``.
            columns: for each column, its name in the head and the content of its cells: the name of
                a value; a function from the row to the cell; or the name of a number with its
                decimals, as in :func:`decimal`, or with a format such as ``"g"``. If the row has
                half of the number's confidence interval as ``NAME_half``, the number has the digits
                of :func:`measured`; a column ``NAME_half`` shows it.
            caption: see :class:`Table`, like ``words`` and ``marked``.
        """
        all_rows = list(rows)
        cells = [[_cell(row, *column[1:]) for column in columns] for row in all_rows]
        table = cls([column[0] for column in columns], cells, caption, words, marked)
        return table.by_repetition(row.get("repetition") for row in all_rows)

    def by_repetition(self, repetitions: Iterable[int | None]) -> Table:
        """Returns the table with a column that numbers the repetitions of runs from 1, if there are
        several; without it, rows of repetitions would look alike.

        Args:
            repetitions: the repetition of each row, from 0; ``None`` for a row that is not a single
                run.
        """
        numbers = list(repetitions)
        if not any(numbers):
            return self
        rows = [
            [*row, "–" if number is None else f"{number + 1}"]
            for row, number in zip(self.rows, numbers, strict=True)
        ]
        return replace(self, head=[*self.head, "repetition"], rows=rows)

    def fold(self, caption: str) -> Table:
        """Returns the table folded: only its caption is shown until the reader opens it."""
        return replace(self, caption=caption, folded=True)


def _cell(
    row: Mapping[str, Any], value: str | Callable[[Mapping[str, Any]], str], form: int | str = ""
) -> str:
    if callable(value):
        return value(row)
    if not isinstance(form, int):
        return format(row[value], form)
    return (
        interval(row[value])
        if value.endswith("_half")
        else measured(row[value], row.get(f"{value}_half"), form)
    )


@dataclass(frozen=True)
class Figure:
    """A plot with a caption, which is also its alternative text."""

    plot: Plot
    caption: str
    wide: bool = False

    @property
    def source(self) -> str:
        """The picture as a data URL, with a light and a dark scheme."""
        picture = visible(follow_colour_scheme(self.plot.svg.read_text(encoding="utf-8")))
        return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A heading with, in this order: paragraphs, figures, tables, notes.

    A figure with an empty plot is left out, and a note gives the reason. A table without rows is
    left out.

    Attributes:
        title: the heading.
        paragraphs: the text above the figures.
        tables: the tables.
        figures: the figures.
        notes: remarks, at the end.
        folded: whether only the heading is shown until the reader opens the section.
    """

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    notes: Sequence[str] = ()
    folded: bool = False

    @property
    def shown_figures(self) -> list[Figure]:
        """The figures whose plots are not empty."""
        return [figure for figure in self.figures if not figure.plot.empty]

    @property
    def shown_tables(self) -> list[Table]:
        """The tables that have rows."""
        return [table for table in self.tables if table.rows]

    @property
    def is_empty(self) -> bool:
        """Whether there is only a heading, because all tables are empty."""
        return bool(self.tables) and not (
            self.paragraphs or self.shown_tables or self.shown_figures or self.all_notes
        )

    @property
    def all_notes(self) -> list[str]:
        """The notes, including the reasons why figures are left out."""
        empty = [figure for figure in self.figures if figure.plot.empty]
        return [*self.notes, *(f"No figure, because {one.plot.empty}: {one.caption}" for one in empty)]


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes:
        title: the question.
        answer: the answer, in a sentence or two.
        facts: the settings, as names and values.
        sections: the details.
        network: a topology to draw below the facts, or the drawing itself.
        network_note: a sentence that describes the drawing.
        footer: instructions to reproduce the report.
    """

    title: str
    answer: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section] = field(default=())
    network: Topology | Drawing | None = None
    network_note: str = ""
    footer: str = ""

    @property
    def shown_sections(self) -> list[Section]:
        """The sections that have a content."""
        return [section for section in self.sections if not section.is_empty]

    @property
    def drawing(self) -> str:
        """The drawing of the network as SVG; empty if the report has no network."""
        if self.network is None:
            return ""
        if isinstance(self.network, Drawing):
            return topology_svg(self.network)
        return topology_svg(drawing(self.network.hosts, self.network.switches, self.network.links))

    def write(self, path: Path, *, follow: bool = False) -> None:
        """Writes the report to a file; the same report gives the same bytes.

        Args:
            path: the file.
            follow: whether a user has typed the path, so that links are followed. Otherwise, the
                report replaces a link.
        """
        write_from_template(
            "page.html", path, follow=follow, page=self, contents=len(self.sections) >= _MIN_CONTENTS
        )

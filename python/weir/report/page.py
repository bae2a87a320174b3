"""A report as one HTML file with nothing outside it: styles and pictures are inside, scripts there are none."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from weir.report.plot import Plot


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        head: the columns' names.
        rows: the cells, each row as long as the head.
        caption: what it shows, in a sentence.
        words: the columns (from 0) that hold words; all others hold numbers and stand to the right.
        marked: the columns that stand out.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: Sequence[int] = ()
    marked: Sequence[int] = ()


@dataclass(frozen=True)
class Figure:
    """A plot with what it says in words, which is also its text for those who cannot see it."""

    plot: Plot
    caption: str
    wide: bool = False

    @property
    def source(self) -> str:
        """The picture as an address that holds the picture."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.plot.svg.read_bytes()).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, in this order: paragraphs, tables, figures, notes."""

    title: str
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """A report.

    Attributes:
        title: what was asked.
        answer: what was found, in a sentence or two.
        facts: what it was found with, as names and values.
        sections: the rest.
        footer: how to get the same again.
    """

    title: str
    answer: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section] = field(default=())
    footer: str = ""

    def write(self, path: Path) -> None:
        """Writes the page; the same page is the same bytes."""
        environment = Environment(
            loader=PackageLoader("weir.report", "."),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        path.write_text(environment.get_template("page.html").render(page=self) + "\n", encoding="utf-8")

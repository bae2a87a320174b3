"""A page that leads to reports: for each, its question, answer and first figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.report.page import Figure
from weir.report.template import write_from_template


@dataclass(frozen=True)
class Entry:
    """A report on the page.

    Attributes:
        title: its question.
        link: its address, relative to the page; empty if there is no report.
        answer: its answer.
        figure: its first figure.
        wrong: what failed.
        notes: further sentences.
    """

    title: str
    link: str = ""
    answer: str = ""
    figure: Figure | None = None
    wrong: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Group:
    """Reports that belong together."""

    title: str
    entries: Sequence[Entry]


@dataclass(frozen=True)
class Index:
    """A page that leads to reports.

    Attributes:
        title: its title.
        summary: how many reports there are.
        groups: the reports.
        footer: how to make them again.
    """

    title: str
    summary: str
    groups: Sequence[Group]
    footer: str = ""

    def write(self, path: Path) -> None:
        """Writes the page; the same reports give the same bytes."""
        write_from_template("index.html", path, index=self)

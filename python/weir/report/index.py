"""A page with links to reports, which shows the question, answer and first figure of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.report.page import Figure
from weir.report.template import write_from_template


@dataclass(frozen=True)
class Entry:
    """A report to which the page links.

    Attributes:
        title: the report's question.
        link: the report's address relative to the page; empty if there is no report.
        answer: the report's answer.
        figure: the report's first figure.
        wrong: the description of a failure.
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
    """A group of reports that belong together."""

    title: str
    entries: Sequence[Entry]


@dataclass(frozen=True)
class Index:
    """A page with links to reports.

    Attributes:
        title: the page's title.
        summary: a sentence with the number of reports.
        groups: the reports.
        footer: instructions to reproduce the reports.
    """

    title: str
    summary: str
    groups: Sequence[Group]
    footer: str = ""

    def write(self, path: Path) -> None:
        """Writes the page to a file; the same reports give the same bytes."""
        write_from_template("index.html", path, index=self)

"""The catalogue of diagnostics: the meaning of each id, with a wrong and a right example."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

KINDS = {
    "preprocessor": "Preprocessor",
    "syntax": "Syntax",
    "check": "Names, types and rules",
    "compile": "Compilation",
    "load": "Loading into an architecture",
    "warning": "Warnings: valid, but often a mistake",
    "portability": "Other switches (`weir check --target`)",
}
"""The kinds of findings, in the order of the compiler's stages."""


@dataclass(frozen=True)
class Page:
    """The page of an id in the catalogue.

    Attributes:
        id: the finding's stable name.
        kind: a key of :data:`KINDS`.
        summary: the meaning of the id in one sentence.
        text: the whole page, as Markdown.
    """

    id: str
    kind: str
    summary: str
    text: str


def _folder() -> Path:
    return Path(__file__).parents[1] / "diagnostics"


@cache
def ids() -> tuple[str, ...]:
    """Returns the ids of all diagnostics, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.md")))


def page(id: str) -> Page | None:
    """Finds the page of an id; returns ``None`` if there is none."""
    if id not in ids():
        return None
    text = (_folder() / f"{id}.md").read_text(encoding="utf-8")
    # The third line of a page has the kind and, after a colon, one sentence.
    kind, _, summary = text.splitlines()[2].strip("*").partition(": ")
    return Page(id, kind.split()[0].lower(), summary, text)


def pages() -> list[Page]:
    """Returns all pages of the catalogue, by kind in the compiler's order, then by id."""
    order = list(KINDS)
    known_pages = [one for id in ids() if (one := page(id))]
    return sorted(known_pages, key=lambda one: (order.index(one.kind), one.id))

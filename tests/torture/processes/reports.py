"""Reports and pictures whose words are HTML, paths or control characters."""

from __future__ import annotations

import random
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from torture.case import Case, Failed
from weir.errors import WeirError
from weir.measure import Series
from weir.report.page import Page, Section, Table

_WORDS = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><script>", "</table>", "&lt;script&gt;", "{{ 7 * 7 }}", "{% raw %}", "$x^2$",
    "$\\frac{", "\\", "../../x", "\x00", "\x1b[31m", "\ud800", "é", "\u202e", "x" * 5000, "", "'", "<!--", "]]>", "javascript:alert(1)",
]  # fmt: skip


class _Active(HTMLParser):
    """The active parts of a page: scripts, and elements and attributes that run or load
    something."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self._script = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records elements and attributes."""
        self._script = tag == "script"
        if tag in ("script", "img", "iframe", "object"):
            self.found.append(f"{tag} {attrs}")
        self.found += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        """Records the text of scripts."""
        if self._script:
            self.found.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Ends a script."""
        self._script = False


def _page(words: list[str]) -> Page:
    """A page with a table of these twelve words."""
    a, b, c, d, e, f, g, h, i, j, k, m = words
    table = Table([a, b], [[c, d], [e, f]], caption=g)
    section = Section(h, paragraphs=[i], tables=[table], notes=[j])
    return Page(k, m, [(a, b)], [section], footer=c)


def reports(chance: random.Random) -> Case:
    """A report and a plot made of hostile words."""
    words = [chance.choice(_WORDS) for _ in range(12)]

    def run(folder: Path) -> str:
        outcome = "done"
        _page(["word"] * 12).write(folder / "harmless.html")
        try:
            _page(words).write(folder / "report.html")
        except WeirError:  # a lone surrogate, which no text file can have
            outcome = "refused"
            if (folder / "report.html").exists():
                raise Failed("half a report is left") from None
        else:
            elements = _Active(folder / "report.html").found
            if elements != _Active(folder / "harmless.html").found:
                raise Failed(f"the report has {elements}")
        if words[0] != "\ud800":
            Series("x", "y", [0, 1], [1, 2]).plot(folder / "a.svg", title=words[0])
            names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(folder / "a.svg").iter()}
            if names & {"script", "img", "foreignObject"}:
                raise Failed(f"the picture has {names}")
        return outcome

    return Case("reports", run, {"words.txt": repr(words)})

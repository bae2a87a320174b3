"""A trace tree as lines of text, with guides, source lines and colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weir.trace.step_text import Words
from weir.trace.step_tree import Node

if TYPE_CHECKING:
    from rich.text import Text

STYLES = {
    "": "",
    "block": "bold blue",
    "name": "cyan",
    "value": "bold",
    "bytes": "bold",
    "good": "bold green",
    "warn": "yellow",
    "bad": "bold red",
    "fork": "bold magenta",
    "time": "dim",
    "guide": "dim",
    "source": "dim",
}
"""Styles of the parts of a line, in the syntax of rich."""

_MAX_SOURCE_COLUMN = 60
"""The maximum column at which source lines begin, unless a line is longer."""


@dataclass(frozen=True)
class Line:
    """A line of a tree.

    Attributes:
        words: guides and words with their styles.
        source: file, line and text of its location; empty if it has none.
        file: the file itself, for a link.
    """

    words: Words
    source: str
    file: str

    @property
    def width(self) -> int:
        """Number of characters of the words."""
        return sum(len(word) for word, _ in self.words)


def lines(node: Node) -> list[Line]:
    """Converts a tree to lines."""
    return list(_lines(node, "", ""))


def _lines(node: Node, here: str, below: str) -> Iterator[Line]:
    guide: Words = [(here, "guide")] if here else []
    place = node.place
    source = "" if place is None else f"{Path(place.file).name}:{place.line}  {place.text}".rstrip()
    yield Line([*guide, *node.words], source, "" if place is None else place.file)
    for number, child in enumerate(node.children, 1):
        last = number == len(node.children)
        yield from _lines(child, f"{below}{'└─ ' if last else '├─ '}", f"{below}{'   ' if last else '│  '}")


def plain_text(tree_lines: list[Line]) -> list[str]:
    """Formats lines without colours, of any length."""
    column = _column(tree_lines)
    texts = []
    for line in tree_lines:
        text = "".join(word for word, _ in line.words)
        texts.append(f"{text.ljust(column)}  {line.source}" if line.source else text)
    return texts


def rich_lines(tree_lines: list[Line], width: int) -> list[Text]:
    """Formats lines for a terminal of this width. Source lines are truncated, and have links to
    their files."""
    from rich.text import Text

    column = _column(tree_lines)
    texts = []
    for line in tree_lines:
        text = Text.assemble(*((word, STYLES[style]) for word, style in line.words), no_wrap=False)
        space = width - max(column, line.width) - 2
        if line.source and space >= 12:
            source = line.source if len(line.source) <= space else f"{line.source[: space - 1]}…"
            text.append(" " * (max(column, line.width) + 2 - line.width))
            text.append(source, f"{STYLES['source']} link {Path(line.file).absolute().as_uri()}")
        texts.append(text)
    return texts


def _column(shown: list[Line]) -> int:
    return min(_MAX_SOURCE_COLUMN, max((line.width for line in shown if line.source), default=0))

"""Shows the tree of a trace in notebooks. Each node with other nodes below it can be folded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weir.display import escape, titled_output
from weir.trace.step_tree import Node, tree

if TYPE_CHECKING:
    from weir.trace.record import Record

_STYLES = {
    "block": "font-weight:600;color:#3a87c8",
    "name": "color:#2a9d8f",
    "value": "font-weight:600",
    "bytes": "font-weight:600",
    "good": "font-weight:600;color:#2f9e44",
    "warn": "color:#c77f1a",
    "bad": "font-weight:600;color:#d1442f",
    "fork": "font-weight:600;color:#b455c4",
    "time": "opacity:0.7",
}
"""Colours that are legible on light and on dark backgrounds."""

_OPEN_LEVELS = 1
"""The number of levels of the tree that are initially open."""

_MAX_LINES = 2000


def journey_html(journey: Record) -> str:
    """Renders a journey as HTML: a line with the fate of the packet, and its steps below."""
    root = tree(journey)
    lines_left = [_MAX_LINES]
    steps = "".join(_node(child, 1, lines_left) for child in root.children)
    note = "" if lines_left[0] > 0 else "<div>… and more; print() shows all</div>"
    mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:0.92em"
    return titled_output(
        "",
        f'<details style="{mono}"><summary style="cursor:pointer">{escape(journey._fate)}</summary>'
        f'<div style="margin-left:1.1em">{steps}</div></details>{note}',
    )


def _node(node: Node, level: int, left: list[int]) -> str:
    left[0] -= 1
    if left[0] <= 0:
        return ""
    line = _line(node)
    if not node.children:
        return f'<div style="margin-left:1.1em">{line}</div>'
    state = " open" if level <= _OPEN_LEVELS else ""
    below = "".join(_node(child, level + 1, left) for child in node.children)
    return (
        f'<details{state}><summary style="cursor:pointer">{line}</summary>'
        f'<div style="margin-left:1.1em">{below}</div></details>'
    )


def _line(node: Node) -> str:
    words = "".join(
        f'<span style="{_STYLES[style]}">{escape(word)}</span>' if style in _STYLES else escape(word)
        for word, style in node.words
    )
    if node.place is None:
        return words
    source = f"{Path(node.place.file).name}:{node.place.line}  {node.place.text}".rstrip()
    return f'{words} <span style="opacity:0.65;margin-left:1em">{escape(source)}</span>'

"""Creates HTML of tables, key figures and folded text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from weir.text.visible import visible

MAX_ROWS = 200
"""The maximum number of rows that a table shows. A line below the table says how many more rows
there are."""

_CELL = "padding:0.15em 0.8em;border:0;background:none;"
_HEAD = "border-bottom:1px solid rgba(128,128,128,0.6);font-weight:600;"
_RULE = "border-bottom:1px solid rgba(128,128,128,0.22);"
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:0.92em;"


def escape(value: object) -> str:
    """Escapes a value's text for HTML, and shows control characters as text."""
    return html.escape(visible(str(value)), quote=True)


def titled_output(title: str, *parts: str) -> str:
    """Builds the complete HTML of an output from a title and parts, which must be HTML."""
    head = f'<div style="font-weight:600;margin-bottom:0.3em">{escape(title)}</div>' if title else ""
    return f'<div class="weir" style="color:inherit;overflow-x:auto;line-height:1.45">{head}{"".join(parts)}</div>'


def grid(
    head: Sequence[str], rows: Iterable[Sequence[object]], words: Sequence[int] = (), total: int | None = None
) -> str:
    """Builds a table in HTML.

    Args:
        head: the columns' names.
        rows: the cells; ``None`` is shown as a dash.
        words: the columns, from 0, that contain text; other columns contain numbers, aligned to the
            right.
        total: the total number of rows, if ``rows`` has only the first ones.
    """

    def align(column: int) -> str:
        return f"text-align:{'left' if column in words else 'right'};"

    all_rows = list(rows)
    top = "".join(
        f'<th style="{_CELL}{_HEAD}{align(number)}">{escape(name)}</th>' for number, name in enumerate(head)
    )
    lines = [f"<tr>{top}</tr>"]
    for row in all_rows[:MAX_ROWS]:
        cells = "".join(
            f'<td style="{_CELL}{_RULE}{align(number)}">{"–" if cell is None else escape(cell)}</td>'
            for number, cell in enumerate(row)
        )
        lines.append(f'<tr style="background:none">{cells}</tr>')
    hidden_count = (len(all_rows) if total is None else total) - MAX_ROWS
    note = f"<div>… and {hidden_count:,} more rows</div>" if hidden_count > 0 else ""
    return (
        f'<table style="border-collapse:collapse;margin:0.2em 0;color:inherit">{"".join(lines)}</table>{note}'
    )


def figures(pairs: Iterable[tuple[str, object]]) -> str:
    """Builds a table of key figures in HTML, with names and values in two columns."""
    name = f"{_CELL}{_RULE}text-align:left;opacity:0.75;"
    value = f"{_CELL}{_RULE}text-align:left;font-variant-numeric:tabular-nums;"
    rows = "".join(
        f'<tr style="background:none"><td style="{name}">{escape(label)}</td>'
        f'<td style="{value}">{"–" if other is None else escape(other)}</td></tr>'
        for label, other in pairs
    )
    return f'<table style="border-collapse:collapse;margin:0.2em 0;color:inherit">{rows}</table>'


def details(summary: str, content: str) -> str:
    """Builds a folded part in HTML that opens at a click on its summary; ``content`` must be
    HTML."""
    return (
        f'<details style="margin:0.2em 0"><summary style="cursor:pointer">{escape(summary)}</summary>'
        f'<div style="margin:0.2em 0 0.2em 1.1em">{content}</div></details>'
    )


def code(text: str) -> str:
    """Builds preformatted text in HTML, which keeps all characters and line breaks."""
    return (
        f'<pre style="{_MONO}margin:0.2em 0;padding:0;background:none;color:inherit;white-space:pre">'
        f"{escape(text)}</pre>"
    )

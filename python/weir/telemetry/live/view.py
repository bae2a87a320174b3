"""Draws the tables of the live view with rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from weir.telemetry.live.state import LiveState

_BARS: Final = "▁▂▃▄▅▆▇█"
_OTHER_LINES: Final = 8
"""The number of lines of the view that are not rows: the first line, the heads of tables, and the
notes below them."""


class LiveView:
    """A rich renderable that shows a state as tables that fit the terminal.

    Args:
        state: the state to show.
        source: the source of the reports, for the first line.
    """

    def __init__(self, state: LiveState, source: str) -> None:
        self._state, self._source = state, source

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = console.size.height if console.is_terminal else 1000
        state = self._state
        needed_rows = [len(state.paths), len(state.latencies), len(state.queues), len(state.events)]
        paths, latencies, queues, events = _divided_rows(max(height - _OTHER_LINES - 1, 4), needed_rows)
        yield Group(
            self._head(),
            self._paths(paths),
            self._latencies(latencies),
            self._queues(queues),
            self._events(events),
        )

    def _head(self) -> Text:
        state = self._state
        text = Text(f"{state.time_ns / 1e9:.3f} s  ", style="bold")
        text.append(f"{state.reports} reports from {self._source}", style="not bold")
        for count, label in ((state.bad, "bad"), (state.lost, "lost")):
            text.append(f", {count} {label}", style="red" if count else "not bold")
        return text

    def _paths(self, most: int) -> Table:
        newest = list(self._state.paths.items())[::-1]
        rows = [(flow, flow_path.path, str(flow_path.reports)) for flow, flow_path in sorted(newest[:most])]
        return _table(("flow", "path", "reports"), rows, len(newest) - most, right=(2,))

    def _latencies(self, most: int) -> Table:
        state = self._state
        nodes = sorted(state.latencies)
        rows = [(str(node), *(f"{value:.0f}" for value in state.percentiles(node))) for node in nodes[:most]]
        titles = ("node", "latency p50 (us)", "p99 (us)", "max (us)")
        return _table(titles, rows, len(nodes) - most, right=(0, 1, 2, 3))

    def _queues(self, most: int) -> Table:
        queues = self._state.queues
        fullest = sorted(queues, key=lambda key: -queues[key].most)[:most]
        rows = []
        for key in sorted(fullest, key=lambda key: tuple(-1 if part is None else part for part in key)):
            queue = queues[key]
            course = "".join(_BARS[round(value * 7 / max(queue.most, 1))] for value in queue.course)
            names = ["-" if part is None else str(part) for part in key]
            rows.append((*names, str(queue.packets), str(queue.most), course))
        titles = ("node", "port", "queue", "packets", "most", "course")
        return _table(titles, rows, len(queues) - most, right=(0, 1, 2, 3, 4))

    def _events(self, most: int) -> Table:
        newest = list(self._state.events)[-most:]
        rows = [(f"{time_ns / 1e9:.6f}", text) for time_ns, text in newest]
        return _table(("time (s)", "event"), rows, 0, right=(0,))


def _divided_rows(rows: int, needed_rows: Sequence[int]) -> list[int]:
    """Divides rows among tables: each table gets the rows that it needs, or an equal share of the
    rest."""
    row_counts = [0] * len(needed_rows)
    for place in sorted(range(len(needed_rows)), key=lambda place: needed_rows[place]):
        tables_left = len(needed_rows) - sum(1 for count in row_counts if count)
        row_counts[place] = min(max(needed_rows[place], 1), max((rows - sum(row_counts)) // tables_left, 1))
    return row_counts


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]], more: int, right: Sequence[int]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), caption_justify="left")
    for place, title in enumerate(titles):
        last = place == len(titles) - 1
        table.add_column(
            title,
            justify="right" if place in right else "left",
            no_wrap=True,
            overflow="ellipsis" if last else "fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if more > 0:
        table.add_row(Text(f"and {more} more", style="dim"))
    return table

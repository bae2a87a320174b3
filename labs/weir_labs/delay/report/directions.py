"""The report on TCP in both directions, measured as in ``iperf -r``."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, by_at_most, span
from weir.report import Figure, Panel, Plot, Section, Table, draw_panels

from ..theory import rate_name
from .common import TRANSMISSIONS, curves, percent, transmissions_axis

_DIRECTIONS = {"there_mbps": "h1 to h2", "back_mbps": "h2 to h1"}


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares TCP in both directions, one after the other and at the same time."""
    points = tables.points("link", "order", "x")
    links = tables.values("link")
    in_turn = points.filter(order="in turn")
    gains = [gain for link in links if (gain := _combined_throughput(points, link))]
    return Findings(
        f"{_compare_single_directions(in_turn)} "
        + (
            f"The combined throughput at once, relative to one direction alone, is {', '.join(gains)}."
            if gains
            else "The combined throughput at once was not run: it needs both orders."
        ),
        [
            Section(
                "TCP throughput in both directions",
                [
                    "The thesis measured with iperf -r: the client sends to the server and, when it "
                    "has finished, the server to the client. The thesis's figures show only the throughput "
                    "that the client received. Here h1 is the client; “in turn” is iperf -r, “at "
                    "once” is iperf -d.",
                    "A recirculated packet needs the same number of passes in both directions, so in "
                    "turn both directions have the same throughput. At once, both directions share the "
                    "switch's passes, but each direction of a link has the full rate. Where the link "
                    "is the limit, each direction gets the full rate; where the switch is the limit, "
                    "each gets half of the passes.",
                ],
                [_table(points)],
                [
                    Figure(
                        _plot(points, links, plots),
                        "Mean throughput of TCP by direction, in turn and at once.",
                        wide=True,
                    )
                ],
                folded=True,
            )
        ],
    )


def _compare_single_directions(in_turn: pl.DataFrame) -> str:
    """Compares the throughput of both directions, one after the other."""
    if in_turn.is_empty():
        return "Throughput in turn was not run."
    apart = max(100 * abs(row["back_mbps"] / row["there_mbps"] - 1) for row in in_turn.iter_rows(named=True))
    return (
        "In turn, TCP's throughput from h2 to h1 differs from that from h1 to h2 "
        f"{by_at_most(apart, in_turn.height, 1)}."
    )


def _combined_throughput(points: pl.DataFrame, link: str) -> str:
    """Formats the range of the combined throughput relative to the throughput of one direction;
    returns an empty text if the runs lack one of the two."""
    together_mbps = points.filter(link=link, order="at once")["sum_mbps"].to_list()
    single_mbps = points.filter(link=link, order="in turn")["there_mbps"].to_list()
    if not together_mbps or not single_mbps:
        return ""
    times = [together / single for together, single in zip(together_mbps, single_mbps, strict=True)]
    return f"{span(min(times), max(times), 2)} (links {rate_name(link)})"


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("link rate", lambda row: rate_name(row["link"])),
            ("direction", "order"),
            ("X", "x"),
            ("runs", "n"),
            ("h1 to h2 (Mbit/s)", "there_mbps", 3),
            ("± 95 %", "there_mbps_half", 4),
            ("h2 to h1 (Mbit/s)", "back_mbps", 3),
            ("± 95 %", "back_mbps_half", 4),
            ("difference", lambda row: percent(row["back_mbps"], row["there_mbps"])),
            ("together (Mbit/s)", "sum_mbps", 3),
        ],
        words=(0, 1),
        marked=(4, 6),
    )


def _plot(points: pl.DataFrame, links: list[str], plots: Path) -> Plot:
    xs = points["x"].unique().sort().to_list()
    panels = []
    for link in links:
        lines = {
            f"{way}, {order}": ([x + 1 for x in cells["x"]], cells[column].to_list())
            for (order,), cells in points.filter(link=link)
            .partition_by("order", maintain_order=True, as_dict=True)
            .items()
            for column, way in _DIRECTIONS.items()
        }
        panels.append(Panel(f"links {rate_name(link)}", curves(lines)))
    return draw_panels(
        plots,
        "directions",
        panels,
        x=TRANSMISSIONS,
        y="throughput in Mbit/s",
        decorate=lambda ax: transmissions_axis(ax, xs),
    )

"""One against several switches at equal transmissions (figures 5.22 to 5.27)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Plot, Section, Table, decimal

from ..thesis import PUBLISHED, RTT_TWO_SWITCHES_MS, TCP_TWO_SWITCHES_MBPS
from .common import line_plot, percent, rate_name, transmissions_axis

Lines = dict[str, tuple[list[float], list[float]]]
"""x and y of each line, by label."""


def rtt(tables: Tables, plots: Path) -> Findings:
    """Round trips are equal over unlimited links; each additional switch adds a link."""
    runs, links = tables.runs, tables.values("link")
    worst, published = largest_difference(runs, links[0]), _published_rtt()
    return Findings(
        f"At equal transmissions, round trips over one and several switches differ by {worst:.3f} % at most, links {rate_name(links[0])}.",
        [
            Section(
                "Round trips: one against several switches",
                [
                    "Transmissions are passes through the switches: X + 1 over one switch, 2 · (X + 1) over two. Over links without "
                    "delay it does not matter which switch makes the passes. Each switch adds a link in each direction, whose transmission "
                    "time adds up on slow links; the thesis saw the same, and called it the processing of more components."
                ],
                [_rtt_table(runs, published)],
                [
                    Figure(
                        _plot(
                            plots,
                            f"switches-rtt-{link}",
                            runs.filter(pl.col("link") == link),
                            "rtt_min_ms",
                            "minimum round trip in ms",
                            published if link == "unlimited" else None,
                        ),
                        f"Minimum round trip, links {rate_name(link)} (thesis, figure {figure}).",
                    )
                    for figure, link in zip(("5.22", "5.23"), links, strict=False)
                ],
            )
        ],
    )


def tcp(tables: Tables, plots: Path) -> Findings:
    """Two switches share the passes, so each has half of the load."""
    points = tables.points("link", "switches", "transmissions")
    links = tables.values("link")
    lower = [row for row in compared(points) if row[3] <= row[2]]
    exceptions = (
        "."
        if not lower
        else ", except at "
        + "; ".join(
            f"{rate_name(link)}, {transmissions} transmissions ({one:.3f} against {two:.3f})"
            for link, transmissions, one, two in lower
        )
        + ", where the link is the limit for both."
    )
    gains = [two / one for _, transmissions, one, two in compared(points) if transmissions > 2]
    gain = (
        f" From 4 transmissions on it is {min(gains):.2f} to {max(gains):.2f} times that of one."
        if gains
        else ""
    )
    return Findings(
        "At equal transmissions, TCP over two switches sends more than over one at every point with recirculation"
        + exceptions
        + gain,
        [
            Section(
                "TCP throughput: one against two switches",
                [
                    "One switch makes all passes of a packet, two make half of them each, and each has a capacity of its own. So the "
                    "throughput doubles wherever a switch is the limit. Where the link is the limit, both send what it allows."
                ],
                [_tcp_table(points)],
                [
                    Figure(
                        _plot(
                            plots,
                            f"switches-tcp-{link}",
                            points.filter(pl.col("link") == link),
                            "goodput_mbps",
                            "throughput in Mbit/s",
                            {_label(2): ([2], [TCP_TWO_SWITCHES_MBPS[link]])}
                            if link in TCP_TWO_SWITCHES_MBPS
                            else None,
                        ),
                        f"Mean throughput of TCP, links {rate_name(link)} (thesis, figures 5.24 and {figure}).",
                    )
                    for figure, link in zip(("5.25", "5.26", "5.27"), links, strict=False)
                ],
                notes=[
                    "Over two switches the thesis measured 21.7 Mbit/s on links of 25 Mbit/s and 23.03 on unlimited ones. Here the "
                    "link is the limit of the first, and the switches' passes of the second."
                ],
            )
        ],
    )


def largest_difference(runs: pl.DataFrame, link: str) -> float:
    """The largest difference of minimum round trips at equal transmissions, in per cent."""
    worst = 0.0
    for cells in runs.filter(pl.col("link") == link).partition_by("transmissions"):
        values = cells["rtt_min_ms"].to_list()
        worst = max(worst, 100 * (max(values) / min(values) - 1))
    return worst


def compared(points: pl.DataFrame) -> list[tuple[str, int, float, float]]:
    """Link, transmissions, and mean throughput over one and over two switches."""
    one = points.filter(pl.col("switches") == 1)
    two = points.filter(pl.col("switches") == 2).select(
        "link", "transmissions", pl.col("goodput_mbps").alias("two")
    )
    both = one.join(two, on=["link", "transmissions"], maintain_order="left")
    return [
        (row["link"], row["transmissions"], row["goodput_mbps"], row["two"])
        for row in both.iter_rows(named=True)
    ]


def _label(switches: int) -> str:
    return "1 switch" if switches == 1 else f"{switches} switches"


def _plot(plots: Path, name: str, cells: pl.DataFrame, measure: str, y: str, published: Lines | None) -> Plot:
    """A line for each number of switches, against transmissions."""
    lines = {
        _label(count): (part["transmissions"].to_list(), part[measure].to_list())
        for (count,), part in cells.partition_by("switches", maintain_order=True, as_dict=True).items()
    }
    xs = [t - 1 for t in cells["transmissions"].unique(maintain_order=True)]
    return line_plot(
        plots, name, lines, y=y, decorate=lambda ax: transmissions_axis(ax, xs), published=published
    )


def _published_rtt() -> Lines:
    one = {x + 1: rtt for (rate, x), rtt in PUBLISHED["bmv2-vm"].rtt_min_ms.items() if rate == "unlimited"}
    return {_label(1): (list(one), list(one.values())), _label(2): ([2], [RTT_TWO_SWITCHES_MS])}


def _rtt_table(runs: pl.DataFrame, published: Lines) -> Table:
    rows = []
    for row in runs.sort("link", "transmissions", "switches", maintain_order=True).iter_rows(named=True):
        one = runs.filter(
            pl.col("link") == row["link"],
            pl.col("transmissions") == row["transmissions"],
            pl.col("switches") == 1,
        )
        known = dict(zip(*published.get(_label(row["switches"]), ([], [])), strict=True))
        thesis = known.get(row["transmissions"]) if row["link"] == "unlimited" else None
        same = percent(row["rtt_min_ms"], one["rtt_min_ms"][0], 3) if one.height else "–"
        rows.append(
            [
                rate_name(row["link"]),
                f"{row['transmissions']}",
                f"{row['switches']}",
                decimal(row["rtt_min_ms"]),
                same,
                decimal(thesis, 2),
            ]
        )
    head = ["link rate", "transmissions", "switches", "min (ms)", "against one switch", "thesis (ms)"]
    return Table(head, rows, words=(0,), marked=(3,))


def _tcp_table(points: pl.DataFrame) -> Table:
    rows = []
    for row in points.sort("link", "transmissions", "switches", maintain_order=True).iter_rows(named=True):
        known = (
            TCP_TWO_SWITCHES_MBPS.get(row["link"])
            if (row["switches"], row["transmissions"]) == (2, 2)
            else None
        )
        rows.append(
            [
                rate_name(row["link"]),
                f"{row['transmissions']}",
                f"{row['switches']}",
                f"{row['n']}",
                decimal(row["goodput_mbps"]),
                decimal(row["goodput_mbps_half"], 4),
                decimal(known, 2),
            ]
        )
    head = [
        "link rate",
        "transmissions",
        "switches",
        "runs",
        "throughput (Mbit/s)",
        "± 95 %",
        "thesis (Mbit/s)",
    ]
    return Table(head, rows, words=(0,), marked=(4,))

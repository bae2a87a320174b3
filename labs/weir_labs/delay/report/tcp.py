"""The report on TCP throughput over one switch (figure 5.21)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, draw_curves

from ..theory import rate_name
from ..thesis import TCP_ONE_SWITCH_MBPS
from .common import TRANSMISSIONS, curves, transmissions_axis


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the TCP throughput by X and link rate."""
    points = tables.points("link", "x")
    links, xs = tables.values("link"), tables.values("x")
    first = points.filter(pl.col("link") == links[0])
    lines = {
        rate_name(link): (
            [x + 1 for x in xs],
            points.filter(pl.col("link") == link)["goodput_mbps"].to_list(),
        )
        for link in links
    }
    published = {
        rate_name(link): ([1], [value]) for link, value in TCP_ONE_SWITCH_MBPS.items() if link in links
    }
    return Findings(
        _dependence_on_x(first, links[0]) + _convergence(points),
        [
            Section(
                "TCP throughput",
                [
                    "Each segment and each acknowledgement needs X + 1 passes. The sender always "
                    "has packets in the switch's input queue, so the switch's capacity determines the "
                    "throughput. About 2/3 of all passes are for data, because an acknowledgement "
                    "follows every second segment."
                ],
                [_table(points).fold("Throughput by link rate and X, with round trips and retransmissions.")],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "tcp",
                            curves(lines, published),
                            x=TRANSMISSIONS,
                            y="throughput in Mbit/s",
                            decorate=lambda ax: transmissions_axis(ax, xs),
                            wide=True,
                        ),
                        "Throughput by transmissions, with a curve for each link rate (thesis, figure "
                        f"5.21).{_convergence(points)}",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _dependence_on_x(first: pl.DataFrame, link: str) -> str:
    """Says how the throughput over the first link rate depends on X."""
    points = [(row["x"], row["goodput_mbps"]) for row in first.sort("x").iter_rows(named=True)]
    (x, most), (last_x, least) = points[0], points[-1]
    published = TCP_ONE_SWITCH_MBPS.get(link) if x == 0 else None
    thesis = "" if published is None else f" (thesis: about {published:g})"
    if x == last_x:
        return f"TCP over {rate_name(link)} links has {most:.2f} Mbit/s at X = {x}{thesis}."
    verb = "falls" if least < most else "does not fall: it goes"
    return f"TCP over {rate_name(link)} links {verb} from {most:.2f} Mbit/s at X = {x}{thesis} to {least:.2f} at X = {last_x}."


def _convergence(points: pl.DataFrame) -> str:
    """Says whether the curves of the link rates converge; empty if there is one link rate or X."""
    xs = sorted(points["x"].unique())
    if points["link"].n_unique() < 2 or len(xs) < 2:
        return ""
    first, last = gap(points, xs[0]), gap(points, xs[-1])
    apart = round(last - first, 1)
    how = "converge" if apart < 0 else "diverge" if apart > 0 else "stay as far apart"
    return (
        f" The lowest throughput of all link rates is {first:.1f} % below the highest at X = {xs[0]} and {last:.1f} % at X = "
        f"{xs[-1]}: the curves {how}."
    )


def gap(points: pl.DataFrame, x: int) -> float:
    """Computes the difference between the largest and the smallest throughput of all link rates at
    an X, in per cent of the largest."""
    values = points.filter(pl.col("x") == x)["goodput_mbps"].to_list()
    return float(100 * (1 - min(values) / max(values)))


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("link rate", lambda row: rate_name(row["link"])),
            ("X", "x"),
            ("runs", "n"),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("± 95 %", "goodput_mbps_half", 4),
            ("RTT (ms)", "rtt_ms", 1),
            ("retransmitted", "retransmits", 1),
            (
                "thesis (Mbit/s)",
                lambda row: (
                    f"about {TCP_ONE_SWITCH_MBPS[row['link']]:g}"
                    if row["x"] == 0 and row["link"] in TCP_ONE_SWITCH_MBPS
                    else "–"
                ),
            ),
        ],
        words=(0,),
        marked=(3,),
    )

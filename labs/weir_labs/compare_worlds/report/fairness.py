"""Computes the findings about two TCP flows over one link."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import colour, pairs, shown, side_by_side
from weir.report import Curve, Figure, Plot, Section, draw_curves


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares the flows' shares and Jain's index by congestion control."""
    indices = [
        f"{congestion}: {virtual['jain']:.3f} and {linux['jain']:.3f}"
        for congestion, (virtual, linux) in pairs(tables, "congestion")
        if virtual is not None and linux is not None and linux["jain"] is not None
    ]
    return Findings(
        "Two flows share a link with these indices of fairness (virtual, Linux): "
        f"{'; '.join(indices) or 'one world has no runs'}. 1 is equal, 0.5 is one flow alone.",
        [
            Section(
                "Two TCP flows over one link",
                [
                    "h1 sends to h3, and 100 ms later h2 begins to send to h4. The shares depend on which "
                    "packets find the queue full, so runs with other seeds differ in both worlds."
                ],
                [
                    side_by_side(
                        tables,
                        "congestion",
                        "congestion control",
                        [
                            ("first_mbps", "first (Mbit/s)", 2),
                            ("second_mbps", "second (Mbit/s)", 2),
                            ("jain", "Jain's index", 3),
                        ],
                        "Means over seeds.",
                    )
                ],
                [
                    Figure(
                        _plot(tables, plots),
                        "The closer the lines of a world, the fairer its flows share the link (one run of the first control).",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _plot(tables: Tables, plots: Path) -> Plot:
    first = tables.values("congestion")[0]
    shares = tables.frame("shares").filter(pl.col("repetition") == 0, pl.col("congestion") == first)
    curves = []
    for world in shown(tables):
        for host, line in (("h1", "-"), ("h2", "--")):
            rows = shares.filter(pl.col("world") == world, pl.col("host") == host)
            style = {"color": colour(world), "linestyle": line}
            curves.append(Curve(f"{world}, {host}", rows["time_s"], rows["mbps"], style))
    return draw_curves(plots, "shares", curves, x="time in s", y="goodput in Mbit/s", wide=True)

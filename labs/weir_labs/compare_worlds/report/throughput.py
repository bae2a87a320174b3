"""Computes the findings about one TCP flow, and the queue behind it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import colour, largest_difference, shown, side_by_side, verdict
from weir.report import Curve, Figure, Panel, Section, draw_panels


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares goodput and waiting time by congestion control."""
    return Findings(
        f"Goodput of one TCP flow: {verdict(largest_difference(tables, 'congestion', 'goodput_mbps'))}; the time that packets "
        f"wait behind it: {verdict(largest_difference(tables, 'congestion', 'wait_median_ms'))}.",
        [
            Section(
                "One TCP flow, and the queue behind it",
                [
                    "h1 sends to h3. A ping every 20 ms from h2 to h4 shares the link in the middle: the "
                    "time by which its round trips are longer than in the idle network is the time that it "
                    "waited. The congestion control is pinned in both worlds; in the Linux world it is the "
                    "kernel's own code."
                ],
                [
                    side_by_side(
                        tables,
                        "congestion",
                        "congestion control",
                        [
                            ("goodput_mbps", "goodput (Mbit/s)", 2),
                            ("wait_median_ms", "wait, median (ms)", 1),
                            ("wait_max_ms", "longest (ms)", 1),
                            ("retransmits", "retransmits", 0),
                        ],
                        "Means over seeds.",
                    )
                ],
                _figures(tables, plots),
            )
        ],
    )


def _figures(tables: Tables, plots: Path) -> list[Figure]:
    """Draws goodput over time, with a panel for each congestion control."""
    goodput = tables.frame("goodput").filter(pl.col("repetition") == 0)
    panels = []
    for congestion in tables.values("congestion"):
        curves = []
        for world in shown(tables):
            rows = goodput.filter(pl.col("world") == world, pl.col("congestion") == congestion)
            curves.append(Curve(world, rows["time_s"], rows["mbps"], {"color": colour(world)}))
        panels.append(Panel(str(congestion), curves))
    plot = draw_panels(plots, "goodput", panels, x="time in s", y="goodput in Mbit/s", style={"marker": ""})
    return [
        Figure(
            plot,
            "Both worlds have the same goodput over time if their lines lie on each other (one run).",
            wide=True,
        )
    ]

"""Computes the findings about datagrams below and above the rate of a link."""

from __future__ import annotations

from pathlib import Path

from weir.lab import Findings, Tables, by_at_most, span
from weir.lab.worlds import colour, pairs, shown, side_by_side
from weir.report import Curve, Figure, Plot, Section, draw_curves


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares loss and delay by load."""
    apart = [
        abs(linux["loss_percent"] - virtual["loss_percent"])
        for _, (virtual, linux) in pairs(tables, "load_percent")
        if virtual is not None and linux is not None
    ]
    comparison = (
        f"the worlds' losses differ {by_at_most(max(apart), len(apart), 1, 'points')}"
        if apart
        else "one world has no runs"
    )
    beyond = [
        row["loss_percent"]
        for row in tables.points("world", "load_percent").iter_rows(named=True)
        if row["load_percent"] > 100 and row["loss_percent"] is not None
    ]
    lost = (
        f"At loads above the link's rate, {span(min(beyond), max(beyond), 1)} % of the datagrams are lost"
        if beyond
        else "No load beyond the link's rate was run"
    )
    return Findings(
        f"{lost}; {comparison}.",
        [
            Section(
                "Datagrams below and above the rate",
                [
                    "h1 sends datagrams with frames of 1514 bytes at a fixed rate. The link in the middle loses what it cannot carry: "
                    "1 − 100/load in the long run. In a short run the queue takes some of it.",
                ],
                [
                    side_by_side(
                        tables,
                        "load_percent",
                        "load (%)",
                        [
                            ("loss_percent", "loss (%)", 2),
                            ("expected_percent", "long run (%)", 1),
                            ("delay_mean_ms", "one-way delay (ms)", 2),
                            ("jitter_ms", "jitter (ms)", 3),
                        ],
                        "Means over seeds.",
                    )
                ],
                [
                    Figure(
                        _plot(tables, plots),
                        "Loss by load, in both worlds.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _plot(tables: Tables, plots: Path) -> Plot:
    points = tables.points("world", "load_percent").sort("load_percent").to_dicts()
    curves = [
        Curve(
            world,
            [row["load_percent"] for row in points if row["world"] == world],
            [row["loss_percent"] for row in points if row["world"] == world],
            {"color": colour(world), "marker": "o" if world == "virtual" else "x"},
        )
        for world in shown(tables)
    ]
    return draw_curves(
        plots, "datagram-loss", curves, x="load in % of the rate", y="datagrams lost in %", wide=True
    )

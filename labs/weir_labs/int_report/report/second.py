"""Computes the findings of test 2: a second flow of 2 Mbit/s over the same switches (figures 4.10
and 4.11)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal, draw_curves, measured

from ..published import SECOND_FLOW_EQUAL_MBPS, SECOND_FLOW_MBPS
from ..second import SECOND_MBPS
from .common import BANDWIDTH, LATENCY, MEASURES, first_losses, telemetry_lines


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows the first flow's numbers next to the second flow, and which flow loses packets."""
    points = tables.points("switches", "telemetry", "mbps")
    onsets = first_losses(points, "both_lost")
    quiet = points.filter(pl.col("mbps") <= pl.col("fitting_mbps"), pl.col("both_lost") == 0)
    jitter = (
        f"Where two flows fit and nothing is lost, the first flow's jitter is {'up to ' if quiet.height > 1 else ''}"
        f"{quiet['jitter_ms'].to_numpy().max():.2f} ms, because datagrams of the two flows meet. "
        if quiet.height
        else ""
    )
    losses = "; ".join(
        f"the flows lose {_lost_text(below, first)} with INT {telemetry} ({fits:.2f} fit by the lengths)"
        for _, telemetry, fits, below, first in onsets
    )
    return Findings(
        f"{jitter}Next to a flow of {SECOND_MBPS:g} Mbit/s, {losses}.",
        [
            Section(
                "Test 2: a second flow",
                [
                    f"h3 sends {SECOND_MBPS:g} Mbit/s to h4 over the same switches; with INT on, both flows carry "
                    "telemetry. The load that fits is the load that fits without the second flow, minus the "
                    "second flow's rate."
                ],
                [],
                [
                    Figure(
                        draw_curves(
                            plots,
                            f"second-{name}",
                            telemetry_lines(points, column),
                            x="load of the first flow in Mbit/s of payload",
                            y=axis,
                        ),
                        f"{name.capitalize()} of the first flow (thesis, figure {figure}), solid with telemetry.",
                    )
                    for figure, (column, (name, axis)) in zip(
                        ("4.10a", "4.10c", "4.10e", "4.11"), MEASURES.items(), strict=True
                    )
                ],
                notes=[
                    f"The thesis's network is congested from {SECOND_FLOW_MBPS:g} Mbit/s on, and its bandwidths with and without "
                    f"telemetry are similar until {SECOND_FLOW_EQUAL_MBPS:g}. Here, the least load with loss is {_first_losses(onsets)}.",
                    "A full queue drops every arriving packet. Two flows of constant rate keep their order "
                    "for a while, so at some loads nearly all drops hit one of them.",
                ],
            ),
            Section("Test 2: all points", tables=[_table(points)]),
        ],
    )


def _lost_text(below: float | None, first: float | None) -> str:
    if below is None:
        return f"something at {first:g} Mbit/s, the smallest load of this run,"
    return f"nothing up to {below:g} Mbit/s" + (", the largest load of this run," if first is None else "")


def _first_losses(onsets: list[tuple[int, str, float, float | None, float | None]]) -> str:
    """Formats the smallest load with loss, with and without telemetry."""
    return " and ".join(
        f"{'none of this run' if first is None else f'{first:g} Mbit/s'} with INT {telemetry}"
        for _, telemetry, _, _, first in onsets
    )


def _table(points: pl.DataFrame) -> Table:
    rows = [
        [
            row["telemetry"],
            f"{row['mbps']:g}",
            f"{row['n']}",
            *(
                measured(row[name], row[f"{name}_half"], digits)
                for name, digits in (
                    (BANDWIDTH, 3),
                    ("second_goodput_mbps", 3),
                    (LATENCY, 2),
                    ("jitter_ms", 3),
                    ("loss_percent", 2),
                    ("both_lost", 0 if row["both_lost"] == round(row["both_lost"]) else 1),
                )
            ),
            decimal(row["predicted_both_lost"], 1),
        ]
        for row in points.iter_rows(named=True)
    ]
    head = [
        "INT", "load (Mbit/s)", "runs", "bandwidth (Mbit/s)", "second flow (Mbit/s)", "latency (ms)", "jitter (ms)", "loss (%)",
        "lost, both flows", "computed",
    ]  # fmt: skip
    return Table(head, rows, words=(0,), marked=(3, 8))

"""Computes the findings about reports over time while the watchlists change."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Plot, Section, Table, draw_curves

from ..runtime import STEPS


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares the number of reports in each step with the number of packets sent in the step."""
    row = tables.runs.to_dicts()[0]
    rows = [
        [f"INT-{mode}", f"{row[f'{mode.lower()}_expected']}", f"{row[f'{mode.lower()}_reports']}"]
        for mode in ("XD", "MX", "MD")
    ]
    run_reports = tables.frame("over_time").filter(pl.col("run") == row["run"])
    return Findings(
        f"{row['sent']} packets were sent while the watchlists changed {len(STEPS)} times, and {row['lost']} were lost; "
        + ", ".join(f"{reports} of {expected} reports with {mode}" for mode, expected, reports in rows)
        + ".",
        [
            Section(
                "Control at run time",
                [
                    f"A flow runs through {count_noun(row['switches'], 'switch')} all the time. Every {row['step_s']:g} s "
                    "the controller deletes one entry of each watchlist and inserts another: no telemetry, "
                    "XD, MX, MD, none. The new entry applies from the first packet after the change. MX and "
                    "MD packets on their way have a header that tells the other switches what to do, so all "
                    "of them are reported. With XD, a switch that a packet reaches after the entry is "
                    "deleted does not report the packet."
                ],
                [
                    Table(
                        ["mode", "reports expected", "reports"],
                        rows,
                        "One report is expected for each packet that came to s1 while MD was on, and one from each switch "
                        "while XD or MX was on.",
                        words=(0,),
                        marked=(2,),
                    )
                ],
                [
                    Figure(
                        _plot_over_time(plots, run_reports),
                        "Reports of each mode over time, while the watchlists change.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _plot_over_time(plots: Path, counts: pl.DataFrame) -> Plot:
    return draw_curves(
        plots,
        "runtime",
        [Curve(f"INT-{mode}", counts["time_s"], counts[mode]) for mode in ("XD", "MX", "MD")],
        x="time in s",
        y="reports per second",
        wide=True,
        style={"marker": "", "drawstyle": "steps-post"},
    )

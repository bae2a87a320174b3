"""Computes the findings about frames that hosts saw with and without telemetry."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Section, Table, decimal


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows how many frames differ between the runs with and without telemetry."""
    del plots
    # In the mode XD, headers have no mark, so the runs of all marks are equal.
    runs = tables.runs.filter((pl.col("mode") != "XD") | (pl.col("mark") == tables.values("mark")[0]))
    rows = [
        [
            f"INT-{row['mode']}",
            row["links"],
            "–" if row["mode"] == "XD" else {"dscp": "DSCP", "port": "UDP port"}[row["mark"]],
            f"{row['frames_with_int']}",
            f"{row['reports']}",
            f"{row['host_frames']}",
            f"{row['host_frames_differ']}",
            f"{row['other_frames']}",
            f"{row['other_frames_differ']}",
            decimal(row["shift_us"], 3),
        ]
        for row in runs.iter_rows(named=True)
    ]
    differ = int(runs["host_frames_differ"].to_numpy().sum() + runs["other_frames_differ"].to_numpy().sum())
    return Findings(
        f"Of {runs['host_frames'].sum()} frames that hosts sent and received, {runs['host_frames_differ'].sum()} differ from a run "
        f"without telemetry, and of {runs['other_frames'].sum()} frames of other flows on the links between, "
        f"{runs['other_frames_differ'].sum()}.",
        [
            Section(
                "What hosts see",
                [
                    "The same traffic is sent twice, without and with telemetry: datagrams in both directions, a flow from h4 to "
                    "h5 that is on no watchlist, and on instant links also TCP connections and pings. Every frame at every host, "
                    "and every frame of the other flows on every link, is compared byte by byte.",
                    "All frames are the same." if differ == 0 else f"{differ} frames differ.",
                ],
                [
                    Table(
                        [
                            "mode",
                            "links",
                            "mark",
                            "frames with INT",
                            "reports",
                            "frames at hosts",
                            "of them differ",
                            "frames of other flows",
                            "of them differ",
                            "largest shift (µs)",
                        ],
                        rows,
                        "On instant links frames take no time, so a shift is the time that reports take in switches. On links with a "
                        "rate, longer frames take longer, and frames wait behind reports. Only INT-XD reports pings.",
                        words=(0, 1, 2),
                        marked=(6, 8),
                    )
                ],
            )
        ],
    )

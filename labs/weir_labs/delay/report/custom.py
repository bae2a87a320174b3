"""The report on strategy 2, which delays only custom packets."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal, draw_curves

from .common import TRANSMISSIONS, curves, fit_line, transmissions_axis


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the one-way delay of custom packets, and round trips of pings in the same network."""
    runs = tables.runs
    xs = tables.values("x")
    one = runs.filter(pl.col("switches") == tables.values("switches")[0])
    lines = []
    for (profile,), cells in one.partition_by("profile", maintain_order=True, as_dict=True).items():
        fit = fit_line(cells["x"].to_list(), cells["delay_min_ms"].to_list())
        lines.append(f"{profile} {fit.a:.4g} + {fit.b:.4g}·X ms")
    spread = max(
        cells["ping_rtt_max_ms"].max() - cells["ping_rtt_min_ms"].min()  # type: ignore[operator]
        for cells in runs.partition_by("profile", "switches")
    )
    return Findings(
        f"Custom packets are delayed by {'; '.join(lines)} in each direction. Round trips of normal "
        f"pings in the same network do not depend on X: they differ by {spread:.3f} ms at most.",
        [
            Section(
                "Strategy 2: only custom packets recirculate",
                [
                    "h1 sends packets of EtherType 0x1313 with content id 102, h2 answers with "
                    "content id 101, and h1 pings h2 in between. The header counts the passes "
                    "through ingress and egress of all switches on the path."
                ],
                [
                    _table(runs).fold(
                        "Delays of custom packets and round trips of pings, by profile, switches and X."
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "custom",
                            curves(
                                {
                                    f"{label}, {profile}": (
                                        [x + 1 for x in cells["x"]],
                                        cells[column].to_list(),
                                    )
                                    for (profile,), cells in one.partition_by(
                                        "profile", maintain_order=True, as_dict=True
                                    ).items()
                                    for label, column in (
                                        ("custom, one way", "delay_min_ms"),
                                        ("ping, round trip", "ping_rtt_min_ms"),
                                    )
                                }
                            ),
                            x=TRANSMISSIONS,
                            y="least time in ms",
                            decorate=lambda ax: transmissions_axis(ax, xs, logarithmic=True),
                            wide=True,
                        ),
                        "The delay of custom packets grows with each transmission, while the round "
                        "trips of pings stay constant (one switch).",
                        wide=True,
                    )
                ],
                notes=[
                    "The thesis gives no numbers for this strategy. Its program sets the egress port "
                    "in egress, where BMv2 does not read it; the lab's program looks up the content id "
                    "in ingress."
                ],
            )
        ],
    )


def _table(runs: pl.DataFrame) -> Table:
    head = [
        "profile", "switches", "X", "sent", "received", "answered", "passes counted", "delay min (ms)", "max (ms)", "ping min (ms)",
        "ping max (ms)", "ping TTL",
    ]  # fmt: skip
    rows = [
        [
            row["profile"],
            *(f"{row[name]}" for name in ("switches", "x", "sent", "received", "answered", "egress_num")),
            *(
                decimal(row[name])
                for name in ("delay_min_ms", "delay_max_ms", "ping_rtt_min_ms", "ping_rtt_max_ms")
            ),
            f"{row['ping_ttl']}",
        ]
        for row in runs.iter_rows(named=True)
    ]
    return Table(head, rows, words=(0,), marked=(7, 9))

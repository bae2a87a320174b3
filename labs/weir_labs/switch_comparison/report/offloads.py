"""The report on TCP with and without the kernel's large frames."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Section, Table, decimal, with_interval

from .points import Row, means, missing_switches, names, title


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the gain from offloads for each switch that supports them."""
    rows = means(tables.runs.filter(pl.col("available")), "switch", "offloads", "size")
    by_offloads = {(row["switch"], row["offloads"]): row for row in rows}
    gains = [
        f"{title(switch)} {on['goodput_mbps'] / off['goodput_mbps']:.1f}"
        for switch in names(rows)
        if (on := by_offloads.get((switch, True)))
        and (off := by_offloads.get((switch, False)))
        and off["goodput_mbps"]
    ]
    missing = missing_switches(tables)
    return Findings(
        "With large frames (GSO) and partial checksums, TCP is faster by these factors: "
        f"{', '.join(gains) or 'not known'}.",
        [
            Section(
                "With the hosts' offloads",
                [
                    "With offloads, as usual between programs on one computer, the kernel passes on "
                    "up to 64 KB at once, without checksums. Only switches that support this are "
                    "measured; other switches would drop such frames or forward wrong checksums.",
                ],
                [_table(rows)],
            ),
            *([missing] if missing else []),
        ],
    )


def _table(rows: list[Row]) -> Table:
    lines = [
        [
            title(row["switch"]),
            "on" if row["offloads"] else "off",
            with_interval(row["goodput_mbps"], row["goodput_mbps_half"], 0),
            decimal(row["cpu_percent"], 1),
            decimal(row["cpu_us_per_mbit"], 1),
            decimal(row["loaded_rtt_us"], 0),
        ]
        for switch in names(rows)
        for row in rows
        if row["switch"] == switch
    ]
    head = ["switch", "offloads", "goodput (Mbit/s)", "CPU (%)", "CPU (µs per Mbit)", "round trip (µs)"]
    return Table(head, lines, "One TCP flow: means of the runs ± half of the 95 % interval.", words=(0, 1))

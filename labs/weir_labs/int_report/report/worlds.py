"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch
from weir.report import Section

_COLUMNS = [
    ("goodput_mbps", "received (Mbit/s)", 3),
    ("loss_percent", "loss (%)", 2),
    ("predicted_loss_percent", "computed (%)", 2),
    ("delay_ms", "delay (ms)", 2),
    ("rtt_ms", "ping (ms)", 1),
    ("reports", "reports", 0),
    ("longest_queue", "longest queue reported", 0),
]


def load(tables: Tables, plots: Path) -> Findings:
    """Compares loss by load with and without telemetry, and counts reports for each datagram that
    arrived."""
    runs = tables.runs.filter(pl.col("telemetry") == "on", pl.col("error").is_null())
    bad = runs["bad_reports"].sum() or 0
    shares = []
    for (world,), world_runs in runs.partition_by("world", maintain_order=True, as_dict=True).items():
        sent, lost, reports = (sum(world_runs[name].to_list()) for name in ("sent", "lost", "reports"))
        shares.append(f"{world} {100 * reports / max(1, sent - lost):.1f} %")
    return Findings(
        f"Reports that came back for each 100 datagrams that arrived: {', '.join(shares) or 'not known'}; {bad} of them were damaged.",
        [
            Section(
                f"Telemetry {telemetry}, in both worlds",
                [
                    "Datagrams, pings and the prediction are those of the virtual lab. The links' rates are "
                    "the same on real hosts; delays also include the time of the computer's processes."
                ],
                by_switch(tables, "mbps", "sent (Mbit/s)", _COLUMNS, telemetry=telemetry),
            )
            for telemetry in tables.values("telemetry")
        ],
    )

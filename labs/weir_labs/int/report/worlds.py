"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.lab.worlds import by_switch, named
from weir.report import Section

_COLUMNS = [
    ("int_bytes", "most in a packet", 1),
    ("network_bytes", "in the network", 1),
    ("collector_bytes", "to the collector", 1),
    ("reports_per_packet", "reports", 2),
    ("differs", "links that differ", 1),
]


def cost(tables: Tables, plots: Path) -> Findings:
    """Shows bytes by mode and number of switches, and on how many links they differ from the
    computed numbers."""
    differs = []
    for name, (world, switch) in named(tables).items():
        world_runs = tables.runs.filter(pl.col("world") == world, pl.col("switch") == switch)
        differs += (
            [f"{name} {world_runs['differs'].sum()} of {world_runs['switches'].sum() + world_runs.height}"]
            if len(world_runs)
            else []
        )
    return Findings(
        f"Links whose bytes differ from the computed ones: {', '.join(differs) or 'not known'}.",
        [
            Section(
                "Bytes of telemetry for each packet, in both worlds",
                [
                    "Packet sockets count the frames at the links of real switches, and sniffers those of the virtual world. The computed "
                    "numbers are those of the virtual lab."
                ],
                [
                    replace(table, caption=f"{count_noun(switches, 'switch').capitalize()}. {table.caption}")
                    for switches in tables.values("switches")
                    for table in by_switch(tables, "mode", "mode", _COLUMNS, switches=switches)
                ],
            )
        ],
    )

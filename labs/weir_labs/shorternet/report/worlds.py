"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch
from weir.report import Section

_COLUMNS = [
    ("latency_min_ms", "min latency (ms)", 3),
    ("latency_median_ms", "median latency (ms)", 3),
    ("links_ms", "the links' time (ms)", 3),
    ("payload_percent", "payload (%)", 1),
    ("lost", "lost", 1),
    ("changed", "changed", 1),
]


def benchmark(tables: Tables, plots: Path) -> Findings:
    """Shows latency and payload by packet length, for both stacks, in both worlds."""
    runs = tables.runs.filter(pl.col("error").is_null())
    counts = [
        f"{world}: {world_runs['sent'].sum()} sent, {world_runs['lost'].sum()} lost, {world_runs['changed'].sum()} changed"
        for (world,), world_runs in runs.partition_by("world", maintain_order=True, as_dict=True).items()
    ]
    return Findings(
        f"Packets of both stacks, {'; '.join(counts) or 'not known'}.",
        [
            Section(
                f"The stack {stack}, in both worlds",
                [
                    "h1 sends packets at a constant rate over three switches and four links. On real hosts, programs send and receive "
                    "frames at packet sockets, because no kernel knows Shorternet. Links take the same time in both worlds; the rest is "
                    "the time of processes that wake up."
                ],
                by_switch(tables, "length", "bytes of a packet", _COLUMNS, stack=stack),
            )
            for stack in tables.values("stack")
        ],
    )

"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch, far_apart, named
from weir.report import Section

_COLUMNS = [
    ("slowest_mbps", "slowest flow (Mbit/s)", 2),
    ("total_mbps", "all flows (Mbit/s)", 2),
    ("paths_at_end", "paths at the end", 1),
    ("rtt_ms", "round trip (ms)", 1),
    ("notices", "feedback", 1),
    ("retransmits", "retransmitted", 0),
]


def balancing(tables: Tables, plots: Path) -> Findings:
    """Compares rates and paths in both worlds, by the queues that count."""
    points = {
        (row["world"], row["switch"], row["queues"]): row
        for row in tables.points("world", "switch", "queues").to_dicts()
        if row["total_mbps"] is not None
    }
    texts, apart = [], []
    for queues in tables.values("queues"):
        rows = []
        for name, (world, switch) in named(tables).items():
            row, virtual = points.get((world, switch, queues)), points.get(("virtual", switch, queues))
            if row is not None:
                rows.append(f"{name} {row['total_mbps']:.1f}")
            if row is not None and virtual is not None and world == "linux":
                apart.append((f"{name}, {queues}", virtual["total_mbps"], row["total_mbps"], row["n"]))
        texts.append(f"{queues}: {', '.join(rows) or 'no runs'}")
    return Findings(
        f"Mbit/s of all flows together in the last seconds, by the queues that count, {'; '.join(texts)}.{far_apart(apart)}",
        [
            Section(
                "Four flows and four paths, in both worlds",
                [
                    "Flows, paths and feedback are those of the virtual lab. On real hosts, the "
                    "ports that the kernel chooses decide which paths the flows have at first, so "
                    "runs differ more than in the virtual world."
                ],
                by_switch(tables, "queues", "queues", _COLUMNS),
            )
        ],
    )

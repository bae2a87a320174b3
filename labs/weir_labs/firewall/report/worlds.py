"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch, named
from weir.report import Section

_COLUMNS = [
    ("members_lost", "pings lost between members", 1),
    ("late_before", "pings answered while h4 is shut out", 1),
    ("late_lost", "pings of h4 lost after that", 1),
    ("spoofed_sent", "spoofed frames", 0),
    ("spoofed_leaked", "of these passed", 1),
]


def binding(tables: Tables, plots: Path) -> Findings:
    """Compares in both worlds whether members reach each other and other packets are refused."""
    points = {(row["world"], row["switch"]): row for row in tables.points("world", "switch").to_dicts()}
    texts = "; ".join(
        f"{name}: {row['spoofed_leaked']:.2g} of {row['spoofed_sent']:.0f} spoofed frames passed, {row['late_before']:.2g} pings reached a "
        f"host that is shut out, {row['members_lost'] + row['late_lost']:.2g} pings of members were lost"
        for name, place in named(tables).items()
        if (row := points.get(place)) is not None and row["spoofed_sent"] is not None
    )
    return Findings(
        f"{texts or 'There are no runs'}.",
        [
            Section(
                "Reachable hosts in both worlds",
                [
                    "Entries, pings and spoofed frames are those of the virtual lab. Real hosts "
                    "answer with their kernels' stacks; x1 sends the spoofed frames from a packet "
                    "socket."
                ],
                by_switch(tables, "pings", "pings of each pair", _COLUMNS),
            )
        ],
    )

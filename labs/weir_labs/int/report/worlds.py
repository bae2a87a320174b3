"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

from weir.lab import Findings, Tables
from weir.lab.worlds import side_by_side
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
    differs = [
        f"{world} {own['differs'].sum()} of {own['switches'].sum() + own.height}"
        for (world,), own in tables.runs.partition_by("world", maintain_order=True, as_dict=True).items()
    ]
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
                    side_by_side(tables, "mode", "mode", _COLUMNS, f"{switches} switches.", switches=switches)
                    for switches in tables.values("switches")
                ],
            )
        ],
    )

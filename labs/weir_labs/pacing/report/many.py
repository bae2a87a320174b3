"""The report on up to 200 flows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, Table, decimal

from ..many import HOSTS
from .common import with_unit


def findings(tables: Tables, _plots: Path) -> Findings:
    """Reports the shares of many flows, and the number of notifications."""
    rows = tables.points("flows", "rate", "rtt", "queue", "seconds", "reserve_percent").to_dicts()
    return Findings(
        _answer(rows[-1]),
        [
            Section(
                "Many flows",
                [
                    f"A flow joins every 5 ms at one of {HOSTS} hosts, and all earlier flows are "
                    "notified of each join."
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            ("flows", "flows"),
                            ("rate", lambda row: with_unit(row["rate"])),
                            ("share (Mbit/s)", "share_mbps", 3),
                            ("slowest", "slowest_mbps", 3),
                            ("fastest", "fastest_mbps", 3),
                            ("fairness", "fairness", 4),
                            ("all (Mbit/s)", "total_mbps", 2),
                            ("rates right", "right", 0),
                            ("after (ms)", "settled_ms", 1),
                            ("notifications", "notices", 0),
                            ("not counted", "without_slot", 0),
                            ("lost", "dropped", 0),
                        ],
                        "Goodput in the second half. Times are after the last join.",
                        marked=(5, 8),
                    )
                ],
                notes=[
                    "n joins cause n(n-1)/2 notifications, and refreshes cause one notification per "
                    "flow and second.",
                ],
            )
        ],
    )


def _answer(most: dict[str, Any]) -> str:
    # The index of a single flow is always 1.
    fair = (
        f"{most['flows']} flows have a fairness of {decimal(most['fairness'], 4)}; after"
        if most["flows"] > 1
        else "After"
    )
    return (
        f"{fair} the last "
        f"join {decimal(most['right'], 0)} of {most['flows']} {'flow has' if most['flows'] == 1 else 'flows have'} the right rate, within "
        f"{decimal(most['settled_ms'], 1)} ms."
    )

"""The report on a host that leaves by FIN, by RST, or silently."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal

from .common import NAMES, over_time, with_unit

WORDS = {"fin": "FIN", "rst": "RST", "silence": "no more packets"}


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the time until the others have the leaving host's share."""
    keys = ("way", "mode", "hosts", "rate", "rtt", "silence", "reserve_percent")
    rows = tables.points(*keys).to_dicts()
    rates = tables.frame("rates").filter(pl.col("repetition") == 0, pl.col("mode") == rows[0]["mode"])
    slowest = max(
        (row["settled_rtts_max"] for row in rows if row["settled_rtts_max"] is not None), default=None
    )
    unsettled = [row for row in rows if row["settled_rtts_max"] is None]
    return Findings(
        (
            f"When a host leaves, all others have set their new rates within {decimal(slowest, 3)} round "
            "trips after the switch detected it"
            if slowest is not None
            else "When a host leaves, not all others set their new rates in the runs"
        )
        + (f"; not at {len(unsettled)} of {len(rows)} points." if unsettled and slowest is not None else "."),
        [
            Section(
                "A host leaves",
                [
                    f"{rows[0]['hosts']} hosts send over a link of {with_unit(rows[0]['rate'])}, and h1 leaves "
                    "in the middle. The switch sees a FIN or an RST; if there is neither, it assumes "
                    f"that a flow without packets for {with_unit(rows[0]['silence'])} has left.",
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            ("h1 ends with", lambda row: WORDS[row["way"]]),
                            ("mode", lambda row: NAMES[row["mode"]]),
                            ("runs", "n"),
                            ("others' rates right after (ms)", "settled_ms", 3),
                            ("at most", "settled_ms_max", 3),
                            ("in round trips", "settled_rtts_max", 4),
                            ("before (Mbit/s)", "before_mbps", 2),
                            ("after (Mbit/s)", "after_mbps", 2),
                        ],
                        "Times begin when the switch receives the FIN or RST, or at the end of the "
                        "time without packets.",
                        words=(0, 1),
                        marked=(3,),
                    )
                ],
                [
                    Figure(
                        over_time(
                            plots,
                            "leaving",
                            {WORDS[way]: rates.filter(pl.col("way") == way) for way in tables.values("way")},
                        ),
                        "Goodput of each host over time, for each way in which h1 leaves.",
                        wide=True,
                    )
                ],
                notes=[
                    "After an RST, h1's data in flight still arrives while the others already send "
                    "faster, so some packets are lost and Cubic needs time to recover.",
                ],
            )
        ],
    )

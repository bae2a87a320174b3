"""The report on flows that ignore the scheme, and on lost notifications."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal

from .common import over_time, with_unit

WORDS = {
    "none": "no fault",
    "ignores": "the last host does not send the option, and does not pace",
    "lost": "h1's link is down for 5 ms when the last host joins",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the rate of each host, and the time until all rates are right again."""
    keys = ("fault", "refresh", "mode", "hosts", "rate", "rtt", "queue", "seconds", "reserve_percent")
    rows = tables.points(*keys).to_dicts()
    refresh = tables.values("refresh")[-1]
    rates = tables.frame("rates").filter(pl.col("repetition") == 0, pl.col("refresh") == refresh)
    lost = [
        f"with a refresh of {with_unit(row['refresh'])}, rates are "
        + (
            "never right again"
            if row["healed_ms"] is None
            else f"right again after {decimal(row['healed_ms'], 0)} ms"
        )
        for row in rows
        if row["fault"] == "lost"
    ]
    return Findings(
        f"After a lost notification: {'; '.join(lost)}." if lost else "No notification was lost.",
        [
            Section(
                "Faults",
                [
                    "All hosts except the last send from the start; the last host joins in the "
                    "middle. A switch notifies a flow of its share again after the time refresh; 0 s "
                    "means never, as in the paper.",
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            ("fault", lambda row: WORDS[row["fault"]]),
                            ("refresh", "refresh"),
                            ("rates right after (ms)", "healed_ms", 1),
                            ("h1 (Mbit/s)", "h1_mbps", 2),
                            ("last host (Mbit/s)", "last_mbps", 2),
                            ("all (Mbit/s)", "total_mbps", 2),
                            ("fairness", "fairness", 4),
                            ("lost", "dropped", 0),
                        ],
                        "Goodput in the last quarter; packets lost since the join. A dash means that "
                        "rates were not right until the end or the next join.",
                        words=(0,),
                        marked=(2,),
                    )
                ],
                [
                    Figure(
                        over_time(
                            plots,
                            "faults",
                            {
                                fault: rates.filter(pl.col("fault") == fault)
                                for fault in tables.values("fault")
                            },
                        ),
                        f"Goodput with a refresh of {with_unit(refresh)}, for each fault. "
                        + " ".join(f"{fault}: {WORDS[fault]}." for fault in tables.values("fault")),
                        wide=True,
                    )
                ],
                notes=[
                    "The switch does not count a flow that does not send the option, so the other "
                    "flows divide the whole link among them and leave only the reserve to it. This "
                    "flow loses packets and backs off, and the other flows also lose some packets.",
                ],
            )
        ],
    )

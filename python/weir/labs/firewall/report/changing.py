"""Traffic of members while everything changes."""

from __future__ import annotations

from pathlib import Path

from weir.labs import Findings, Tables
from weir.report import Section, Table, decimal


def findings(tables: Tables, plots: Path) -> Findings:
    """Losses by size of the sets of rules."""
    runs = tables.runs
    head = [
        "rules in a set",
        "exchanges",
        "joins and leaves",
        "writes",
        "longest join (ms)",
        "packets of h1 and h3",
        "lost",
        "refused",
    ]
    names = ("rules", "exchanges", "joins", "writes")
    own = ("sent", "lost", "refused")
    return Findings(
        f"h1 and h3 lose {runs['lost'].sum()} of {runs['sent'].sum():,} packets during {runs['exchanges'].sum():,} exchanges of rules "
        f"and {runs['joins'].sum():,} memberships of other hosts, who join in {runs['join_max_ms'].to_numpy().max():.2f} ms at most.",
        [
            Section(
                "Nothing is lost while rules change",
                [
                    "h2 and h4 join and leave all the time, and every switch exchanges its rules on layers 3 and 4 as fast as the "
                    "controller can write them, 50 µs for each entry. Entries for hosts go before those of rules.",
                ],
                [
                    Table(
                        head,
                        [
                            [
                                *(f"{row[name]:,}" for name in names),
                                decimal(row["join_max_ms"]),
                                *(f"{row[name]:,}" for name in own),
                            ]
                            for row in runs.iter_rows(named=True)
                        ],
                        marked=(6,),
                    )
                ],
            )
        ],
    )

"""Atomic changes of rules, and others."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, draw_bars


def findings(tables: Tables, plots: Path) -> Findings:
    """How often the set of rules changes from one packet to the next."""
    runs = tables.runs
    whole, other = (
        runs.filter(pl.col("way") == way)["back_and_forth"].sum() for way in ("whole set", "entry by entry")
    )
    head = ["way", "rules", "exchanges", "packets", "passed", "changes seen by packets", "too many"]
    names = ("rules", "exchanges", "packets", "passed", "changes", "back_and_forth")
    return Findings(
        f"If sets of rules are exchanged as a whole, packets see {whole} changes too many; entry by entry, {other:,}.",
        [
            Section(
                "Are changes atomic?",
                [
                    "Two sets of rules take turns: one permits even ports, the other odd ones. h1 sends to all ports in turn, so each "
                    "packet's fate says by which set it was judged. If a change is atomic, the set changes once.",
                    "A whole set is written next to the one in force, and one write exchanges them. For comparison, the "
                    "controller changes the entries of the set in force, one after the other.",
                ],
                [
                    Table(
                        head,
                        [
                            [row["way"], *(f"{row[name]:,}" for name in names)]
                            for row in runs.iter_rows(named=True)
                        ],
                        words=(0,),
                        marked=(5, 6),
                    )
                ],
                [
                    Figure(
                        draw_bars(
                            plots,
                            "exchange",
                            [f"{row['way']}, {row['rules']} rules" for row in runs.iter_rows(named=True)],
                            [row["changes"] / row["exchanges"] for row in runs.iter_rows(named=True)],
                            "changes that packets see per exchange",
                        ),
                        "An atomic exchange is one change, as with whole sets; entry by entry, packets see many.",
                    )
                ],
            )
        ],
    )

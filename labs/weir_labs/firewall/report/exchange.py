"""The report on atomic and other changes of rules."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Figure, Section, Table, draw_bars


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports how often the applied set of rules changes from one packet to the next."""
    runs = tables.runs
    head = ["way", "rules", "exchanges", "packets", "passed", "changes seen by packets", "too many"]
    names = ("rules", "exchanges", "packets", "passed", "changes", "back_and_forth")
    return Findings(
        f"Superfluous changes that packets see: {'; '.join(_superfluous(runs))}.",
        [
            Section(
                "Are changes atomic?",
                [
                    "Two sets of rules alternate: one permits even ports, the other odd ports. h1 "
                    "sends to all ports in turn, so the result of each packet shows which set was "
                    "applied. If a change is atomic, the applied set changes once.",
                    "With whole sets, the controller writes the new set in addition to the active "
                    "one, and then switches with a single write. For comparison, the controller "
                    "changes the entries of the active set one after the other.",
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
                    ).by_repetition(runs["repetition"])
                ],
                [
                    Figure(
                        draw_bars(
                            plots,
                            "exchange",
                            [
                                f"{row['way']}, {count_noun(row['rules'], 'rule')}"
                                for row in runs.iter_rows(named=True)
                            ],
                            [row["changes"] / row["exchanges"] for row in runs.iter_rows(named=True)],
                            "changes that packets see per exchange",
                        ),
                        "The changes that packets see per exchange; an exchange with one change is atomic.",
                    )
                ],
            )
        ],
    )


def _superfluous(runs: pl.DataFrame) -> list[str]:
    """Counts the superfluous changes of each way that was run."""
    names = {
        "whole set": "if sets of rules are exchanged as a whole",
        "entry by entry": "if entries are changed one by one",
    }
    return [
        f"{way_runs['back_and_forth'].sum():,} {names.get(way, way)} ({count_noun(int(way_runs['exchanges'].sum()), 'exchange')})"
        for (way,), way_runs in runs.partition_by("way", maintain_order=True, as_dict=True).items()
    ]

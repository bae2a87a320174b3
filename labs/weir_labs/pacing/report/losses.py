"""Random losses on the link, next to the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, decimal

from .common import NAMES
from .joining import KEYS
from .totals import totals_by


def findings(tables: Tables, plots: Path) -> Findings:
    """The total rates by mode and share of lost packets, and the variation in P1 of the runs'
    mean."""
    rows = tables.points(*KEYS, "loss").to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "A link that loses packets?",
                [
                    "In the paper, a host that sends alone has a third of the link without pacing, and two hosts have twice as much. The "
                    "lab's link with a short queue gives much more. The paper says that scenario 2 stands for a wide-area network "
                    "with loss, but not whether its link lost packets. So here the link loses some at random, in both directions. The rate "
                    "of 0.05 % is fitted: with it, regular TCP has the paper's total in P1.",
                    "A random loss hits paced flows as well, and the paper's paced hosts have two to three times as much in P1. So random "
                    "losses alone do not give the paper's totals. Losses of bursts might; hosts here send none.",
                ],
                [totals_by(tables, rows, "loss", "lost", str)],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    texts = [
        f"{decimal(row['total_1'], 1)} and {decimal(row[f'total_{last}'], 1)} {NAMES[row['mode']]} with {row['loss']}"
        for row in rows
    ]
    return (
        f"If the link loses packets at random, one host and {last} hosts have these totals in Mbit/s: "
        + ", ".join(texts)
        + "."
    )

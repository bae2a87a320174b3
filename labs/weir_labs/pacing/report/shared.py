"""Hosts and switch on one computer, next to the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, decimal

from .common import NAMES
from .joining import KEYS
from .totals import totals_by


def findings(tables: Tables, plots: Path) -> Findings:
    """Totals by mode and speed of the computer."""
    rows = tables.points(*KEYS, "slower").to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "One computer for everything?",
                [
                    "In the paper, hosts and switch ran in Mininet on one computer. Here they share one with two processors. It is "
                    "slower than the one that was fitted to BMv2's simple_switch, by a factor that is free: the paper does not say "
                    "how fast its computer was.",
                    "If the computer were the reason for the paper's low totals of one host, more hosts would not have more: the "
                    "computer carries the same load for one host as for four.",
                ],
                [totals_by(tables, rows, "slower", "computer slower", lambda slower: f"{slower:g} times")],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    texts = [
        f"{decimal(row['total_1'], 1)} and {decimal(row[f'total_{last}'], 1)} {NAMES[row['mode']]}, {row['slower']:g} times slower"
        for row in rows
        if row["mode"] == rows[0]["mode"]
    ]
    return (
        f"If hosts and switch share a computer, one host and {last} hosts have these totals in Mbit/s: "
        + ", ".join(texts)
        + "."
    )

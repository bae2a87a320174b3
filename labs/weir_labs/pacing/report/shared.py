"""The report on hosts and switch on one computer, compared with the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, decimal

from .common import NAMES
from .joining import KEYS
from .totals import totals_table


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the totals by mode and speed of the computer."""
    rows = tables.points(*KEYS, "slower").to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "One computer for hosts and switch",
                [
                    "In the paper, hosts and switch ran in Mininet on one computer. Here they share "
                    "a modelled computer with two processors. It is slower than the computer fitted "
                    "to BMv2's simple_switch by a free factor, because the paper does not give the "
                    "speed of its computer.",
                    "If the computer were the reason for the paper's low totals of one host, more "
                    "hosts would not have a larger total, because the computer's limit is the same "
                    "for one host as for four.",
                ],
                [totals_table(tables, rows, "slower", "computer slower", lambda slower: f"{slower:g} times")],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    texts = [
        f"{decimal(row['total_1'], 1)} and {decimal(row[f'total_{last}'], 1)} {NAMES[row['mode']]}, "
        f"{row['slower']:g} times slower"
        for row in rows
        if row["mode"] == rows[0]["mode"]
    ]
    return (
        f"If hosts and switch share a computer, one host and {last} hosts have these totals in Mbit/s: "
        + ", ".join(texts)
        + "."
    )

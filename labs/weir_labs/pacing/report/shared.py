"""The report on hosts and switch on one computer, compared with the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, measured

from ..paper import TOTALS
from .common import NAMES, slower_by
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
                    "In the paper, four hosts have nearly three times the total of one host without "
                    "pacing. A computer that is too slow for the total of four hosts is also too slow "
                    "for one host: a lower total in P1 comes with lower totals in P2 to P4.",
                ],
                [totals_table(tables, rows, "slower", "computer", slower_by)],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    counts = [1, last] if last > 1 else [1]
    mode = rows[0]["mode"]
    texts = [
        " and ".join(measured(row[f"total_{hosts}"], row[f"total_{hosts}_half"], 1) for hosts in counts)
        + f" ({slower_by(row['slower'])})"
        for row in rows
        if row["mode"] == mode
    ]
    paper = TOTALS["regular"]
    its = f"; the paper has {paper[0]} and {paper[-1]}" if mode == "cubic" and last == len(paper) else ""
    who = "one host has" if last == 1 else f"one host and {last} hosts have"
    return (
        f"If hosts and switch share a computer, {who} these totals in Mbit/s ({NAMES[mode]}): "
        f"{', '.join(texts)}{its}."
    )

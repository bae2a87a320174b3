"""The report on random losses on the link, compared with the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from weir.lab import Findings, Tables, count_noun
from weir.report import Section

from ..paper import TOTALS
from .common import NAMES, in_words, with_unit
from .joining import KEYS
from .totals import totals_table

_FITTED: Final = "0.05%"
"""The loss rate with which regular TCP has the paper's total of one host."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the total rates by mode and loss rate, and the variation of the runs' mean in P1."""
    rows = tables.points(*KEYS, "loss").to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "Random losses",
                [
                    "In the paper, a host that sends alone without pacing gets a third of the link, "
                    "and two hosts get twice as much. In the lab, hosts get much more with a short "
                    "queue. The paper says that scenario 2 stands for a wide-area network with loss, "
                    "but not whether its link lost packets. In this experiment, the link therefore loses "
                    "packets at random in both directions. The loss rate of 0.05 % is fitted, so "
                    "that regular TCP has the paper's total in P1.",
                    "A random loss hits paced flows as well, but the paper's paced hosts have 2.0 times (FQ) and "
                    "2.4 times (HTB) the goodput of regular TCP in P1. Random losses alone therefore do not explain the paper's "
                    "totals. Losses in bursts might, but the lab's hosts send no bursts.",
                ],
                [totals_table(tables, rows, "loss", "lost", with_unit)],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]

    def totals(period: int) -> str:
        return ", ".join(
            f"{in_words(row, f'total_{period}', 1)} ({NAMES[row['mode']]}, {with_unit(row['loss'])} lost)"
            for row in rows
        )

    together = f"{count_noun(last, 'host')} together have these totals in Mbit/s: {totals(last)}. One host has {totals(1)}"
    alone = f"one host has these totals in Mbit/s: {totals(1)}"
    text = f"If the link loses packets at random, {together if last > 1 else alone}"
    if any(row["loss"] == _FITTED for row in rows):
        text += f"; {with_unit(_FITTED)} is fitted to the paper's {TOTALS['regular'][0]} for regular TCP"
    return f"{text}."

"""Random losses on the link, next to the paper's totals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import Section, Table, decimal, measured

from ..averaged import variation_of_mean
from ..paper import TOTALS, VARIATION
from ..scenarios import MODES
from .common import NAMES
from .joining import KEYS

_PAPER = {own: paper for paper, own in MODES.items()}


def findings(tables: Tables, plots: Path) -> Findings:
    """Totals by mode and rate of losses, and the mean of the runs' variation in P1."""
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
                    "A random loss hits paced flows as well. So if losses are the reason for the paper's regular TCP, its paced flows lost "
                    "fewer packets: those that were lost belonged to bursts.",
                ],
                [_table(tables, rows)],
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


def _table(tables: Tables, rows: list[dict[str, Any]]) -> Table:
    hosts = range(1, rows[0]["hosts"] + 1)
    shown = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        published = TOTALS.get(_PAPER.get(mode, ""), ()) if len(hosts) == 4 else ()
        if published:
            variation = VARIATION[_PAPER[mode]][0][0]
            shown.append([NAMES[mode], "paper", "10", *map(str, published), f"{variation}"])
        for row in rows:
            if row["mode"] == mode:
                where = {key: row[key] for key in (*KEYS, "loss")}
                variation_1 = variation_of_mean(tables, 1, "h1", **where)
                shown.append(
                    [
                        NAMES[mode],
                        row["loss"],
                        f"{row['n']}",
                        *(
                            measured(row[f"total_{number}"], row[f"total_{number}_half"], 1)
                            for number in hosts
                        ),
                        decimal(variation_1, 1),
                    ]
                )
    return Table(
        ["mode", "lost", "runs", *(f"P{number} (Mbit/s)" for number in hosts), "variation of h1 in P1 (%)"],
        shown,
        "All hosts together. The variation is that of the mean of the runs.",
        words=(0, 1),
        marked=(3,),
    )

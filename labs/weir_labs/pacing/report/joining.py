"""Hosts that join one after the other, next to the paper's tables I and II."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from weir import units
from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal

from ..paper import FAIRNESS, TOTALS, VARIATION
from .common import NAMES, over_time

KEYS = ("mode", "hosts", "rate", "rtt", "period", "queue", "reserve_percent")

_PAPER = {"cubic": "regular", "reno": "regular", "htb": "htb", "fq": "fq"}


def wan(tables: Tables, plots: Path) -> Findings:
    """Scenario 2, with the paper's numbers."""
    return _findings(tables, plots, "Scenario 2: a link with delay", "wan", with_paper=True)


def lan(tables: Tables, plots: Path) -> Findings:
    """Scenario 1, for which the paper has plots only."""
    return _findings(tables, plots, "Scenario 1: a fast link without delay", "lan", with_paper=False)


def _findings(tables: Tables, plots: Path, title: str, name: str, with_paper: bool) -> Findings:
    rows = tables.points(*KEYS).to_dicts()
    rates = tables.frame("rates").filter(pl.col("repetition") == 0)
    first = {key: rows[0][key] for key in KEYS[1:]}
    shown = [row for row in rows if all(row[key] == value for key, value in first.items())]
    figures = []
    for row in shown:
        own = rates.filter(
            pl.col("mode") == row["mode"], *(pl.col(key) == value for key, value in first.items())
        )
        figures.append(
            Figure(
                over_time(plots, f"{name}-{row['mode']}", own),
                f"{NAMES[row['mode']]}: goodput of each host in one run.",
            )
        )
    return Findings(
        _answer(shown),
        [
            Section(
                title,
                [
                    f"Hosts begin to send one after the other, every {first['period']}, over a link of {first['rate']} with a "
                    f"round trip of {first['rtt']} and a queue of {first['queue']}. P1 is the time in which "
                    "h1 sends alone, P2 that in which h1 and h2 send, and so on. Rates are goodput. "
                    "The coefficient of variation is that of a host's rates in 15 "
                    "intervals of a period, the fairness Jain's index of the hosts' means.",
                ],
                [
                    _totals(rows, with_paper),
                    _variation(rows, with_paper),
                    *([] if len(_hosts(rows)) > 8 else [_shares(rows)]),
                    _scheme(rows),
                ],
                figures,
                notes=[
                    f"Pacing leaves {first['reserve_percent']:g} % of the link unused (the paper's l), and headers take 4.4 %: with "
                    f"full segments the hosts can have {_largest_goodput(first):.1f} Mbit/s together.",
                ],
            )
        ],
    )


def _largest_goodput(first: dict[str, Any]) -> float:
    used = 1 - float(first["reserve_percent"]) / 100
    return units.rate_bps(first["rate"]) / 1e6 * used * 1448 / 1514


def _hosts(rows: list[dict[str, Any]]) -> list[int]:
    return [*range(1, rows[0]["hosts"] + 1)]


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    texts = [
        f"{decimal(row[f'total_{last}'], 1)} Mbit/s with a fairness of {decimal(row[f'fairness_{last}'], 5)} ({NAMES[row['mode']]})"
        for row in rows
    ]
    settled = max((row["settled_rtts_max"] or 0.0 for row in rows), default=0.0)
    text = f"All {last} hosts together have " + ", ".join(texts) + "."
    if settled:
        text += f" After a join all hosts have the right rate within {settled:.2f} round trips."
    return text


def _periods(rows: list[dict[str, Any]]) -> list[str]:
    return [f"P{number}" for number in _hosts(rows)]


def _totals(rows: list[dict[str, Any]], with_paper: bool) -> Table:
    table = []
    for row in rows:
        paper = TOTALS[_PAPER[row["mode"]]] if with_paper and row["mode"] in _PAPER else ()
        fair = FAIRNESS[_PAPER[row["mode"]]] if with_paper and row["mode"] in _PAPER else ()
        for measure, published, digits in (("total", paper, 2), ("fairness", fair, 5)):
            cells = [decimal(row[f"{measure}_{number}"], digits) for number in _hosts(rows)]
            spread = [decimal(row[f"{measure}_{number}_half"], digits) for number in _hosts(rows)]
            own = ["goodput (Mbit/s)" if measure == "total" else "fairness", NAMES[row["mode"]], row["queue"]]
            table.append([*own, f"{row['n']}", *cells, spread[-1]])
            if len(published) == len(cells):
                table.append([own[0], f"paper, {_PAPER[row['mode']]}", "", "10", *map(str, published), ""])
    return Table(
        ["", "mode", "queue", "runs", *_periods(rows), "± 95 %"],
        table,
        "All hosts together, by period; the last column is for the last period.",
        words=(0, 1),
        marked=(len(table[0]) - 2,),
    )


def _variation(rows: list[dict[str, Any]], with_paper: bool) -> Table:
    last = rows[0]["hosts"]
    head = [f"h{number}" for number in _hosts(rows)]
    table = []
    for row in rows:
        cells = [decimal(row[f"cv_{last}_{name}"], 2) for name in head]
        table.append([NAMES[row["mode"]], row["queue"], *cells])
        published = VARIATION[_PAPER[row["mode"]]][-1] if with_paper and row["mode"] in _PAPER else ()
        if len(published) == len(cells):
            table.append([f"paper, {_PAPER[row['mode']]}", "", *map(str, published)])
    return Table(
        ["mode", "queue", *head],
        table,
        f"Coefficients of variation in P{last}, in per cent.",
        words=(0,),
    )


def _shares(rows: list[dict[str, Any]]) -> Table:
    head = [
        "mode",
        "queue",
        *(f"P{period} h{host}" for period in _hosts(rows) for host in range(1, period + 1)),
    ]
    return Table(
        head,
        [
            [
                NAMES[row["mode"]],
                row["queue"],
                *(
                    decimal(row[f"mbps_{period}_h{host}"], 2)
                    for period in _hosts(rows)
                    for host in range(1, period + 1)
                ),
            ]
            for row in rows
        ],
        "Goodput of each host, in Mbit/s.",
        words=(0,),
    )


def _scheme(rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("mode", lambda row: NAMES[row["mode"]]),
            ("queue", "queue"),
            ("mean queue (packets)", "queue_mean", 2),
            ("lost", "dropped", 1),
            ("notifications", "notices", 0),
            (
                "joins that settled",
                lambda row: decimal(row["settled"], 1) if row["mode"] in ("htb", "fq") else "–",
            ),
            ("round trips, at most", "settled_rtts_max", 2),
        ],
        "A join has settled when all agents have set the right rates; the time is in round trips of the new host's handshake.",
        words=(0,),
    )

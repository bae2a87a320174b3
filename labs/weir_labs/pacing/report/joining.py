"""The report on hosts that join one after the other, compared with the paper's tables I and II."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from weir import units
from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, decimal, interval, measured

from ..agent import PACERS
from ..averaged import fairness_of_mean, variation_of_mean
from ..paper import FAIRNESS, THROUGHPUT, TOTALS, VARIATION
from ..scenarios import SCENARIO_2
from .common import NAMES, in_words, over_time, packets, with_unit

KEYS = ("mode", "hosts", "rate", "rtt", "period", "queue", "reserve_percent")

Published = Mapping[str, Sequence[Sequence[float]]]
"""The paper's numbers by mode, period and host."""

Cells = Callable[[dict[str, Any]], dict[str, list[str]]]
"""A function that formats a point as rows of a table; it returns the cells of each row by the row's
title."""

_PAYLOAD_SHARE: Final = 1448 / 1514
"""The share of a full frame's bytes that is payload."""

_PAPER = {"cubic": "regular", "reno": "regular", "htb": "htb", "fq": "fq"}


_ABOUT_PAPER: Final = (
    "The paper gives neither the queue nor the reserve l. The queue of 16 packets is fitted, so that "
    "regular TCP has the paper's total in P4. The reserve of 0.5 % is also fitted, because it is the "
    "part that the paper's HTB leaves unused in P4. No constant reserve gives the paper's totals in "
    "all periods (the table below).",
    "Some results of the paper are not explained: the totals in P1 and P2, HTB's lead "
    "over FQ (14.7 Mbit/s in P1, 0.6 in P4), and the small rate of h4 in P4 with regular TCP. "
    "In the lab, HTB and FQ pace each packet alike, and a host "
    "that sends alone gets its whole share. Losses that come in bursts might explain the totals; "
    "the lab has not tested this.",
)


def wan(tables: Tables, plots: Path) -> Findings:
    """Reports the rates in scenario 2, next to the paper's numbers."""
    return _findings(tables, plots, "Scenario 2: a link with delay", "wan", with_paper=True)


def lan(tables: Tables, plots: Path) -> Findings:
    """Reports the rates in scenario 1, for which the paper has only plots."""
    return _findings(tables, plots, "Scenario 1: a fast link without delay", "lan", with_paper=False)


def _findings(tables: Tables, plots: Path, title: str, name: str, with_paper: bool) -> Findings:
    rows = tables.points(*KEYS).to_dicts()
    rates = tables.frame("rates").filter(pl.col("repetition") == 0)
    first = {key: rows[0][key] for key in KEYS[1:]}
    first_rows = [row for row in rows if all(row[key] == value for key, value in first.items())]
    of_shown = rates.filter(*(pl.col(key) == value for key, value in first.items()))
    runs = {NAMES[row["mode"]]: of_shown.filter(pl.col("mode") == row["mode"]) for row in first_rows}
    return Findings(
        _answer(first_rows) + (_about_fit(first) if with_paper else ""),
        [
            Section(
                title,
                [
                    f"Hosts begin to send one after the other, every {with_unit(first['period'])}, over a link "
                    f"of {with_unit(first['rate'])} with a round trip of {with_unit(first['rtt'])} and a queue of "
                    f"{with_unit(first['queue'])}. In the period P1 h1 sends alone, in P2 h1 and h2 send, and so "
                    "on. Rates are goodput. The coefficient of variation is that of a host's rates "
                    "in 15 intervals of a period. The fairness is Jain's index of the hosts' rates: of their "
                    "means over all runs, as in the paper, and in single runs.",
                    *(_ABOUT_PAPER if with_paper else ()),
                ],
                [
                    _totals_table(tables, rows, with_paper),
                    *([] if len(_host_numbers(rows)) > 8 else _tables_by_host(tables, rows, with_paper)),
                    *([_reserves(rows)] if with_paper and any(row["mode"] in PACERS for row in rows) else []),
                    _scheme_table(rows),
                ],
                [
                    Figure(
                        over_time(plots, name, runs),
                        f"{title.partition(':')[0]}: the rate of each host over time (one run of each mode).",
                        wide=True,
                    )
                ],
                notes=[
                    f"Pacing leaves {first['reserve_percent']:g} % of the link unused (the paper's "
                    "l), and headers take 4.4 %: with full segments the hosts can have "
                    f"{_largest_goodput(first):.1f} Mbit/s together.",
                ],
            )
        ],
    )


def _tables_by_host(tables: Tables, rows: list[dict[str, Any]], with_paper: bool) -> list[Table]:
    return [_shares_table(rows, with_paper), _variation_table(tables, rows, with_paper)]


def _largest_goodput(first: dict[str, Any]) -> float:
    used = 1 - float(first["reserve_percent"]) / 100
    return units.rate_bps(first["rate"]) / 1e6 * used * _PAYLOAD_SHARE


def _host_numbers(rows: list[dict[str, Any]]) -> list[int]:
    return [*range(1, rows[0]["hosts"] + 1)]


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    paced = [row for row in rows if row["mode"] in PACERS]
    settled = max((row["settled_rtts_max"] or 0.0 for row in paced), default=0.0)
    joins, right = last * len(paced), sum(row["settled"] for row in paced)
    text = ""
    if settled:
        joined = "each join" if right == joins else f"{100 * right / joins:.0f} % of the joins"
        text = f"After {joined}, all hosts have the right rate within {decimal(settled, 2)} round trips. "
    # The index of a single host is always 1.
    fair = ", ".join(
        f"{measured(row[f'fairness_{last}'], row[f'fairness_{last}_half'], 3)} ({NAMES[row['mode']]})"
        for row in (rows if last > 1 else ())
    )
    fairness = f"In single runs, fairness among {last} hosts is {fair}. " if fair else ""
    totals = [f"{in_words(row, f'total_{last}', 1)} Mbit/s ({NAMES[row['mode']]})" for row in rows]
    return f"{text}{fairness}The total throughput is {', '.join(totals)}."


def _about_fit(first: dict[str, Any]) -> str:
    """Says which totals show nothing, because a parameter was set from the paper's totals."""
    fitted = ("queue", "reserve_percent")
    if any(first[name] != SCENARIO_2[name] for name in fitted):
        return ""
    return (
        " The queue was fitted to the paper's total of four hosts with regular TCP, and the reserve to that with "
        "HTB, so agreement with these two totals shows nothing."
    )


def _period_names(rows: list[dict[str, Any]]) -> list[str]:
    return [f"P{number}" for number in _host_numbers(rows)]


def _totals_table(tables: Tables, rows: list[dict[str, Any]], with_paper: bool) -> Table:
    table = []
    for row in rows:
        paper = TOTALS[_PAPER[row["mode"]]] if with_paper and row["mode"] in _PAPER else ()
        fair = FAIRNESS[_PAPER[row["mode"]]] if with_paper and row["mode"] in _PAPER else ()
        totals, indices = (
            [(row[f"{measure}_{number}"], row[f"{measure}_{number}_half"]) for number in _host_numbers(rows)]
            for measure in ("total", "fairness")
        )
        point = {key: row[key] for key in KEYS}
        of_means = [(fairness_of_mean(tables, number, **point), None) for number in _host_numbers(rows)]
        for label, published, pairs, digits in (
            ("goodput (Mbit/s)", paper, totals, 2),
            ("fairness of the mean rates", fair, of_means, 5),
            ("fairness in single runs", (), indices, 5),
        ):
            cells = [measured(value, half, digits) for value, half in pairs]
            labels = [label, NAMES[row["mode"]], with_unit(row["queue"])]
            table.append([*labels, f"{row['n']}", *cells, interval(pairs[-1][1])])
            paper_row = [label, f"paper, {_PAPER.get(row['mode'])}", "", "10", *map(str, published), ""]
            # Cubic and Reno are both compared with the paper's regular TCP.
            if len(published) == len(cells) and paper_row not in table:
                table.append(paper_row)
    return Table(
        ["", "mode", "queue", "runs", *_period_names(rows), "± 95 %"],
        table,
        "The throughput of all hosts by period; the last column is for the last period.",
        words=(0, 1),
        marked=(len(table[0]) - 2,),
    )


def _sending_hosts(rows: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Lists the pairs of a period and a host that sends in this period."""
    return [(period, host) for period in _host_numbers(rows) for host in range(1, period + 1)]


def _published_row(measured: dict[str, Any], published: Published) -> list[str]:
    """Returns the paper's row for the mode of a measured row; empty if there is none."""
    periods = published.get(_PAPER.get(measured["mode"], ""), ())
    return (
        [f"{number:g}" for period in periods for number in period]
        if len(periods) == measured["hosts"]
        else []
    )


def _host_table(rows: list[dict[str, Any]], cells: Cells, numbers: Published, caption: str) -> Table:
    """Builds a table with a column for each host in each period, and the paper's numbers below the
    lab's."""
    table = []
    for row in rows:
        for label, cells_of_label in cells(row).items():
            table.append([NAMES[row["mode"]], with_unit(row["queue"]), label, *cells_of_label])
        if published := _published_row(row, numbers):
            paper_row = ["paper", "", _PAPER[row["mode"]], *published]
            if paper_row not in table:
                table.append(paper_row)
    head = ["mode", "queue", "", *(f"P{period} h{host}" for period, host in _sending_hosts(rows))]
    return Table(head, table, caption, words=(0, 1, 2))


def _variation_table(tables: Tables, rows: list[dict[str, Any]], with_paper: bool) -> Table:
    def cells(row: dict[str, Any]) -> dict[str, list[str]]:
        point = {key: row[key] for key in KEYS}
        pairs = _sending_hosts(rows)
        return {
            "mean of the runs": [
                _format_variation(variation_of_mean(tables, period, f"h{host}", **point))
                for period, host in pairs
            ],
            "one run": [_format_variation(row[f"cv_{period}_h{host}"]) for period, host in pairs],
        }

    return _host_table(
        rows,
        cells,
        VARIATION if with_paper else {},
        "Coefficients of variation in per cent, for the mean of all runs (as the paper seems to "
        "compute them) and as the average over single runs.",
    )


def _format_variation(percent: float | None) -> str:
    """Formats a coefficient of variation with about two digits, because a few runs do not
    determine more."""
    return decimal(percent, 2 if percent is None or percent < 1 else 1 if percent < 10 else 0)


def _shares_table(rows: list[dict[str, Any]], with_paper: bool) -> Table:
    return _host_table(
        rows,
        lambda row: {"": _format_rates(row, _sending_hosts(rows))},
        THROUGHPUT if with_paper else {},
        "Goodput of each host, in Mbit/s.",
    )


def _format_rates(row: dict[str, Any], pairs: list[tuple[int, int]]) -> list[str]:
    names = [f"mbps_{period}_h{host}" for period, host in pairs]
    return [measured(row[name], row[f"{name}_half"], 2) for name in names]


def _reserves(rows: list[dict[str, Any]]) -> Table:
    """Builds a table of the share of the link that paced hosts leave unused, by period."""
    most = units.rate_bps(rows[0]["rate"]) / 1e6 * _PAYLOAD_SHARE
    table = []
    for row in rows:
        if row["mode"] not in PACERS:
            continue
        measured_totals = [row[f"total_{number}"] for number in _host_numbers(rows)]
        for label, totals in (
            (NAMES[row["mode"]], measured_totals),
            (f"paper, {row['mode']}", TOTALS[row["mode"]]),
        ):
            if len(totals) == len(measured_totals):
                table.append([label, *(decimal(100 * (1 - total / most), 2) for total in totals)])
    return Table(
        ["", *_period_names(rows)],
        table,
        f"The part of the link that paced hosts leave unused, in per cent of the {most:.2f} Mbit/s "
        "that headers leave for payload.",
        words=(0,),
    )


def _scheme_table(rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("mode", lambda row: NAMES[row["mode"]]),
            ("queue", lambda row: with_unit(row["queue"])),
            ("mean queue (packets)", "queue_mean", 2),
            ("lost", lambda row: packets(row["dropped"])),
            ("notifications", "notices", 0),
            (
                "joins that settled",
                lambda row: f"{row['settled']:.4g}" if row["mode"] in ("htb", "fq") else "–",
            ),
            ("round trips, at most", "settled_rtts_max", 2),
        ],
        "A join has settled when all agents have set the right rates; the time is in round trips of "
        "the new host's handshake.",
        words=(0,),
    )

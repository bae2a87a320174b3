"""The report that compares pacing by the switch with CoDel in the switch and BBR in the hosts."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Plot, Section, Table, decimal, draw_curves, measured

from .common import NAMES, in_words, over_time, packets, with_unit
from .joining import KEYS


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the throughput and the queueing delay of each mode in each period."""
    rows = tables.points(*KEYS, "target", "interval").to_dicts()
    first = rows[0]
    first_rows = [row for row in rows if all(row[key] == first[key] for key in KEYS[1:])]
    of_shown = [pl.col("repetition") == 0, *(pl.col(key) == first[key] for key in KEYS[1:])]
    rates = tables.frame("rates").filter(*of_shown)
    delays = tables.frame("delays").filter(*of_shown)
    return Findings(
        _answer(first_rows),
        [
            Section(
                "Comparison with CoDel and BBR",
                [
                    f"Scenario 2 with a queue of {with_unit(first['queue'])}. CoDel (RFC 8289) is in the "
                    f"switch's P4 program, with a target of {with_unit(first['target'])} and an interval of "
                    f"{with_unit(first['interval'])}; BBR paces by its own measurements. Neither uses "
                    "the scheme. Hosts join as in scenario 2. Retransmissions are the sum over all "
                    "hosts in a period.",
                ],
                [_periods(rows), _losses(rows)],
                [
                    Figure(
                        _plot_over_time(plots, delays),
                        "Queueing delay at the bottleneck over time, in one run of each mode.",
                        wide=True,
                    ),
                    Figure(
                        over_time(
                            plots,
                            "rivals",
                            {
                                NAMES[row["mode"]]: rates.filter(pl.col("mode") == row["mode"])
                                for row in first_rows
                            },
                        ),
                        "Goodput of each host in the same runs. Equal and level lines show a fair mode.",
                        wide=True,
                    ),
                ],
                notes=[
                    "The round trip is the smoothed value of the senders. For paced hosts it "
                    "includes the time in the host's own pacer, where a flow delays only itself; the "
                    "queueing delay does not include this time.",
                    "A packet that CoDel drops in egress has already left the queue, and the next "
                    "packet leaves only after the transmission time of the dropped packet.",
                ],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    last = rows[0]["hosts"]
    texts = [
        f"{NAMES[row['mode']]} {in_words(row, f'total_{last}', 1)} Mbit/s, fairness "
        f"{in_words(row, f'fairness_{last}', 3)}, queueing delay {in_words(row, f'delay_{last}', 1)} ms"
        for row in rows
    ]
    return (
        f"With {count_noun(last, 'host')} and a queue of {with_unit(rows[0]['queue'])}: "
        + "; ".join(texts)
        + "."
    )


def _periods(rows: list[dict[str, Any]]) -> Table:
    return Table(
        [
            "period",
            "mode",
            "queue",
            "runs",
            "goodput (Mbit/s)",
            "fairness",
            "variation (%)",
            "round trip (ms)",
            "queueing delay (ms)",
            "retransmissions",
        ],
        [
            [
                f"P{period}",
                NAMES[row["mode"]],
                with_unit(row["queue"]),
                f"{row['n']}",
                *(
                    measured(row[f"{name}_{period}"], row[f"{name}_{period}_half"], digits)
                    for name, digits in (("total", 2), ("fairness", 5))
                ),
                decimal(fmean(row[f"cv_{period}_h{host}"] for host in range(1, period + 1)), 1),
                *(
                    measured(row[f"{name}_{period}"], row[f"{name}_{period}_half"], digits)
                    for name, digits in (("rtt", 1), ("delay", 2), ("retransmits", 0))
                ),
            ]
            for period in range(1, rows[0]["hosts"] + 1)
            for row in rows
        ],
        "Sums over all hosts, as means over the runs. The variation is the mean of the hosts' "
        "coefficients of variation.",
        words=(0, 1),
        marked=(4, 8),
    )


def _losses(rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("mode", lambda row: NAMES[row["mode"]]),
            ("queue", lambda row: with_unit(row["queue"])),
            ("lost", lambda row: packets(row["dropped"])),
            (
                "of these dropped by CoDel",
                lambda row: packets(row["codel_drops"]) if "codel" in row["mode"] else "–",
            ),
            ("marked by CoDel", lambda row: packets(row["marks"]) if "ecn" in row["mode"] else "–"),
        ],
        "Packets in a whole run. The remaining losses are packets that arrived at a full queue.",
        words=(0,),
    )


def _plot_over_time(plots: Path, delays: pl.DataFrame) -> Plot:
    curves = [
        Curve(NAMES[str(mode)], mode_delays["time_s"], mode_delays["delay_ms"])
        for (mode,), mode_delays in delays.partition_by("mode", maintain_order=True, as_dict=True).items()
    ]
    return draw_curves(
        plots,
        "rivals-delay",
        curves,
        x="time in s",
        y="queueing delay in ms",
        wide=True,
        style={"marker": ""},
    )

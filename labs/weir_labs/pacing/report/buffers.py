"""Totals, losses and queues by the size of the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import HUES, Figure, Plot, Section, Table, axes, decimal, save_plot

from .common import NAMES
from .joining import KEYS


def findings(tables: Tables, plots: Path) -> Findings:
    """The queue that TCP needs, with and without pacing."""
    rows = tables.points(*KEYS).to_dicts()
    last = rows[0]["hosts"]
    return Findings(
        _answer(rows, last),
        [
            Section(
                "How much of a queue?",
                [
                    "Without pacing, TCP fills a link only if the queue in front of it is long enough to bridge the time after a loss, and "
                    "then it keeps this queue filled. The paper does not say how long its queue was. Its rates of regular TCP, "
                    "91.9 Mbit/s of four hosts and 33.6 Mbit/s of one, are those of a short queue.",
                ],
                [
                    Table(
                        [
                            "queue",
                            "mode",
                            *(f"P{number} (Mbit/s)" for number in range(1, last + 1)),
                            "lost",
                            "mean queue (packets)",
                        ],
                        [
                            [
                                row["queue"],
                                NAMES[row["mode"]],
                                *(decimal(row[f"total_{number}"], 1) for number in range(1, last + 1)),
                                decimal(row["dropped"], 0),
                                decimal(row["queue_mean"], 1),
                            ]
                            for row in sorted(rows, key=lambda row: (_packets(row), row["mode"]))
                        ],
                        "All hosts together. Periods are short, so slow start counts more than in scenario 2.",
                        words=(1,),
                    )
                ],
                [
                    Figure(
                        _plot(plots, rows, last),
                        f"Goodput of all {last} hosts together in P{last}, by the length of the queue.",
                    )
                ],
                notes=[
                    f"Where the queue is long enough, hosts that pace have less than others: {rows[0]['reserve_percent']:g} % of the link "
                    "is the reserve, and new hosts need some round trips of slow start to use what the others leave to them at once.",
                ],
            )
        ],
    )


def _packets(row: dict[str, Any]) -> int:
    return int(row["queue"].rstrip("p")) if row["queue"].endswith("p") else 0


def _answer(rows: list[dict[str, Any]], last: int) -> str:
    ends = dict.fromkeys(row["queue"] for row in (min(rows, key=_packets), max(rows, key=_packets)))
    texts = [
        f"With a queue of {queue} the hosts have "
        + ", ".join(
            f"{decimal(row[f'total_{last}'], 1)} Mbit/s {NAMES[row['mode']]}"
            for row in rows
            if row["queue"] == queue
        )
        for queue in ends
    ]
    return ". ".join(texts) + "."


def _plot(plots: Path, rows: list[dict[str, Any]], last: int) -> Plot:
    with axes(6.4, 3.6) as ax:
        modes = dict.fromkeys(row["mode"] for row in rows)
        for mode, colour in zip(modes, HUES * len(modes), strict=False):
            own = sorted((row for row in rows if row["mode"] == mode), key=_packets)
            ax.plot(
                [_packets(row) for row in own],
                [row[f"total_{last}"] for row in own],
                color=colour,
                marker="o",
                label=NAMES[mode],
            )
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.set_xlabel("queue in packets")
        ax.set_ylabel("goodput, in Mbit/s")
        ax.legend(loc="lower right")
        return save_plot(ax, plots, "buffers")

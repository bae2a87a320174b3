"""The report on throughput, losses and delays by the size of the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Plot, Section, Table, decimal, draw_curves, measured

from .common import NAMES, with_unit
from .joining import KEYS


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the queue that TCP needs, with and without pacing."""
    rows = tables.points(*KEYS).to_dicts()
    last = rows[0]["hosts"]
    return Findings(
        _answer(rows, last),
        [
            Section(
                "The size of the queue",
                [
                    "Without pacing, TCP fills a link only if the queue in front of the link is long "
                    "enough to keep the link busy after a loss, and TCP then keeps this queue "
                    "filled. The paper does not give the length of its queue. The paper's rates of regular TCP are 91.9 Mbit/s for four "
                    "hosts and 33.6 Mbit/s for one. The table has the rates here, by the size of the queue.",
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
                                with_unit(row["queue"]),
                                NAMES[row["mode"]],
                                *(
                                    measured(row[f"total_{number}"], row[f"total_{number}_half"], 1)
                                    for number in range(1, last + 1)
                                ),
                                decimal(row["dropped"], 0),
                                decimal(row["queue_mean"], 1),
                            ]
                            for row in sorted(rows, key=lambda row: (_packets(row), row["mode"]))
                        ],
                        "All hosts together. Periods are short, so slow start has a larger effect "
                        "than in scenario 2.",
                        words=(1,),
                    )
                ],
                [
                    Figure(
                        _plot(plots, rows, last),
                        f"Goodput of {count_noun(last, 'host')} in P{last} by the length of the queue, with and "
                        "without pacing.",
                    )
                ],
                notes=[
                    "Pacing has a price where the queue is long: "
                    f"{rows[0]['reserve_percent']:g} % of the link is the reserve, and "
                    "a new host needs some round trips of slow start before it uses the share that "
                    "the others give up at once.",
                ],
            )
        ],
    )


def _packets(row: dict[str, Any]) -> int:
    return int(row["queue"].rstrip("p")) if row["queue"].endswith("p") else 0


def _answer(rows: list[dict[str, Any]], last: int) -> str:
    ends = dict.fromkeys(row["queue"] for row in (min(rows, key=_packets), max(rows, key=_packets)))
    texts = [
        f"With a queue of {with_unit(queue)} the hosts have "
        + ", ".join(
            f"{decimal(row[f'total_{last}'], 1)} Mbit/s ({NAMES[row['mode']]})"
            for row in rows
            if row["queue"] == queue
        )
        for queue in ends
    ]
    return ". ".join(texts) + "."


def _plot(plots: Path, rows: list[dict[str, Any]], last: int) -> Plot:
    curves = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        mode_rows = sorted((row for row in rows if row["mode"] == mode), key=_packets)
        totals = [row[f"total_{last}"] for row in mode_rows]
        curves.append(Curve(NAMES[mode], [_packets(row) for row in mode_rows], totals))
    return draw_curves(
        plots, "buffers", curves, x="queue in packets", y="goodput in Mbit/s", decorate=_set_doubling_axis
    )


def _set_doubling_axis(ax: Axes) -> None:
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")

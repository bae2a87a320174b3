"""Computes the findings about telemetry on every n-th packet: what it costs, and what it still
reports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from weir.lab import Findings, Tables
from weir.report import Curve, Figure, Section, Table, draw_curves, interval, measured

from ..nth import BURSTY_MBPS, OVERLOAD_MBPS, STEADY_MBPS


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares the overhead of telemetry with the error of the reported queues, by n."""
    points = tables.points("every", "switches")
    return Findings(
        _answer(points.to_dicts()),
        [
            Section(
                "Telemetry on every n-th packet",
                [
                    f"h1 sends {STEADY_MBPS:g} Mbit/s at a constant rate to h2, and h3 {BURSTY_MBPS:g} Mbit/s of Poisson traffic to h4. "
                    "The source counts the packets of each flow in a register. In each millisecond, the queue of s1 is compared with "
                    "the last report of h1's flow: the error is their mean difference.",
                    f"After that, h1 sends {OVERLOAD_MBPS:g} Mbit/s alone. With telemetry on every n-th packet, the mean length of a "
                    f"frame on "
                    "the link before the last switch is 42 + (3 + 12 · (switches − 1)) / n + payload.",
                ],
                [_queue_table(points), _cost_table(points)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            f"every-{name}",
                            [Curve(name, points["every"], points[column])],
                            x="n: every n-th packet has telemetry",
                            y=axis,
                            decorate=lambda ax: _set_doubling_axis(ax, points["every"].to_list()),
                        ),
                        caption,
                    )
                    for name, column, axis, caption in (
                        (
                            "error",
                            "error_packets",
                            "mean error in packets",
                            "The mean error of the sender's knowledge of the queue, by n.",
                        ),
                        (
                            "cost",
                            "telemetry_percent",
                            "telemetry in % of the payload",
                            "The cost of telemetry by n.",
                        ),
                    )
                ],
                notes=[
                    "A report has the packets that were still in the queue when the datagram left it, and the simulator's mean is over "
                    "time. The two values therefore differ even with n = 1. A sender that always expects an empty queue is wrong by the "
                    "mean queue on average, so reports with a larger error do not help.",
                    *(
                        [
                            "Fewer reports find the longest queue later or not at all: the largest value in reports falls with n."
                        ]
                        if _falls(points["reported_longest"].to_list())
                        else []
                    ),
                ],
            )
        ],
    )


def _answer(rows: Sequence[dict[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    single = (
        f"With n = {first['every']}, telemetry takes {first['telemetry_percent']:.2f} % of the payload, and "
        f"{first['fitting_mbps']:.2f} Mbit/s fit. The sender's knowledge of a fluctuating queue is wrong by "
        f"{_error(first)} packets on average."
    )
    several = (
        f"From n = {first['every']} to {last['every']}, telemetry goes from {first['telemetry_percent']:.2f} to "
        f"{last['telemetry_percent']:.2f} % of the payload and the load that fits goes from {first['fitting_mbps']:.2f} to "
        f"{last['fitting_mbps']:.2f} Mbit/s. The sender's knowledge of a fluctuating queue is wrong by "
        f"{_error(first)} packets on average with n = {first['every']}, and by {_error(last)} with "
        f"n = {last['every']}."
    )
    return several if last["every"] != first["every"] else single


def _error(row: dict[str, Any]) -> str:
    """Formats the mean error of a point with its 95 % interval, if there are several runs."""
    half = row.get("error_packets_half")
    text = measured(row["error_packets"], half, 2)
    return f"{text} ± {interval(half)}" if half else text


def _falls(values: Sequence[float]) -> bool:
    """Returns whether the last value is smaller than the first, and none grows in between."""
    return values[-1] < values[0] and all(one >= other for one, other in pairwise(values))


def _set_doubling_axis(ax: Axes, ticks: list[int]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, [f"{tick}" for tick in ticks])


def _queue_table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("n", "every"),
            ("runs", "n"),
            ("sent", "sent", 0),
            ("reports", "reports", 0),
            ("mean queue (packets)", "mean_queue", 3),
            ("in reports", "reported_mean", 3),
            ("longest queue (packets)", "longest_queue", 1),
            ("in reports", "reported_longest", 1),
            ("error (packets)", "error_packets", 3),
            ("± 95 %", "error_packets_half", 3),
        ],
        "The reports about the queue of s1.",
        marked=(8,),
    )


def _cost_table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("n", "every"),
            ("telemetry (% of payload)", "telemetry_percent", 3),
            ("fits (Mbit/s)", "fitting_mbps", 3),
            ("sent", "alone_sent", 0),
            ("lost", "alone_lost", 0),
            ("computed loss", "predicted_lost", 1),
        ],
        f"The cost of telemetry: h1 alone at {OVERLOAD_MBPS:g} Mbit/s.",
        marked=(4, 5),
    )

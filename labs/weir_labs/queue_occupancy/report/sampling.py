"""The report on the error of probes, by the time between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from weir.lab import Findings, Tables
from weir.report import Curve, Figure, Section, Table, draw_curves


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the error of the last probe, and the load of all probes."""
    points = tables.points("probe_ms", "congestion", "mtu", "rate", "queue").sort("probe_ms")
    rows = points.to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "How often to probe",
                [
                    "Two flows share the link, and in each millisecond the depth in the last probe "
                    "that has arrived is compared with the current queue. A probe waits in the queue "
                    "that it measures, so its information is old when it arrives.",
                ],
                [_table(points)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "sampling-error",
                            [
                                Curve(label, points["probe_ms"], points[column])
                                for label, column in (
                                    ("mean error", "error_packets"),
                                    ("mean queue", "queue_mean"),
                                )
                            ],
                            x="time between probes in ms",
                            y="queue in packets",
                            decorate=_set_logarithmic_axis,
                            wide=True,
                        ),
                        "The error of the last probe and the mean queue, by the time between probes.",
                        wide=True,
                    )
                ],
                notes=[
                    "The queue's limit is in packets, not bytes. Many short probes take the places "
                    "of full frames, so a queue full of probes is long in packets but drains quickly.",
                ],
            )
        ],
    )


def _answer(rows: Sequence[dict[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    several = first["probe_ms"] != last["probe_ms"]
    rarely = (
        f", and by {last['error_packets']:.1f} if there is one every {last['probe_ms']:g} ms"
        if several
        else ""
    )
    loads = (
        f"{first['load_percent']:.2f} and {last['load_percent']:.3f}"
        if several
        else f"{first['load_percent']:.2g}"
    )
    return (
        f"The depth in the last probe differs from the queue by {first['error_packets']:.1f} packets "
        f"on average if there is one every {first['probe_ms']:g} ms{rarely}; probes are {loads} % of the link."
    )


def _set_logarithmic_axis(ax: Axes) -> None:
    ax.set_xscale("log")
    ticks = [5, 10, 20, 50, 100, 200, 500, 1000]
    low, high = ax.get_xlim()
    visible_ticks = [tick for tick in ticks if low <= tick <= high]
    ax.set_xticks(visible_ticks, [f"{tick}" for tick in visible_ticks])


def mean_count(name: str) -> Callable[[Mapping[str, Any]], str]:
    """Returns a function that formats a mean of counts, with a decimal only if the mean is not a
    whole number."""
    return lambda row: f"{row[name]:.1f}".removesuffix(".0")


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("interval (ms)", "probe_ms", "g"),
            ("runs", "n"),
            ("of the link (%)", "load_percent", 3),
            ("probes", "sent", 0),
            ("lost", mean_count("lost")),
            ("mean queue", "queue_mean", 1),
            ("in probes", "seen_mean", 1),
            ("longest queue", mean_count("queue_max")),
            ("in probes", mean_count("seen_max")),
            ("error (packets)", "error_packets", 2),
            ("±", "error_packets_half", 2),
            ("goodput (Mbit/s)", "goodput_mbps", 2),
        ],
        "The queue of s1 by the simulator's record and in the probes; ± is half of the error's 95 % interval.",
        marked=(2, 9),
    )

"""The report on queues and latency by the rate of the senders' links."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir import units
from weir.lab import Findings, Tables
from weir.report import Curve, Figure, Plot, Section, Table, decimal, draw_curves

from ..measure import GOOD_MBPS
from ..slides import AFTER_MBPS, AFTER_MS, BEFORE_MS
from .names import CONDITIONS, NAMES, good_runs


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports how often flows settle, by the queues that count and by the rate of the senders'
    links."""
    points = tables.points("queues", "host_rate", "threshold", "timeout", "percent", "congestion", "rate")
    modes = tables.values("queues")
    shown = "all" if "all" in modes else modes[0]
    answer = (
        f"{CONDITIONS[shown]}, all four flows end above "
        + f"{GOOD_MBPS:g} Mbit/s in "
        + ", ".join(
            f"{good_runs(row)} with senders at {_mbps(row['host_rate']):g} Mbit/s"
            for row in points.filter(pl.col("queues") == shown).iter_rows(named=True)
        )
        + "."
    )
    return Findings(
        answer,
        [
            Section(
                "Senders slower than paths",
                [
                    "In the slides, a flow alone on a path of 10 Mbit/s reaches "
                    f"{sum(AFTER_MBPS) / len(AFTER_MBPS):.2f} Mbit/s, so something before the path may be "
                    "slower. In this case the queue of an earlier collision drains, and does not "
                    "cause another move. In this experiment the senders' links are slower; the "
                    "receivers' links are not, because the queue would then be there. The slowest "
                    "senders are chosen near the slides' rate, so flows that have this rate do not "
                    "confirm anything; the number of runs that end well and the latencies are not chosen.",
                    *_latencies(points),
                ],
                [_table(points)],
                [
                    Figure(
                        _goodput_plot(plots, points),
                        "The runs that end well, by the rate of the senders' links.",
                    )
                ],
            )
        ],
    )


def _latencies(points: pl.DataFrame) -> list[str]:
    """Formulates a sentence that compares both latencies, with the slowest senders, to the slides'
    values."""
    slowest = points.filter(pl.col("host_rate") == min(points["host_rate"], key=_mbps))
    by_queues = {row["queues"]: row for row in slowest.iter_rows(named=True)}
    if not {"off", "all"} <= set(by_queues):
        return []
    unbalanced, after = by_queues["off"], by_queues["all"]
    return [
        f"With senders at {_mbps(unbalanced['host_rate']):g} Mbit/s, pings take {unbalanced['ping_ms']:.0f} "
        f"ms without balancing and {after['ping_ms']:.0f} ms if all queues count; TCP's round trip "
        f"takes {unbalanced['rtt_ms']:.0f} and {after['rtt_ms']:.0f} ms. The slides have {BEFORE_MS:g} "
        f"and {AFTER_MS:g} ms."
    ]


def _mbps(rate: str) -> float:
    return units.rate_bps(rate) / 1e6


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("queues that count", lambda row: NAMES[row["queues"]]),
            ("senders' links (Mbit/s)", lambda row: f"{_mbps(row['host_rate']):g}"),
            ("runs", "n"),
            (f"all above {GOOD_MBPS:g} Mbit/s (%)", lambda row: decimal(100 * row["good"], 0)),
            ("slowest flow (Mbit/s)", "slowest_mbps", 2),
            ("± 95 %", "slowest_mbps_half", 2),
            ("settled after (s)", lambda row: decimal(row.get("settled_s"), 1)),
            ("queues of all paths (packets)", "queue", 1),
            ("TCP's round trip (ms)", "rtt_ms", 0),
            ("ping (ms)", "ping_ms", 0),
            ("feedback", "notices", "count"),
        ],
        "Means of the runs.",
        words=(0,),
        marked=(3,),
    )


def _goodput_plot(plots: Path, points: pl.DataFrame) -> Plot:
    curves = [
        Curve(NAMES[queues], [_mbps(rate) for rate in cells["host_rate"]], 100 * cells["good"])
        for (queues,), cells in points.partition_by("queues", maintain_order=True, as_dict=True).items()
    ]
    return draw_curves(
        plots,
        "hosts",
        curves,
        x="senders' links in Mbit/s",
        y=f"runs with all flows above {GOOD_MBPS:g} Mbit/s, in %",
    )

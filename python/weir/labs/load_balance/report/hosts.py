"""Left-over queues by the rate of the hosts' links."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir import units
from weir.labs import Findings, Tables
from weir.report import HUES, Figure, Plot, Section, Table, axes, decimal, save_plot

from ..measure import GOOD_MBPS
from ..slides import AFTER_MBPS
from .balancing import NAMES


def findings(tables: Tables, plots: Path) -> Findings:
    """How often the flows settle, by rule and by the rate of the hosts' links."""
    points = tables.points("queues", "host_rate", "threshold", "timeout", "percent", "congestion", "rate")
    every = points.filter(pl.col("queues") == "all")
    answer = (
        "If all queues count, all four flows end above "
        + f"{GOOD_MBPS:g} Mbit/s in "
        + ", ".join(
            f"{100 * row['good']:.0f} % of runs with hosts at {_mbps(row['host_rate']):g} Mbit/s"
            for row in every.iter_rows(named=True)
        )
        + "."
        if every.height
        else f"{points.height} settings."
    )
    return Findings(
        answer,
        [
            Section(
                "Hosts slower than paths",
                [
                    f"In the slides a flow reaches {sum(AFTER_MBPS) / len(AFTER_MBPS):.2f} Mbit/s when it is alone on a path of 10 Mbit/s: "
                    "something in front of the path is slower. Then a left-over queue drains, and the flow is not moved for it. Here the "
                    "hosts' links are slower.",
                ],
                [_table(points)],
                [Figure(_good(plots, points), "Runs that end well, by the rate of the hosts' links.")],
            )
        ],
    )


def _mbps(rate: str) -> float:
    return units.rate_bps(rate) / 1e6


def _table(points: pl.DataFrame) -> Table:
    rows = [
        [
            NAMES[row["queues"]],
            f"{_mbps(row['host_rate']):g}",
            f"{row['n']}",
            decimal(100 * row["good"], 0),
            decimal(row["slowest_mbps"], 2),
            decimal(row["slowest_mbps_half"], 2),
            decimal(row.get("settled_s"), 1),
            decimal(row["queue"], 1),
            decimal(row["rtt_ms"], 0),
            decimal(row["notices"], 1),
        ]
        for row in points.iter_rows(named=True)
    ]
    head = [
        "queues that count", "hosts' links (Mbit/s)", "runs", f"all above {GOOD_MBPS:g} Mbit/s (%)", "slowest flow (Mbit/s)", "± 95 %",
        "settled after (s)", "queues of all paths (packets)", "round trip (ms)", "feedback",
    ]  # fmt: skip
    return Table(head, rows, "Means of the runs.", words=(0,), marked=(3,))


def _good(plots: Path, points: pl.DataFrame) -> Plot:
    with axes(6.4, 3.6) as ax:
        groups = points.partition_by("queues", maintain_order=True, as_dict=True)
        for ((queues,), cells), colour in zip(groups.items(), HUES, strict=False):
            rates = [_mbps(rate) for rate in cells["host_rate"]]
            shares = [100 * good for good in cells["good"]]
            ax.plot(rates, shares, color=colour, marker="o", label=NAMES[queues])
        ax.set_xlabel("hosts' links, in Mbit/s")
        ax.set_ylabel(f"runs with all flows above {GOOD_MBPS:g} Mbit/s, in %")
        ax.set_ylim(0, 105)
        ax.legend()
        return save_plot(ax, plots, "hosts")

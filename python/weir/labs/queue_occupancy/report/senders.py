"""Congestion controls and lengths of queues."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.labs import Findings, Tables
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves


def findings(tables: Tables, plots: Path) -> Findings:
    """How much of a queue each sender fills, and the cost."""
    points = tables.points("congestion", "queue", "mtu", "rate")
    probes = tables.frame("probes").filter(pl.col("repetition") == 0)
    middle = sorted(tables.values("queue"))[len(tables.values("queue")) // 2]
    names = tables.values("congestion")
    return Findings(
        f"Of a queue of {middle} packets, probes find on average "
        + ", ".join(
            f"{row['depth_mean']:.1f} with {row['congestion']}"
            for row in points.filter(pl.col("queue") == middle).iter_rows(named=True)
        )
        + ".",
        [
            Section(
                "Who fills the queue",
                [
                    "The same with two flows, other congestion controls, and queues for fewer and more packets. A longer queue is a longer "
                    "delay for everybody; from a certain length on it brings no throughput.",
                ],
                [_table(points)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "senders-time",
                            [
                                Curve(name, cells["sent_s"], cells["depth"])
                                for name in names
                                if (
                                    cells := probes.filter(
                                        pl.col("congestion") == name, pl.col("queue") == middle
                                    )
                                ).height
                            ],
                            x="time in s",
                            y="longest queue, in packets",
                            wide=True,
                        ),
                        f"Depth in the probes of one run with a queue of {middle} packets.",
                        wide=True,
                    ),
                    Figure(
                        draw_curves(
                            plots,
                            "senders-delay",
                            [
                                Curve(name, cells["queue"], cells["delay_ms"])
                                for name in names
                                if (cells := points.filter(pl.col("congestion") == name).sort("queue")).height
                            ],
                            x="packets that a queue holds",
                            y="mean delay of probes, in ms",
                            style={"marker": "o"},
                        ),
                        "Mean delay by the length of the queue.",
                    ),
                ],
                notes=[
                    "Cubic and Reno send more until a packet is lost, so they fill a queue of any length. BBR estimates rate and "
                    "round-trip time and keeps about one bandwidth-delay product in the network; when several such flows compete, "
                    "they overestimate, and a part of it waits.",
                ],
            )
        ],
    )


def _table(points: pl.DataFrame) -> Table:
    rows = [
        [
            row["congestion"],
            f"{row['queue']}",
            f"{row['n']}",
            decimal(row["depth_mean"], 1),
            f"{row['depth_max_max']:.0f}",
            decimal(row["delay_ms"], 1),
            decimal(row["delay_max_ms_max"], 1),
            decimal(row["goodput_mbps"], 2),
            decimal(row["retransmits"], 1),
        ]
        for row in points.iter_rows(named=True)
    ]
    head = [
        "congestion control", "queue", "runs", "mean depth", "largest", "mean delay (ms)", "largest", "goodput (Mbit/s)", "retransmissions",
    ]  # fmt: skip
    return Table(
        head,
        rows,
        "Depth and delay of probes while two flows are sent; goodput and retransmissions of both.",
        words=(0,),
        marked=(3, 5),
    )

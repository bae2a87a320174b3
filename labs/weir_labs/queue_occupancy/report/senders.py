"""The report on congestion controls and lengths of queues."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Section, Table, draw_curves

from .sampling import mean_count


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the queue that each sender causes, and the resulting delay."""
    points = tables.points("congestion", "queue", "mtu", "rate")
    probes = tables.frame("probes").filter(pl.col("repetition") == 0)
    middle = sorted(tables.values("queue"))[len(tables.values("queue")) // 2]
    names = tables.values("congestion")
    return Findings(
        f"In a queue for {count_noun(middle, 'packet')}, probes report on average "
        + ", ".join(
            f"{row['depth_mean']:.1f} with {row['congestion']}"
            for row in points.filter(pl.col("queue") == middle).iter_rows(named=True)
        )
        + ".",
        [
            Section(
                "Queues by sender",
                [
                    "The same experiment with two flows, other congestion controls, and queues for "
                    "fewer and more packets. A longer queue increases the delay of all packets; "
                    "above a certain length it does not increase the throughput.",
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
                            y="longest queue in packets",
                            wide=True,
                        ),
                        f"The depth in the probes of one run, with a queue of {count_noun(middle, 'packet')}.",
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
                            x="capacity of the queue in packets",
                            y="mean delay of probes in ms",
                        ),
                        "The mean delay of probes by the capacity of the queue.",
                    ),
                ],
                notes=[
                    "Cubic and Reno send more until a packet is lost, so they fill a queue of any "
                    "length. BBR estimates rate and round-trip time and keeps about one "
                    "bandwidth-delay product in the network; when several such flows compete, they "
                    "overestimate the rate, and some packets wait.",
                ],
            )
        ],
    )


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("congestion control", "congestion"),
            ("queue", "queue"),
            ("runs", "n"),
            ("mean depth", "depth_mean", 1),
            ("largest", "depth_max_max", 0),
            ("mean delay (ms)", "delay_ms", 1),
            ("largest", "delay_max_ms_max", 1),
            ("goodput (Mbit/s)", "goodput_mbps", 2),
            ("retransmissions", mean_count("retransmits")),
        ],
        "Depth and delay of probes while two flows are sent; goodput and retransmissions of both.",
        words=(0,),
        marked=(3, 5),
    )

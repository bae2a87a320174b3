"""Computes the findings about telemetry over TCP: throughput by the lengths of frames, and queues
in reports."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, by_at_most
from weir.report import Curve, Figure, Panel, Section, Table, decimal, draw_panels

from ..tcp import BIN_MS, MSS, OPTIONS_BYTES


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows the throughput of two connections by n, and the queue over time from reports and from
    the simulator."""
    points = tables.points("congestion", "switches", "every")
    error = (points["goodput_mbps"] / points["predicted_mbps"] - 1).abs().to_numpy().max()
    series = tables.frame("series").filter(
        pl.col("every") == 1, *(pl.col(name) == tables.values(name)[0] for name in ("switches", "seed"))
    )
    return Findings(
        "The throughput of two TCP connections together differs from the maximum for their frame lengths "
        f"{by_at_most(100 * error, points.height)}: "
        + "; ".join(
            f"{row['congestion']}, {_name(row['every'])}: {row['goodput_mbps']:.3f} Mbit/s"
            for row in points.iter_rows(named=True)
        )
        + ".",
        [
            Section(
                "Telemetry over TCP",
                [
                    "Segments with data get the same headers as datagrams, between TCP header and payload, and port 1337; sequence numbers "
                    "stay as they are. Hosts do not notice: they get their segments bit by bit. Reports are datagrams to port 1339.",
                    f"The MSS is {MSS}, so that segments with telemetry fit an MTU of 1500. With {OPTIONS_BYTES} bytes of timestamps, "
                    f"a segment has {MSS - OPTIONS_BYTES} bytes of payload.",
                ],
                [_table(points)],
                [
                    Figure(
                        draw_panels(
                            plots,
                            "tcp-queue",
                            [
                                Panel(
                                    str(congestion),
                                    [
                                        Curve("in the simulator", cells["time_s"], cells["queue"]),
                                        Curve(
                                            "in reports",
                                            cells["time_s"],
                                            cells["reported"],
                                            {"linestyle": "--"},
                                        ),
                                    ],
                                )
                                for (congestion,), cells in series.partition_by(
                                    "congestion", maintain_order=True, as_dict=True
                                ).items()
                            ],
                            x="time in s",
                            y="queue of s1 in packets",
                            style={"marker": ""},
                        ),
                        f"The longest queue in each {BIN_MS} ms, in reports and in the simulator (telemetry on all segments).",
                        wide=True,
                    )
                ],
                notes=[
                    "Without telemetry only s1 is a bottleneck. With it, frames grow at each switch, so queues of later switches fill "
                    "as well, and round trips get longer, unless the congestion control keeps queues short.",
                    "A report has the number of packets that were still in the queue, one less than just before the packet left.",
                ],
            )
        ],
    )


def _name(every: int) -> str:
    return f"n = {every}" if every else "no INT"


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("congestion control", "congestion"),
            ("INT", lambda row: _name(row["every"])),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("computed", "predicted_mbps", 3),
            ("fairness", "fairness", 3),
            ("RTT (ms)", "rtt_ms", 1),
            ("retransmitted", "retransmits", 0),
            ("segments received", "segments", 0),
            ("reports", "reports", 0),
            ("mean queue of s1", "mean_queue", 1),
            ("longest", "longest_queue", 0),
            ("in reports", lambda row: decimal(row.get("reported_longest"), 0)),
        ],
        words=(0, 1),
        marked=(2, 3),
    )

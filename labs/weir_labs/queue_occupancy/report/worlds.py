"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch, colour, far_apart, named
from weir.report import Curve, Figure, Plot, Section, draw_curves

_COLUMNS = [
    ("idle_depth_max", "deepest before", 0),
    ("busy_depth_mean", "mean depth with flows", 1),
    ("busy_depth_max", "deepest with flows", 0),
    ("busy_delay_ms", "delay with flows (ms)", 1),
    ("ms_per_packet", "delay by packet (ms)", 2),
    ("lost_probes", "probes lost", 1),
    ("goodput_mbps", "goodput (Mbit/s)", 2),
]


def occupancy(tables: Tables, plots: Path) -> Findings:
    """Compares the queues that probes reported in both worlds."""
    most = max(tables.values("flows"))
    points = {
        (row["world"], row["switch"]): row
        for row in tables.points("world", "switch", flows=most).to_dicts()
        if row["busy_depth_mean"] is not None
    }
    comparison = "; ".join(
        f"{name}: {points[place]['busy_depth_mean']:.1f} on average, {points[place]['busy_depth_max']:.0f} at most"
        for name, place in named(tables).items()
        if place in points
    )
    apart = [
        (
            name,
            points["virtual", place[1]]["busy_depth_mean"],
            points[place]["busy_depth_mean"],
            points[place]["n"],
        )
        for name, place in named(tables).items()
        if place[0] == "linux" and place in points and ("virtual", place[1]) in points
    ]
    return Findings(
        f"Packets that probes met in the longest queue while {most} TCP flow{'s' if most > 1 else ''} "
        f"sent: {comparison or 'not known'}.{far_apart(apart)}",
        [
            Section(
                "Queue occupancy in both worlds",
                [
                    "Probes and flows are those of the virtual lab, with frames of 1500 bytes. On "
                    "real hosts, the kernel's TCP fills the queue, and packets wait in the process "
                    "of the switch, whose queue drains at the rate of the link. A probe's delay also "
                    "includes the time that the computer needs to wake up each process on the path.",
                ],
                by_switch(tables, "flows", "flows", _COLUMNS),
                [
                    Figure(
                        _plot_over_time(tables, plots, most),
                        "The depth that each probe reported in the first run, in both worlds.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _plot_over_time(tables: Tables, plots: Path, flows: int) -> Plot:
    probes = tables.frame("probes").filter(pl.col("flows") == flows, pl.col("repetition") == 0)
    curves = []
    for name, (world, switch) in named(tables).items():
        world_probes = probes.filter(pl.col("world") == world, pl.col("switch") == switch)
        is_ours = world == "virtual" or switch == "weir"
        style = {"color": colour(world), "linestyle": "-" if is_ours else "--"}
        curves.append(Curve(name, world_probes["time_s"], world_probes["depth"], style))
    return draw_curves(
        plots,
        "occupancy-worlds",
        curves,
        x="time from the beginning of the flows in s",
        y="longest queue in packets",
        wide=True,
    )

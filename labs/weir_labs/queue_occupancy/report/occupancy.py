"""The report on the depth and delay of probes, compared with the slides' numbers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from matplotlib.axes import Axes

from weir.lab import Findings, Tables, count_noun
from weir.report import (
    COLOURS,
    WIDE,
    Curve,
    Figure,
    Plot,
    Section,
    Table,
    axes,
    decimal,
    draw_curves,
    save_plot,
)

from ..slides import FULL_DEPTH, IDLE_DEPTH

KEYS = ("flows", "congestion", "mtu", "rate", "queue", "probe_ms")


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the depths and delays of probes in each phase, and their correlation."""
    points = tables.points(*KEYS)
    probes = tables.frame("probes")
    most = points["flows"].max()
    probes_of_run = probes.filter(pl.col("flows") == most, pl.col("repetition") == 0)
    return Findings(
        _answer(points),
        [
            Section(
                "Queue occupancy",
                [
                    "h1 sends a probe to h3 at a constant interval, and the probe carries the length "
                    "of the longest queue on its path. At first there are only pings. After that, a TCP flow begins at h1, and another "
                    "at h2 if there are two flows. At the end there "
                    "are only pings again.",
                    "One flow alone should not fill a switch's queue, because h1's own link is as slow "
                    "as all others, so packets wait in h1. Two flows send twice the rate of the link "
                    "from s1 to s2.",
                ],
                [_comparison_table(points), _table(points)],
                [
                    Figure(
                        _plot_over_time(plots, probes_of_run),
                        "The queue that probes report (left) and their delay (right), in one run.",
                        wide=True,
                    ),
                    Figure(
                        draw_curves(
                            plots,
                            "occupancy-delay",
                            [
                                Curve(
                                    f"{flows} flow{'s' if flows > 1 else ''}",
                                    cells["depth"],
                                    cells["delay_ms"],
                                )
                                for (flows,), cells in sorted(
                                    probes.partition_by("flows", as_dict=True).items(), reverse=True
                                )
                            ],
                            x="longest queue on the path in packets",
                            y="delay of the probe in ms",
                            style={"linestyle": "none", "marker": ".", "markersize": 3},
                        ),
                        "The delay of each probe by the depth that it reports (all runs).",
                    ),
                ],
                notes=[
                    "A packet behind 63 others takes the last place in a queue for 64 packets. A "
                    "packet that arrives at a full queue is dropped, so no probe reports 64.",
                    "The correlation is below 1 for at least two reasons. Probes and pings are shorter than "
                    "full frames and wait in the same queue, so queues of the same length need "
                    "different times. And a probe first waits behind other packets in h1, which no "
                    "switch sees.",
                ],
            )
        ],
    )


def _answer(points: pl.DataFrame) -> str:
    busiest = points.sort("flows").tail(1).to_dicts()[0]
    idle = points["idle_depth_max_max"].to_numpy().max()
    mtu_text = f" and an MTU of {busiest['mtu']}" if points["mtu"].n_unique() > 1 else ""
    text = ""
    if busiest["correlation"] is not None:
        text = (
            ", and its correlation with the queue that the probe reports is "
            f"{busiest['busy_correlation']:.3f} while flows are sent ({busiest['correlation']:.3f} with the idle times)"
        )
    flows, longest = busiest["flows"], busiest["busy_depth_max_max"]
    return (
        f"With {count_noun(flows, 'flow')}{mtu_text}, "
        f"the mean delay of a probe is {busiest['busy_delay_ms']:.0f} ms instead of "
        f"{busiest['idle_delay_ms']:.2f} ms{text}. Probes report up to {count_noun(round(longest), 'packet')} in a queue for "
        f"{busiest['queue']}, and {'none' if idle == 0 else f'up to {idle:g}'} in an idle network."
    )


def _plot_over_time(plots: Path, probes: pl.DataFrame) -> Plot:
    with axes(WIDE, 3.6) as ax:
        times = probes["sent_s"].to_list()
        (depth,) = ax.plot(times, probes["depth"].to_list(), color=COLOURS["blue"], label="depth")
        ax.set_xlabel("time in s")
        ax.set_ylabel("longest queue in packets")
        ax.set_ylim(bottom=0)
        right: Axes = ax.twinx()
        (delay,) = right.plot(
            times, probes["delay_ms"].to_list(), color=COLOURS["orange"], linewidth=1, label="delay"
        )
        right.set_ylabel("delay of the probe in ms")
        right.set_ylim(bottom=0)
        right.grid(visible=False)
        ax.legend(handles=[depth, delay], loc="upper right")
        return save_plot(ax, plots, "occupancy-time")


def _comparison_table(points: pl.DataFrame) -> Table:
    two = points.filter(pl.col("flows") == 2)
    two_flows = two.to_dicts()[0] if two.height else None
    idle = f"{points['idle_depth_max_max'].to_numpy().max():.0f}"
    rows = [
        ["depth in an idle network", f"{IDLE_DEPTH}", idle],
        [
            "largest depth, two flows",
            f"{FULL_DEPTH}",
            "–" if two_flows is None else f"{two_flows['busy_depth_max_max']:.0f}",
        ],
        [
            "delay while flows are sent",
            "follows the depth",
            "–" if two_flows is None else f"correlation {decimal(two_flows['busy_correlation'], 3)}",
        ],
    ]
    return Table(
        ["", "slides", "here"],
        rows,
        "The slides give no more numbers; they ran BMv2 in Mininet.",
        words=(0, 1, 2),
        marked=(2,),
    )


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("flows", "flows"),
            ("runs", "n"),
            ("probes lost", lambda row: f"{row['sent'] - row['arrived']:.4g}"),
            ("idle: largest depth", "idle_depth_max_max", 0),
            ("delay (ms)", "idle_delay_ms", 3),
            ("computed", "least_delay_ms", 3),
            ("flows: mean depth", "busy_depth_mean", 1),
            ("largest", "busy_depth_max_max", 0),
            ("delay (ms)", "busy_delay_ms", 1),
            ("largest", "busy_delay_max_ms_max", 1),
            ("correlation", "correlation", 3),
            ("with flows", "busy_correlation", 3),
            ("ms per packet", "ms_per_packet", 2),
            ("a full frame", "frame_ms", 2),
            ("goodput (Mbit/s)", "goodput_mbps", 2),
        ],
        "Means of the runs; largest values are over all runs. “Computed” is the delay of a probe "
        "that never waits, “a full frame” is a full frame's transmission time on a link, and “ms per "
        "packet” is the slope of a line fitted to delay against depth.",
        marked=(3, 7, 10, 11),
    )

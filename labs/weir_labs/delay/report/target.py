"""The report on target delays: their accuracy and their cost."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from matplotlib.ticker import FuncFormatter

from weir.lab import Findings, Tables, count_noun, part_of
from weir.report import Figure, Panel, Section, Table, decimal, draw_curves, draw_panels, log_axis

from .common import curves


def delay(tables: Tables, plots: Path) -> Findings:
    """Reports the errors of both methods of setting a delay, with and without cross traffic."""
    runs = tables.runs
    parts = [
        f"{way}, {_cross_traffic_name(cross)}: {_largest_in_reach(cells)}"
        for (way, cross), cells in runs.partition_by(
            "way", "cross", as_dict=True, maintain_order=True
        ).items()
    ]
    by_time = runs.filter(way="timestamp")
    return Findings(
        "The largest error of any packet that can leave within a pass time of d, in pass times: "
        f"{'; '.join(parts)}."
        + (
            f" Of {count_noun(sum(by_time['received'].to_list()), 'packet')} with a timestamp, "
            f"{sum(by_time['out_of_reach'].to_list())} cannot leave within a pass time of d, whatever the "
            "program does."
            if by_time.height
            else ""
        ),
        [
            Section(
                "Target delay: accuracy",
                [
                    "The control plane sets the delay of a flow at run time. With the method "
                    "“calibrated”, it measures the pass time and sets X = d / pass time − 1, rounded. "
                    "With the method “timestamp”, it sets d, and a packet recirculates until its age "
                    "is d, to the nearest pass. The error is the difference between d and the time "
                    "from the packet's arrival at the switch until it leaves.",
                    "Cross traffic uses passes in between. A calibrated packet still makes its X "
                    "passes, and is late by the time that it waited. A packet with a timestamp makes "
                    "fewer passes instead. If another packet's pass has begun since its own, the next "
                    "loop may take a pass longer, so the packet leaves if less than a pass time is "
                    "left.",
                    "A packet can leave only when one of its passes ends. The delay d is “out of "
                    "reach” for a packet if none of its passes ends within a pass time of d. The ends "
                    "of passes are computed from the arrivals of all packets, not from the behaviour "
                    "of the delayed packet.",
                ],
                [_delay_table(runs).fold("Delays and errors by profile, cross traffic, way and d.")],
                [
                    Figure(
                        draw_panels(
                            plots,
                            "target",
                            [_panel(runs, profile) for profile in tables.values("profile")],
                            x="delay that was set, in ms",
                            y="largest error (passes)",
                            decorate=_delay_axis,
                        ),
                        "The largest error of packets with timestamps and of calibrated packets, by "
                        "the delay that was set.",
                        wide=True,
                    )
                ],
                notes=[
                    "bmv2-vm makes one pass at a time, and a pass takes 312.5 µs, so each packet of "
                    "other traffic lengthens a loop by up to 312.5 µs. With one such packet in a loop, "
                    "passes end two pass times apart at most, and one of the ends is within a pass "
                    "time of d. With several packets in one loop, as sometimes in Poisson traffic, d "
                    "can be in the middle of a longer gap.",
                    "A packet cannot leave before its first pass ends, and this pass begins after the "
                    "passes of all earlier packets. With cross traffic, the first pass can end more "
                    "than a pass time after a target of 0.1 or 0.2 ms.",
                ],
            )
        ],
    )


def _largest_in_reach(cells: pl.DataFrame) -> str:
    most = max(cells["in_reach_passes"].drop_nulls(), default=None)
    return "no such packet" if most is None else decimal(most, 2)


def delay_cost(tables: Tables, plots: Path) -> Findings:
    """Reports the throughput and delay of a flow that is delayed by d."""
    runs = tables.runs
    fits = {
        way: runs.filter(pl.col("way") == way, pl.col("loss_percent") == 0).height
        for way in tables.values("way")
    }
    largest_load = runs.filter(pl.col("mbps") == tables.values("mbps")[-1])
    return Findings(
        "No packet of the flow was lost during the run in "
        + ", ".join(
            f"{part_of(count, runs.height // len(fits), 'combination')} of rate and delay ({way})"
            for way, count in fits.items()
        )
        + ".",
        [
            Section(
                "Target delay: its cost",
                [
                    "A packet that waits for the time d uses d / pass time passes of the switch, so a "
                    "flow of n packets per second needs n · d / pass time passes per second. Beyond "
                    "the capacity, calibrated packets wait for passes, so delay and loss grow. With "
                    "timestamps, all waiting packets share the passes; each makes fewer passes, and "
                    "leaves when its age has reached d."
                ],
                [_price_table(runs)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "target-price",
                            curves(
                                {
                                    way: (cells["d_ms"].to_list(), cells["goodput_mbps"].to_list())
                                    for (way,), cells in largest_load.partition_by(
                                        "way", as_dict=True, maintain_order=True
                                    ).items()
                                }
                            ),
                            x="delay that was set, in ms",
                            y="throughput in Mbit/s",
                            wide=True,
                        ),
                        f"The throughput of a flow of {tables.values('mbps')[-1]:g} Mbit/s by its delay.",
                        wide=True,
                    )
                ],
                notes=[
                    "Use timestamps where other traffic shares the switch or several packets wait. "
                    "Use the calibrated method where a program has no space for timestamps in its "
                    "metadata and the switch is idle."
                ],
                folded=True,
            )
        ],
    )


def _panel(runs: pl.DataFrame, profile: str) -> Panel:
    lines = {
        f"{way}, {_cross_traffic_name(cross)}": (cells["d_ms"].to_list(), cells["in_reach_passes"].to_list())
        for (way, cross), cells in runs.filter(pl.col("profile") == profile)
        .partition_by("way", "cross", as_dict=True, maintain_order=True)
        .items()
    }
    return Panel(profile, curves(lines))


def _cross_traffic_name(cross: str) -> str:
    return "idle" if cross == "none" else f"{cross} cross traffic"


def _delay_axis(ax) -> None:  # type: ignore[no-untyped-def]
    log_axis(ax, "x")
    ax.set_yscale("symlog", linthresh=0.1)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylim(bottom=0)


def _delay_table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("profile", "profile"),
            ("cross traffic", "cross"),
            ("way", "way"),
            ("d (ms)", "d_ms", "g"),
            ("packets", "received"),
            ("mean delay (ms)", "delay_mean_ms", 4),
            ("largest error (ms)", "error_max_ms", 4),
            ("in passes", "error_passes", 2),
            ("out of reach", "out_of_reach"),
            ("others: largest error (passes)", "in_reach_passes", 2),
        ],
        words=(0, 1, 2),
        marked=(9,),
    )


def _price_table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("way", "way"),
            ("sending (Mbit/s)", "mbps", "g"),
            ("d (ms)", "d_ms", "g"),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("loss (%)", "loss_percent", 2),
            ("mean delay (ms)", "delay_mean_ms", 3),
            ("largest (ms)", "delay_max_ms", 3),
            ("passes a packet", "passes_per_packet", 2),
        ],
        words=(0,),
        marked=(3, 5),
    )

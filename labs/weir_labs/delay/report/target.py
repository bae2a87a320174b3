"""Target delay: its accuracy and its price."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from matplotlib.ticker import FuncFormatter

from weir.lab import Findings, Tables
from weir.report import Figure, Panel, Section, Table, decimal, draw_curves, draw_panels, log_axis

from .common import curves


def delay(tables: Tables, plots: Path) -> Findings:
    """The error of both ways of setting the delay against d, with and without cross traffic."""
    runs = tables.runs
    parts = [
        f"{way}, {_cross_traffic_name(cross)}: {decimal(max(cells['in_reach_passes'].drop_nulls(), default=None), 2)}"
        for (way, cross), cells in runs.partition_by(
            "way", "cross", as_dict=True, maintain_order=True
        ).items()
    ]
    by_time = runs.filter(way="timestamp")
    return Findings(
        f"The largest error of any packet that can leave within a pass time of d, in pass times: {'; '.join(parts)}. Of "
        f"{sum(by_time['received'].to_list()):,} packets with a time stamp, {sum(by_time['out_of_reach'].to_list())} cannot, "
        "whatever the program does.",
        [
            Section(
                "Target delay: how exact?",
                [
                    "The control plane sets the delay of a flow at run time. Calibrated: it measures the pass time, and sets "
                    "X = d / pass time − 1, rounded. Time stamp: it sets d, and a packet recirculates until it is d old, to the nearest "
                    "pass. The error is that of the time from the packet's arrival at the switch until it leaves.",
                    "Cross traffic takes passes in between. A calibrated packet makes its X passes all the same, and is late by all "
                    "that it waited for. A packet with a time stamp makes fewer passes instead. If another pass has begun since its own, "
                    "its next loop may take a pass longer, so it leaves when less than a pass is left.",
                    "A packet can leave only when a pass of its ends. The delay d is “out of reach” of a packet if none of its passes ends "
                    "within a pass time of d; when they end is computed from the arrivals of all packets, not from what the packet did.",
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
                        "Packets with time stamps stay close to the delay that was set, whereas calibrated ones are late by "
                        "all that cross traffic adds.",
                        wide=True,
                    )
                ],
                notes=[
                    "bmv2-vm makes one pass at a time, and a pass takes 312.5 µs, so each packet of other traffic lengthens a loop by "
                    "up to 312.5 µs. With one in a loop, passes end two pass times apart at most, and one of the ends is within a pass "
                    "time of d. With several in one loop, as in Poisson traffic at times, d can be in the middle of a longer gap.",
                    "No packet leaves before its first pass has ended, and that begins after those of all packets that came before: with "
                    "cross traffic that can be more than a pass time after 0.1 or 0.2 ms.",
                ],
            )
        ],
    )


def delay_cost(tables: Tables, plots: Path) -> Findings:
    """Throughput and delay of a flow that is delayed by d."""
    runs = tables.runs
    fits = {
        way: runs.filter(pl.col("way") == way, pl.col("loss_percent") == 0).height
        for way in tables.values("way")
    }
    shown = runs.filter(pl.col("mbps") == tables.values("mbps")[-1])
    return Findings(
        "Of "
        f"{runs.height // len(fits)} combinations of rate and delay, nothing is lost at "
        + ", ".join(f"{count} ({way})" for way, count in fits.items())
        + ". Calibrated packets need all their passes; packets with a time stamp make fewer if the switch is busy.",
        [
            Section(
                "Target delay: its price",
                [
                    "A packet that waits d takes d / pass time passes from the switch, so a flow of n packets per second needs "
                    "n · d / pass time passes per second. Beyond the capacity, calibrated packets wait for passes: delay and loss "
                    "grow. With time stamps all waiting packets share the passes, each makes fewer, and leaves when it is old enough."
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
                                    for (way,), cells in shown.partition_by(
                                        "way", as_dict=True, maintain_order=True
                                    ).items()
                                }
                            ),
                            x="delay that was set, in ms",
                            y="throughput in Mbit/s",
                            wide=True,
                        ),
                        f"A flow of {tables.values('mbps')[-1]:g} Mbit/s loses throughput where its delay takes more passes "
                        "than the switch has.",
                        wide=True,
                    )
                ],
                notes=[
                    "Use time stamps where other traffic shares the switch or several packets wait. Use the calibrated one where a "
                    "program has no room for time stamps in its metadata, and the switch is idle."
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

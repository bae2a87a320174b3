"""Hold: B before A, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import (
    COLOURS,
    WIDE,
    Figure,
    Plot,
    Section,
    Table,
    axes,
    decimal,
    draw_curves,
    logarithmic,
    save_plot,
)

from .common import curves


def findings(tables: Tables, plots: Path) -> Findings:
    """Counts pairs by order, and shows the cost of waiting."""
    runs = tables.runs
    within, first, sent, received = (
        sum(runs[name].to_list()) for name in ("within", "b_first", "sent", "received")
    )
    longest = max(runs["held_max_passes"].to_list())
    return Findings(
        f"B arrived before A in {first:,} of {within:,} pairs whose B came within the bound; {sent - received} were lost, none was held "
        f"longer than {longest:.1f} pass times, and the order of all other packets was "
        f"{'unchanged' if runs['others_in_order'].all() else 'changed'} in {runs['others_in_order'].sum()} of {runs.height} runs.",
        [
            Section(
                "Hold: packet A waits until packet B has passed",
                [
                    "A recirculates until a register says that B has left the switch, or until the bound: 100 recirculations, or the "
                    "time of 100 passes. In 85 % of the pairs B comes up to 50 passes after A, in 5 % before A, in 5 % too late, and in "
                    "5 % never. Other packets travel in between.",
                    "A waiting packet takes one pass for each pass time that it waits. A switch whose capacity is one pass a pass "
                    "time can hold one packet at a time; one with more can hold many at once.",
                    "The bound of recirculations is exact. With that of time, a packet leaves when another loop, as long as the longest so "
                    "far of any packet, would end past the bound. The time begins when the switch receives the packet, so the wait for "
                    "its first pass is in it; time stamps are whole microseconds.",
                ],
                [_table(tables).fold("Pairs by order, and what waiting took, by profile and bound.")],
                [
                    Figure(
                        _plot(tables.frame("held"), plots),
                        "A leaves soon after B, so points are close to the diagonal, up to the bound of 100 passes (the first 4000 pairs).",
                        wide=True,
                    )
                ],
            )
        ],
    )


def waiting_cost(tables: Tables, plots: Path) -> Findings:
    """The cost of waiting packets for other traffic."""
    runs = tables.runs
    fits, full = runs.filter(pl.col("loss_percent") == 0), runs.filter(pl.col("loss_percent") > 0)
    profile = tables.values("profile")[0]
    return Findings(
        f"The other traffic loses no packet at {fits.height} of {runs.height} points, and its order is unchanged at "
        f"{runs.filter(pl.col('reordered') == 0).height}.{_mean_delays(fits.filter(pl.col('profile') == profile))} Of the packets held, "
        f"{sum(fits['held_lost'].to_list())} are lost there, and {sum(full['held_lost'].to_list())} where the other traffic is more "
        "than the switch can pass.",
        [
            Section(
                "Hold: what other traffic pays",
                [
                    "A number of packets waits in the switch for as long as the other traffic lasts. Each of them comes back to the input "
                    "queue after every pass, behind what has arrived meanwhile. So they get the passes that the other traffic leaves, and "
                    "no more: n packets that share C − λ passes per second are back after n / (C − λ) seconds, and a packet of the other "
                    "traffic waits for each of them once.",
                    "A switch that gets more packets than it has passes fills its input queue, and loses packets of all kinds, those it "
                    "holds too.",
                ],
                [_price_table(runs)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "hold-price",
                            curves(
                                {
                                    f"{mbps:g} Mbit/s": (
                                        cells["held"].to_list(),
                                        cells["delay_mean_ms"].to_list(),
                                    )
                                    for (mbps,), cells in runs.filter(pl.col("profile") == profile)
                                    .partition_by("mbps", as_dict=True, maintain_order=True)
                                    .items()
                                }
                            ),
                            x="packets that the switch holds",
                            y="mean delay in ms",
                            decorate=logarithmic("y"),
                            wide=True,
                        ),
                        f"Each packet that the switch holds adds to the mean delay of the other traffic ({profile}).",
                        wide=True,
                    )
                ],
                folded=True,
            )
        ],
    )


def _mean_delays(fits: pl.DataFrame) -> str:
    """The mean delay of the fastest traffic that fits, with the fewest and most packets held."""
    if fits.is_empty():
        return ""
    of_one = fits.filter(pl.col("mbps") == fits["mbps"].max()).sort("held").to_dicts()
    none, most = of_one[0], of_one[-1]
    return (
        f" The price is time: at {none['mbps']:g} Mbit/s ({none['profile']}) its mean delay is {none['delay_mean_ms']:.2f} ms with "
        f"{none['held']} packets held, and {most['delay_mean_ms']:.2f} ms with {most['held']}."
    )


def _price_table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("profile", "profile"),
            ("other traffic (Mbit/s)", "mbps", "g"),
            ("held", "held"),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("loss (%)", "loss_percent", 2),
            ("mean delay (ms)", "delay_mean_ms", 3),
            ("largest (ms)", "delay_max_ms", 3),
            ("out of order", "reordered"),
            ("passes of held packets (1/s)", "held_passes_per_s", 0),
            ("of capacity (%)", "capacity_percent", 3),
            ("held, then lost", "held_lost"),
            ("B first", "b_first"),
        ],
        words=(0,),
        marked=(5,),
    )


def _table(tables: Tables) -> Table:
    points = tables.points("profile", "bound")
    counts = tables.runs.group_by("profile", "bound", maintain_order=True).agg(
        pl.sum("within"),
        pl.sum("b_first"),
        pl.sum("late"),
        pl.sum("sent"),
        pl.sum("received"),
        pl.all("others_in_order"),
    )
    rows = [
        [
            row["profile"],
            row["bound"],
            f"{row['n']}",
            f"{count['within']:,}",
            f"{count['b_first']:,}",
            f"{count['late']:,}",
            f"{count['sent'] - count['received']}",
            "unchanged" if count["others_in_order"] else "changed",
            decimal(row["held_mean_passes"], 2),
            decimal(row["held_max_passes_max"], 2),
            decimal(row["passes_per_pair"], 2),
            decimal(row["capacity_percent"], 2),
        ]
        for row, count in zip(points.iter_rows(named=True), counts.iter_rows(named=True), strict=True)
    ]
    head = [
        "profile", "bound", "runs", "B within", "B first", "B late or never", "lost", "other packets", "held, mean (passes)",
        "held, max (passes)", "passes a pair", "of capacity (%)",
    ]  # fmt: skip
    return Table(head, rows, words=(0, 1, 7), marked=(4,))


def _plot(held: pl.DataFrame, plots: Path) -> Plot:
    known = held.drop_nulls("gap_passes").head(4000)
    with axes(WIDE, 3.4) as ax:
        ax.plot(
            known["gap_passes"].to_list(),
            known["held_passes"].to_list(),
            linestyle="none",
            marker=".",
            markersize=3,
            color=COLOURS["blue"],
            rasterized=True,
        )
        ax.set_xlabel("B's time after A, in passes")
        ax.set_ylabel("time of A in the switch, in passes")
        return save_plot(ax, plots, "hold")

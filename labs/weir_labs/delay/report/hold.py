"""The report on the experiments "hold" and "hold_price"."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun, part_of
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
    """Reports the order of the pairs, and the number of passes that waiting costs."""
    runs = tables.runs
    within, first, sent, received = (
        sum(runs[name].to_list()) for name in ("within", "b_first", "sent", "received")
    )
    longest = max(runs["held_max_passes"].to_list())
    order = (
        f"B arrived before A in {part_of(first, within, 'pair')} whose B came within the bound."
        if within
        else "No B came within the bound."
    )
    return Findings(
        f"{order} Of all packets, {sent - received} were lost, the longest wait of a held packet took as long as {longest:.1f} "
        "passes, and the order of all other packets was unchanged in "
        f"{part_of(int(runs['others_in_order'].sum()), runs.height, 'run')}.",
        [
            Section(
                "Hold: packet A waits until packet B has passed",
                [
                    "A recirculates until a register says that B has left the switch, or until the "
                    "bound: 100 recirculations, or the time of 100 passes. B arrives up to 50 passes "
                    "after A in 85 % of the pairs, before A in 5 %, too late in 5 %, and never in 5 "
                    "%. Other packets are sent in between.",
                    "A waiting packet uses one pass for each pass time that it waits. A switch with a "
                    "capacity of one pass per pass time can hold one packet at a time; a switch with "
                    "more capacity can hold many.",
                    "The bound in recirculations is exact. With the bound in time, a packet leaves if "
                    "another loop, as long as the longest loop of any packet so far, would end after "
                    "the bound. The time begins when the switch receives the packet, so it includes "
                    "the wait for the first pass; timestamps are whole microseconds.",
                ],
                [_table(tables).fold("Pairs by order, and what waiting took, by profile and bound.")],
                [
                    Figure(
                        _plot(tables.frame("held"), plots),
                        "If A leaves as soon as B has passed, points are on the diagonal, up to the "
                        "bound of 100 passes (first 4000 pairs).",
                        wide=True,
                    )
                ],
            )
        ],
    )


def waiting_cost(tables: Tables, plots: Path) -> Findings:
    """Reports the cost of waiting packets for other traffic."""
    runs = tables.runs
    fits, full = runs.filter(pl.col("loss_percent") == 0), runs.filter(pl.col("loss_percent") > 0)
    profile = tables.values("profile")[0]
    return Findings(
        f"The other traffic loses no packet at {part_of(fits.height, runs.height, 'point')}, and its order "
        "is unchanged at "
        f"{runs.filter(pl.col('reordered') == 0).height}.{_mean_delays(fits.filter(pl.col('profile') == profile))}"
        + _lost_while_held(fits, "Where the other traffic loses none")
        + _lost_while_held(full, "Where the other traffic exceeds the switch's capacity"),
        [
            Section(
                "Hold: the cost for other traffic",
                [
                    "A number of packets waits in the switch as long as the other traffic lasts. After "
                    "each pass, a waiting packet goes back to the input queue, behind packets that "
                    "have arrived in the meantime. Waiting packets therefore get only the passes that the "
                    "other traffic leaves. Each of n waiting packets, which share C − λ passes per "
                    "second, is back after n / (C − λ) seconds, and a packet of the other traffic "
                    "waits for each of them once.",
                    "If a switch gets more packets than its capacity allows, its input queue fills, "
                    "and it drops packets that arrive.",
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
                        f"The mean delay of the other traffic, by the packets that the switch holds ({profile}).",
                        wide=True,
                    )
                ],
                folded=True,
            )
        ],
    )


def _mean_delays(fits: pl.DataFrame) -> str:
    """Formulates a sentence on the mean delay of the fastest traffic that fits, with the fewest and
    the most held packets."""
    if fits.is_empty():
        return ""
    of_one = fits.filter(pl.col("mbps") == fits["mbps"].max()).sort("held").to_dicts()
    none, most = of_one[0], of_one[-1]
    if none["held"] == most["held"]:
        return (
            f" At {none['mbps']:g} Mbit/s ({none['profile']}) the mean delay of the other traffic is "
            f"{none['delay_mean_ms']:.2f} ms with {count_noun(none['held'], 'packet')} held."
        )
    return (
        f" The cost is delay: at {none['mbps']:g} Mbit/s ({none['profile']}) the mean delay of the "
        f"other traffic is {none['delay_mean_ms']:.2f} ms with {count_noun(none['held'], 'packet')} held, and "
        f"{most['delay_mean_ms']:.2f} ms with {most['held']}."
    )


def _lost_while_held(runs: pl.DataFrame, where: str) -> str:
    """Says how many of the held packets of some points are lost; empty if no packet is held
    there."""
    held, lost = (sum(runs[name].to_list()) for name in ("held", "held_lost"))
    verb = "is" if held == 1 else "are"
    return f" {where}, {part_of(lost, held, 'held packet')} {verb} lost." if held else ""


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
    gaps = held.drop_nulls("gap_passes").head(4000)
    with axes(WIDE, 3.4) as ax:
        ax.plot(
            gaps["gap_passes"].to_list(),
            gaps["held_passes"].to_list(),
            linestyle="none",
            marker=".",
            markersize=3,
            color=COLOURS["blue"],
            rasterized=True,
        )
        ax.set_xlabel("B's time after A, in passes")
        ax.set_ylabel("time of A in the switch, in passes")
        return save_plot(ax, plots, "hold")

"""The report on traffic and attacks while hosts join and leave and rules change."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import COLOURS, WIDE, Figure, Plot, Section, Table, axes, decimal, save_plot

from ..changing import ATTACKER, WINDOW_MS

_FIGURE_MS: Final = 600.0
"""The milliseconds of the first part of a run, which the figure shows."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports losses and leaks by the size of the sets of rules."""
    runs = tables.runs
    head = [
        "rules in a set",
        "exchanges",
        "joins and leaves",
        "writes",
        "longest join (ms)",
        "packets of h1 and h3",
        "lost",
        f"spoofed frames of {ATTACKER}",
        "leave a switch",
    ]
    names = ("rules", "exchanges", "joins", "writes")
    columns = ("sent", "lost", "attack_sent", "attack_leaked")
    rule_count = runs["rules"].to_list()[-1]
    first = {
        name: table.filter(pl.col("rules") == rule_count, pl.col("seed") == table["seed"][0])
        for name, table in ((name, tables.frame(name)) for name in ("moments", "windows"))
    }
    return Findings(
        f"h1 and h3 lose {runs['lost'].sum()} of {runs['sent'].sum():,} packets during "
        f"{runs['exchanges'].sum():,} exchanges of rules and {runs['joins'].sum():,} memberships of "
        f"other hosts, which join in {runs['join_max_ms'].to_numpy().max():.2f} ms at most. "
        f"{runs['attack_leaked'].sum()} of {runs['attack_sent'].sum():,} spoofed frames leave a "
        "switch during this time.",
        [
            Section(
                "Nothing is lost, and nothing leaks, while rules change",
                [
                    "h2 and h4 join and leave all the time, and every switch exchanges its rules on "
                    "layers 3 and 4 as fast as the controller can write them, 50 µs for each entry. "
                    f"Writes of entries for hosts have priority over writes of rules. {ATTACKER} "
                    "sends 10 000 frames per second with addresses of the four hosts, whether they "
                    "are members or not.",
                ],
                [
                    Table(
                        head,
                        [
                            [
                                *(f"{row[name]:,}" for name in names),
                                decimal(row["join_max_ms"]),
                                *(f"{row[name]:,}" for name in columns),
                            ]
                            for row in runs.iter_rows(named=True)
                        ],
                        marked=(6, 8),
                    )
                ],
                [
                    Figure(
                        _draw(first["moments"], first["windows"], plots),
                        f"The packets of h1 and h3 that arrive in each {WINDOW_MS} ms stay level "
                        "(above), while h2 and h4 join and leave and switches exchange their rules "
                        f"(below); the beginning of the run with {count_noun(rule_count, 'rule')} in a set.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _draw(moments: pl.DataFrame, windows: pl.DataFrame, plots: Path) -> Plot:
    """Draws the arriving packets above a timeline for each host and switch that changes."""
    windows = windows.filter(pl.col("time_ms") < _FIGURE_MS)
    lanes = ["h2", "h4", *moments.filter(pl.col("event") == "exchange")["where"].unique().sort()]
    most = max(1, *windows["members_received"].to_list())
    step = most / 8
    with axes(WIDE, 4.2) as ax:
        ax.step(
            windows["time_ms"], windows["members_received"], where="post", color=COLOURS["blue"],
            label=f"packets of members that arrive in {WINDOW_MS} ms",
        )  # fmt: skip
        for number, lane in enumerate(lanes):
            height = -step * (number + 1.2)
            lane_moments = moments.filter(pl.col("where") == lane)
            if lane.startswith("h"):
                spans = zip(
                    *(lane_moments.filter(pl.col("event") == e)["time_ms"] for e in ("join", "leave")),
                    strict=True,
                )
                ax.broken_barh(
                    [(a, b - a) for a, b in spans], (height - 0.3 * step, 0.6 * step), color=COLOURS["green"]
                )
            else:
                ax.plot(
                    lane_moments["time_ms"],
                    [height] * lane_moments.height,
                    "|",
                    color=COLOURS["orange"],
                    markersize=8,
                )
        ticks = [0, most / 2, most]
        names = [*(f"{lane} is a member" for lane in lanes[:2]), *(f"rules of {lane}" for lane in lanes[2:])]
        ax.set_yticks(
            [*(-step * (number + 1.2) for number in range(len(lanes))), *ticks],
            [*names, *(f"{tick:g}" for tick in ticks)],
        )
        ax.set_xlim(0, _FIGURE_MS)
        ax.set_ylim(-step * (len(lanes) + 1), most * 1.2)
        ax.set_xlabel("time in ms")
        ax.grid(visible=False, axis="y")
        ax.legend(loc="upper right")
        return save_plot(ax, plots, "changing")

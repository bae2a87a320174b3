"""The report on round trips of a switch that shares its computer with the hosts, compared with the
thesis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves

from ..thesis import PUBLISHED, RTT_TWO_SWITCHES_MS


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the slope over X, the difference between mean and minimum, and the effect of a second
    switch."""
    points = tables.points("slower", "switches", "x")
    thesis = PUBLISHED["bmv2-vm"]
    return Findings(
        _answer(points, max(tables.values("pings"))),
        [
            Section(
                "One computer for switch and hosts",
                [
                    "Switch, hosts and kernel share a computer with two processors, fitted to BMv2's "
                    "simple_switch or slower by a factor. In the thesis's virtual machine, round "
                    f"trips take {thesis.a_ms:g} ms and {thesis.b_ms:g} ms more for each "
                    "recirculation, and means are larger than minima; a second switch increases the "
                    f"round trip to {RTT_TWO_SWITCHES_MS:g} ms, from "
                    f"{thesis.rtt_min_ms['unlimited', 0]:g} ms.",
                ],
                [
                    Table.from_rows(
                        points.iter_rows(named=True),
                        [
                            (
                                "computer",
                                lambda row: (
                                    "as fitted" if row["slower"] == 1 else f"{row['slower']:g} times slower"
                                ),
                            ),
                            ("switches", "switches"),
                            ("X", "x"),
                            ("minimum (ms)", "rtt_min_ms", 3),
                            ("mean (ms)", "rtt_avg_ms", 3),
                            ("mean − minimum (ms)", "above_ms", 3),
                            ("thesis, minimum (ms)", _published),
                        ],
                        marked=(5,),
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "shared-computer",
                            [
                                Curve(
                                    f"{count_noun(switches, 'switch')}, {slower:g} times slower, {name}",
                                    cells["x"],
                                    cells[column],
                                    {"linestyle": line},
                                )
                                for (slower, switches), cells in points.partition_by(
                                    "slower", "switches", maintain_order=True, as_dict=True
                                ).items()
                                for name, column, line in (
                                    ("mean", "rtt_avg_ms", "-"),
                                    ("minimum", "rtt_min_ms", ":"),
                                )
                            ],
                            x="recirculations X",
                            y="round trip in ms",
                            wide=True,
                        ),
                        "The difference between a mean (line) and its minimum (dotted) is the time "
                        "that other processes on the computer add to a round trip.",
                        wide=True,
                    )
                ],
                folded=True,
            )
        ],
    )


def _published(row: Mapping[str, Any]) -> str:
    thesis = PUBLISHED["bmv2-vm"].rtt_min_ms
    if row["switches"] == 1 and ("unlimited", row["x"]) in thesis:
        return f"{thesis['unlimited', row['x']]:g}"
    return f"{RTT_TWO_SWITCHES_MS:g}" if (row["switches"], row["x"]) == (2, 0) else "–"


def _answer(points: pl.DataFrame, pings: int) -> str:
    """Says how far means are above minima, and what a second switch adds.

    Args:
        points: the points.
        pings: the largest number of pings of a run.
    """
    parts = []
    averaged = points.select("switches", "x").unique()
    for (slower,), cells in points.partition_by("slower", maintain_order=True, as_dict=True).items():
        mean = decimal(float(cells["above_ms"].to_numpy().mean()), 2)
        computer = "the fitted computer" if slower == 1 else f"a computer {slower:g} times slower"
        parts.append(f"{mean} ms on {computer}")
    again = _round_trip_ms(points, 1, 1), _round_trip_ms(points, 2, 0)
    second = ""
    if None not in again:
        base = _round_trip_ms(points, 1, 0)
        least = points["slower"].to_numpy().min()
        computer = "the fitted computer" if least == 1 else f"a computer {least:g} times slower"
        second = (
            f" On {computer}, a second switch adds {again[1] - base:.2f} ms to the minimum at X = 0, and a first recirculation adds "
            f"{again[0] - base:.2f} ms."
        )
    if pings < 2:
        return (
            f"Not run: how far mean round trips are above their minimum, which needs several pings.{second}"
        )
    mean_of = f", on average over {count_noun(len(averaged), 'point')}" if len(averaged) > 1 else ""
    return f"Mean round trips are above their minimum by {' and '.join(parts)}{mean_of}.{second}"


def _round_trip_ms(points: pl.DataFrame, switches: int, x: int) -> Any:
    row = points.filter(pl.col("switches") == switches, pl.col("x") == x).sort("slower")
    return None if row.is_empty() else row["rtt_min_ms"][0]

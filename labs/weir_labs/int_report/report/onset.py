"""Computes the findings about where loss begins, from the lengths of frames and in the
simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from weir.lab import Findings, Tables, by_at_most, count_noun, part_of
from weir.report import Curve, Figure, Section, Table, draw_curves
from weir.units import rate_bps

from ..chain import QUEUE_PACKETS


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares computed and counted losses of datagrams near the load that fits."""
    runs = tables.runs
    return Findings(
        _answer(runs, tables.values("percent")),
        [
            Section(
                "Where loss begins",
                [
                    "The load is set to a percentage of the link's capacity with the longest frames, and nothing else is sent. "
                    f"{_waiting_share(runs.row(0, named=True))}"
                ],
                [_table(runs)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "onset",
                            [
                                Curve(
                                    f"{count_noun(switches, 'switch')}, INT {telemetry}",
                                    cells["mbps"],
                                    cells["lost"],
                                    {"marker": "o", "linestyle": "-" if telemetry == "on" else "--"},
                                )
                                for (switches, telemetry), cells in runs.partition_by(
                                    "switches", "telemetry", maintain_order=True, as_dict=True
                                ).items()
                            ],
                            x="load in Mbit/s of payload",
                            y="datagrams lost",
                            wide=True,
                        ),
                        "Lost datagrams by load, with a line for each chain; dashed without telemetry.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _waiting_share(run: Mapping[str, Any]) -> str:
    """Says which part of an overload waits in the queue at the end of a run, and is not lost."""
    sent = run["fitting_mbps"] * 1e6 * run["seconds"] / (8 * run["data_bytes"])
    return (
        f"In {run['seconds']} s, a link of {rate_bps(run['rate']) / 1e6:g} Mbit/s sends about {float(f'{sent:.1g}'):.0f} of these "
        f"datagrams and its queue takes {QUEUE_PACKETS}, so up to {100 * QUEUE_PACKETS / sent:.1f} % too much is not lost but waits."
    )


def _answer(runs: pl.DataFrame, loads: Sequence[float]) -> str:
    """Says whether the computed losses agree with the counted ones.

    Where loss begins is known only if a loss is computed for some of the loads, but not for all.
    Otherwise, the sentence says what was not run.
    """
    agree = runs.filter((pl.col("lost") > 0) == (pl.col("predicted_lost") >= 1))
    error = (runs["lost"] - runs["predicted_lost"]).abs().to_numpy().max()
    at = f"{loads[0]:g} %" if len(loads) == 1 else f"{loads[0]:g} to {loads[-1]:g} %"
    if (
        len(loads) > 1
        and runs["predicted_lost"].to_numpy().max() >= 1 > runs["predicted_lost"].to_numpy().min()
    ):
        where = "Whether datagrams are lost follows from the lengths of the frames"
    else:
        # All loads are on one side of the first loss.
        where = (
            "Not run: where loss begins, which needs loads with and without computed losses. Whether datagrams are lost agrees "
            "with the lengths of the frames"
        )
    return (
        f"{where} at {part_of(agree.height, runs.height, 'point')} at {at} of the load that fits; computed and counted losses "
        f"differ {by_at_most(error, runs.height, 1, 'datagrams')}."
    )


def _table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("switches", "switches"),
            ("INT", "telemetry"),
            ("longest frame (bytes)", "largest_frame", "g"),
            ("fits (Mbit/s)", "fitting_mbps", 3),
            ("% of it", "percent", "g"),
            ("load (Mbit/s)", "mbps", 3),
            ("sent", "sent"),
            ("lost", "lost"),
            ("computed", "predicted_lost", 1),
        ],
        words=(1,),
        marked=(7, 8),
    )

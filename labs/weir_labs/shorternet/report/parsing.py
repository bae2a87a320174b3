"""Computes the findings about the cost of extra headers in the model."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, by_at_most, count_noun
from weir.report import Curve, Figure, Panel, Section, Table, decimal, draw_panels

_PARAMETERS: Final = ["equal", "header_ns", "length", "rate", "extra"]

_SAME_US: Final = 1e-6
"""A difference below this comes from rounding, because times are whole nanoseconds."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows latency and packet rates by number of extra headers."""
    points = tables.points(*_PARAMETERS)
    return Findings(
        _answer(points),
        [
            Section(
                "The cost of parsed headers",
                [
                    "The program extra.p4 parses up to 16 headers of 4 bytes after Shorternet's header, and "
                    "otherwise treats all packets alike. In the model, a pass takes 1 µs and a chosen time "
                    "for each header; a header takes time on links only if it comes on top of the payload.",
                    "In theory, packets never meet, so the latency is the time of four links and three "
                    "passes.",
                ],
                [_table(points)],
                [
                    Figure(
                        draw_panels(
                            plots,
                            "parsing",
                            [
                                Panel(
                                    f"equal {equal}",
                                    [
                                        Curve(
                                            f"{header_ns} ns for each header",
                                            cells["extra"],
                                            cells["latency_us"],
                                        )
                                        for (header_ns,), cells in points.filter(
                                            pl.col("equal") == equal
                                        ).group_by("header_ns", maintain_order=True)
                                    ],
                                )
                                for equal in points["equal"].unique(maintain_order=True)
                            ],
                            x="extra headers",
                            y="latency in µs",
                        ),
                        "Latency by extra headers, at equal length and at equal payload, for each time that a header takes.",
                        wide=True,
                    )
                ],
                notes=[
                    "The time of native code for a header depends on the computer, so these results do not contain the time: "
                    "python -m weir_labs.shorternet.native measures it.",
                ],
            )
        ],
    )


def _answer(points: pl.DataFrame) -> str:
    worst = (points["latency_us"] - points["predicted_us"]).abs().to_numpy().max()
    same = points.filter(pl.col("equal") == "length", pl.col("header_ns") == 0)["latency_us"].to_numpy()
    spread = same.max() - same.min() if len(same) > 1 else None
    most = points["extra"].to_numpy().max()
    effect = (
        "do not change latency"
        if spread is not None and spread < _SAME_US
        else f"change latency by {decimal(spread)} µs"
    )
    theory = (
        "equals theory"
        if worst < _SAME_US
        else f"differs from theory {by_at_most(worst, points.height, unit='µs')}"
    )
    return (
        f"If a pass takes no time for headers, up to {most} extra ones {effect} at equal length. "
        if spread is not None
        else ""
    ) + f"Latency {theory}, over {count_noun(points.height, 'combination')}."


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("equal", "equal"),
            ("time of a header (ns)", "header_ns"),
            ("extra headers", "extra"),
            ("bytes", "bytes", 0),
            ("of them headers", "header_bytes", 0),
            ("latency (µs)", "latency_us", 3),
            ("theory (µs)", "predicted_us", 3),
            ("passes/s of a switch", "passes_per_s", ",.0f"),
            ("packets/s of a link", "link_per_s", ",.0f"),
        ],
        words=(0,),
        marked=(5, 6),
    )

"""The report on joins during a flood of requests."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves, logarithmic

_NAMES = {True: "meters at ports", False: "no meters"}


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports join times by the rate of the flood, with and without meters."""
    points = tables.points("limited", "per_second", "joins")
    with_meters = points.filter(pl.col("limited"))
    without = points.filter(~pl.col("limited"))
    return Findings(
        " ".join(
            _longest_join(name, limited_runs)
            for name, limited_runs in (("With", with_meters), ("Without", without))
            if limited_runs.height
        ),
        [
            Section(
                "A flood of requests",
                [
                    "x1 asks to join as h1, so that the controller has to make a challenge each "
                    "time. At the same time, h2 joins and leaves. The controller needs 100 µs for a "
                    "request, and 1000 requests can wait. A meter for each port permits 20 requests "
                    "per second, with bursts of 10.",
                ],
                [
                    Table.from_rows(
                        points.iter_rows(named=True),
                        [
                            ("switches", lambda row: _NAMES[row["limited"]]),
                            ("flood (requests/s)", "per_second", ","),
                            ("requests at the controller", "requests", 0),
                            ("lost there", "lost", 0),
                            ("joins", lambda row: f"{row['joined']:g} of {row['joins']}"),
                            (
                                "mean (ms)",
                                lambda row: (
                                    decimal(row["join_mean_ms"]) if row["join_mean_ms"] is not None else "–"
                                ),
                            ),
                            (
                                "longest (ms)",
                                lambda row: (
                                    decimal(row["join_max_ms"]) if row["join_max_ms"] is not None else "–"
                                ),
                            ),
                        ],
                        words=(0,),
                        marked=(5, 6),
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "flooding",
                            [
                                Curve(
                                    _NAMES[limited], limited_runs["per_second"], limited_runs["join_max_ms"]
                                )
                                for limited, limited_runs in ((True, with_meters), (False, without))
                                if limited_runs.height
                            ],
                            x="flood in requests per second",
                            y="longest join in ms",
                            decorate=logarithmic("y"),
                        ),
                        "The longest join by the rate of the flood; points are missing where h2 "
                        "could not join.",
                    )
                ],
            )
        ],
    )


def _longest_join(name: str, points: pl.DataFrame) -> str:
    """Says how long joins take in floods, with or without meters."""
    floods = points.filter(pl.col("per_second") > 0)
    if floods.is_empty():
        return (
            f"Not run: how long joins take in floods {name.lower()} meters, which needs per_second above 0."
        )
    if floods["join_max_ms"].is_null().any():
        failed = floods.filter(pl.col("join_max_ms").is_null())
        fewest = failed["per_second"].to_numpy().min()
        tries = count_noun(failed["joins"].to_numpy().max(), "attempt")
        return f"{name} meters, none of {tries} of h2 to join succeeds at {fewest:,} requests/s."
    longest = floods["join_max_ms"].to_numpy().max()
    rates = f"{'floods of up to' if floods.height > 1 else 'a flood of'} {floods['per_second'].to_numpy().max():,} requests/s"
    return f"{name} meters, a join takes {longest:.2f} ms at most in {rates}."

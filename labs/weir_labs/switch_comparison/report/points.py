"""Means over repetitions by switch, and lists of the measured and missing switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl
import polars.selectors as cs

from weir.experiments import student
from weir.lab import Tables
from weir.report import HUES, MARKERS, Curve, Section, Table

from ..switches.known import SWITCHES

Row = dict[str, Any]

BUSY_PERCENT: Final = 25.0
"""The time in per cent for which other programs may use the processors."""


def flow_rows(tables: Tables) -> pl.DataFrame:
    """Reads the data frame of all runs' flows; it is empty if no switch was measured."""
    if not (tables.folder / "frames" / "steps.parquet").is_file():
        return pl.DataFrame()
    return tables.frame("steps")


def means(rows: pl.DataFrame, *keys: str) -> list[Row]:
    """Computes means over repetitions, with a row for each combination of keys.

    Each number has its mean, and ``NAME_half`` is half of the mean's 95 % interval (Student's t), 0
    for one repetition. ``n`` is the number of repetitions. The rows keep their order. Repetitions
    without a number are left out of that number's mean.

    Args:
        rows: a row for each flow.
        keys: the columns to group by.
    """
    if rows.is_empty():
        return []
    rows = rows.with_columns(cs.by_dtype(pl.Null).cast(pl.Float64))
    numbers = [name for name, kind in rows.schema.items() if kind.is_numeric() and name not in keys]
    texts = [name for name, kind in rows.schema.items() if kind == pl.String and name not in keys]
    averaged = rows.group_by(keys, maintain_order=True).agg(
        pl.len().alias("n"),
        *(pl.col(name).mean() for name in numbers),
        *(pl.col(name).std().fill_null(0.0).alias(f"{name}_half") for name in numbers),
        *(pl.col(name).count().alias(f"{name}_count") for name in numbers),
        *(pl.col(name).first() for name in texts),
    )
    row_list = averaged.to_dicts()
    for row in row_list:
        for name in numbers:
            count = row.pop(f"{name}_count")
            row[f"{name}_half"] *= student(count) / count**0.5 if count > 1 else 0.0
    return row_list


def names(rows: Sequence[Row]) -> list[str]:
    """Lists the names of the switches in these rows, in the order of all tables."""
    measured_switches = {row["switch"] for row in rows}
    return [name for name in SWITCHES if name in measured_switches]


def title(switch: str) -> str:
    """Returns the name of a switch in tables."""
    return SWITCHES[switch].title


def style(switch: str) -> Mapping[str, Any]:
    """Returns the colour, line and marker of a switch in all plots."""
    place = list(SWITCHES).index(switch)
    lines = ("-", "--", ":")
    return {
        "color": HUES[place % len(HUES)],
        "linestyle": lines[place // len(HUES) % len(lines)],
        "marker": MARKERS[place % len(MARKERS)],
    }


def curves(rows: Sequence[Row], x: str, y: str) -> list[Curve]:
    """Builds a curve for each switch that has numbers."""
    drawn = []
    for switch in names(rows):
        points = sorted((row[x], row[y]) for row in rows if row["switch"] == switch and row[y] is not None)
        if points:
            drawn.append(
                Curve(
                    title(switch),
                    [point[0] for point in points],
                    [point[1] for point in points],
                    style(switch),
                )
            )
    return drawn


def missing_switches(tables: Tables) -> Section | None:
    """Builds a table of the switches that were not measured, with the reasons and how to install
    them."""
    runs = tables.runs.filter(~pl.col("available"))
    if runs.is_empty():
        return None
    rows = []
    for switch in SWITCHES:
        switch_runs = runs.filter(pl.col("switch") == switch)
        if not switch_runs.is_empty():
            rows.append([title(switch), switch_runs["missing"][0], SWITCHES[switch].install])
    table = Table(["switch", "not measured, because", "to install it"], rows, words=(0, 1, 2), prose=True)
    return Section(
        f"Not measured by {tables.folder.name}",
        [
            "Install the missing programs and run the lab with --fresh; otherwise the results of "
            "earlier runs are kept."
        ],
        [table],
        folded=True,
    )


def not_measured(tables: Tables) -> str:
    """Formulates a sentence that lists the switches that were not measured; empty if there are
    none."""
    missing = set(tables.runs.filter(~pl.col("available"))["switch"])
    listed = ", ".join(title(name) for name in SWITCHES if name in missing)
    return f"not measured: {listed}; the report says why, and how to install them" if listed else ""


def busy_note(runs: pl.DataFrame) -> list[str]:
    """Returns a warning if other programs kept the processors busy during the runs."""
    mean = runs["others_percent"].mean() if "others_percent" in runs.columns else None
    if not isinstance(mean, float) or mean < BUSY_PERCENT:
        return []
    return [
        f"Before the flows began, the processors were busy for {mean:.0f} % of the time: other "
        "programs ran. Stop other programs for repeatable figures."
    ]

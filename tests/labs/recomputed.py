"""Recomputes the tables of a lab's report from its Parquet files, in SQL.

A file LAB.sql has a query for each table of the report, after a line ``-- table: SECTION``; several
tables of a section are in their order. A query's rows are the table's rows, as text. The tables to
select from are named after the files: ``PART`` for ``PART/runs.parquet``, and ``PART_NAME`` for
``PART/frames/NAME.parquet``, with ``_`` for ``-``.
"""

from __future__ import annotations

import html
import math
import re
import sqlite3
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
from scipy import stats

Rows = list[list[str]]
Key = tuple[str, int]
"""The title of a section, and a table's place in it, from 1."""

NONE = "–"


def shown_tables(page: str) -> dict[Key, Rows]:
    """The tables of a report, except those of published numbers, which test_published.py checks.

    Numbers are without the narrow spaces between thousands.
    """
    tables_by_key: dict[Key, Rows] = {}
    for section in re.split(r"<section[^>]*>", page)[1:]:
        title = html.unescape(section.split("<h2>")[1].split("</h2>")[0])
        if title.startswith("Published numbers and the lab's values"):
            continue
        for place, table in enumerate(re.findall(r"<tbody>(.*?)</tbody>", section, re.DOTALL), start=1):
            tables_by_key[title, place] = [
                [
                    html.unescape(cell).replace("\u202f", "")
                    for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
                ]
                for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
            ]
    return tables_by_key


def queries(sql: str) -> tuple[str, dict[Key, str]]:
    """The beginning of a file of queries, and the queries."""
    start, *parts = re.split(r"^-- table: (.*)$", sql, flags=re.MULTILINE)
    texts_by_key: dict[Key, str] = {}
    places: dict[str, int] = defaultdict(int)
    for title, query in zip(parts[::2], parts[1::2], strict=True):
        places[title] += 1
        texts_by_key[title, places[title]] = query
    return start, texts_by_key


def database(results: Path, sql: str) -> sqlite3.Connection:
    """A database of the Parquet files that an SQL text names."""
    connection = sqlite3.connect(":memory:")
    for file in sorted(results.rglob("*.parquet")):
        part = file.relative_to(results).parts[0]
        name = (part if file.name == "runs.parquet" else f"{part}_{file.stem}").replace("-", "_")
        if re.search(rf"\b{name}\b", sql):
            _load(connection, name, pl.read_parquet(file))
    for function, arguments in (
        (fixed, 2),
        (certain, 3),
        (width, 1),
        (plain, 1),
        (differs, 3),
        (at_most, 2),
        (share, 2),
        (rate, 1),
        (bits, 1),
    ):
        connection.create_function(function.__name__, arguments, function, deterministic=True)
    for aggregate, arguments in ((half95, 1), (slope, 2), (intercept, 2), (r2, 2), (percentile, 2)):
        connection.create_aggregate(aggregate.__name__, arguments, aggregate)  # type: ignore[arg-type]
    return connection


def _load(connection: sqlite3.Connection, name: str, frame: pl.DataFrame) -> None:
    columns = ", ".join(f'"{column}"' for column in frame.columns)
    connection.execute(f"CREATE TABLE {name} ({columns})")
    places = ", ".join("?" * frame.width)
    plain_rows = frame.with_columns(pl.col(pl.List, pl.Struct).cast(pl.String)) if _nested(frame) else frame
    connection.executemany(f"INSERT INTO {name} VALUES ({places})", plain_rows.iter_rows())


def _nested(frame: pl.DataFrame) -> bool:
    return any(kind.is_nested() for kind in frame.schema.values())


# The functions that queries call: each formats or computes independently of the code that it
# checks.


def fixed(value: float | None, digits: int) -> str:
    """A number with this many decimals, or 0 if it is nothing else."""
    if value is None:
        return NONE
    return f"{value:.{digits}f}" if abs(value) > 1e-12 else "0"


def certain(value: float | None, half: float | None, digits: int) -> str:
    """A mean with the digits of half its interval: one, or two if that begins with 1 or 2."""
    if value is None or half is None:
        return fixed(value, digits)
    first, exponent = f"{half:.3e}".split("e")
    decimals = (1 if float(first) < 2.95 else 0) - int(exponent)
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def width(half: float | None) -> str:
    """Half of an interval, with as many digits as the mean."""
    return certain(half, half, 0)


def plain(value: float | None) -> str:
    """A number with as few digits as possible."""
    return NONE if value is None else f"{value:.6g}"


def at_most(worst: float, digits: int) -> str:
    """The largest of several differences in per cent."""
    if round(worst, digits) == 0:
        return f"less than {10.0**-digits:.{digits}f} %"
    return f"{worst:.{digits}f} % at most"


def differs(value: float | None, reference: float | None, digits: int) -> str:
    """A difference in per cent, with its sign."""
    if value is None or reference is None:
        return NONE
    difference = round(100 * (value - reference) / reference, digits)
    if difference == 0:
        return "0 %"
    return f"{'+' if difference > 0 else '−'}{abs(difference):.{digits}f} %"


def share(part: float | None, whole: float | None) -> str:
    """A part in per cent."""
    return NONE if part is None or not whole else f"{100 * part / whole:.1f} %"


def bits(rate: str) -> float | None:
    """A link rate in bit/s."""
    units = {"kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9}
    return None if rate == "unlimited" else float(rate[:-4]) * units[rate[-4:]]


def rate(name: str) -> str:
    """A link rate as the report writes it."""
    return name if name == "unlimited" else f"{name[:-4]} {name[-4:]}/s"


class _Aggregate:
    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []

    def step(self, *values: Any) -> None:
        if None not in values:
            self.rows.append(values)


class half95(_Aggregate):
    """Half of the 95 % interval of a mean, by Student's t; None for one value, or if all are
    equal."""

    def finalize(self) -> float | None:
        values, n = [value for (value,) in self.rows], len(self.rows)
        if len(set(values)) < 2:
            return None
        return float(stats.t.ppf(0.975, n - 1)) * statistics.stdev(values) / math.sqrt(n)


def certain_mean(values: list[float], digits: int) -> str:
    """The mean of values, with the digits that its interval leaves certain."""
    half = half95()
    for value in values:
        half.step(value)
    return certain(statistics.fmean(values), half.finalize(), digits)


class slope(_Aggregate):
    """The slope b of the least-squares line y = a + b·x; called with x and y."""

    def finalize(self) -> float:
        (mean_x, mean_y), points = self.means(), self.rows
        return math.fsum((x - mean_x) * (y - mean_y) for x, y in points) / math.fsum(
            (x - mean_x) ** 2 for x, _ in points
        )

    def means(self) -> tuple[float, float]:
        return tuple(math.fsum(values) / len(values) for values in zip(*self.rows, strict=True))  # type: ignore[return-value]


class intercept(slope):
    """The intercept a of the least-squares line y = a + b·x."""

    def finalize(self) -> float:
        mean_x, mean_y = self.means()
        return mean_y - super().finalize() * mean_x


class r2(slope):
    """The line's coefficient of determination: 1 − residual / total sum of squares."""

    def finalize(self) -> float:
        (mean_x, mean_y), b = self.means(), super().finalize()
        left = math.fsum((y - mean_y - b * (x - mean_x)) ** 2 for x, y in self.rows)
        return 1 - left / math.fsum((y - mean_y) ** 2 for _, y in self.rows)


class percentile(_Aggregate):
    """The value at a share of the way from the first to the last rank, rounded up to a rank."""

    def finalize(self) -> float | None:
        if not self.rows:
            return None
        part = self.rows[0][1]
        return float(sorted(value for value, _ in self.rows)[math.ceil(part * (len(self.rows) - 1))])

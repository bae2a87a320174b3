"""Summarizes pings by cell, and fits lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

SCHEMA = {
    "recirculations": pl.Int64,
    "rate_bps": pl.Int64,
    "seq": pl.Int64,
    "time_s": pl.Float64,
    "rtt_ms": pl.Float64,
    "ttl": pl.Int64,
}
"""The results: a row per ping.

``rate_bps`` is null for unlimited links, ``rtt_ms`` and ``ttl`` without reply; ``time_s`` is when
the request left, in seconds since the cell's network started.
"""


@dataclass(frozen=True)
class CellResult:
    """The summary of a cell's pings; the times are None without replies."""

    recirculations: int
    rate_bps: int | None
    sent: int
    received: int
    rtt_min_ms: float | None
    rtt_avg_ms: float | None
    rtt_max_ms: float | None


@dataclass(frozen=True)
class Fit:
    """The least-squares line a + b·X through all round-trip times of one rate.

    Attributes:
        rate_bps: the links' rate; None is unlimited.
        a_ms: the round trip at X = 0, in milliseconds.
        b_ms: the time that one recirculation adds, in milliseconds.
        r2: the share of the round trips' variance that the line explains, at most 1.
    """

    rate_bps: int | None
    a_ms: float
    b_ms: float
    r2: float


def summarise(results: pl.DataFrame) -> list[CellResult]:
    """Each cell's counts and times, in the order of the results' first rows."""
    found = []
    for (x, rate), pings in _by(results, "recirculations", "rate_bps"):
        rtts = pings["rtt_ms"].drop_nulls().to_list()
        low, mean, high = (min(rtts), math.fsum(rtts) / len(rtts), max(rtts)) if rtts else (None, None, None)
        found.append(CellResult(x, rate, pings.height, len(rtts), low, mean, high))
    return found


def fits(results: pl.DataFrame) -> list[Fit]:
    """A line for each rate with replies at two or more numbers of recirculations."""
    found = []
    for (rate,), pings in _by(results.drop_nulls("rtt_ms"), "rate_bps"):
        if pings["recirculations"].n_unique() >= 2:
            a, b, r2 = fit_line(pings["recirculations"].to_list(), pings["rtt_ms"].to_list())
            found.append(Fit(rate, a, b, r2))
    return found


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float, float]:
    """The least-squares line through the points: (a, b, R²) of y = a + b·x.

    It needs two different x.

    Sums are exact before they are rounded, so the result is the same on every machine.
    """
    n = len(xs)
    x_mean, y_mean = math.fsum(xs) / n, math.fsum(ys) / n
    xx = math.fsum((x - x_mean) ** 2 for x in xs)
    xy = math.fsum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    yy = math.fsum((y - y_mean) ** 2 for y in ys)
    b = xy / xx
    a = y_mean - b * x_mean
    residual = math.fsum((y - (a + b * x)) ** 2 for x, y in zip(xs, ys, strict=True))
    # Points on a horizontal line have no variance to explain; the line goes through all of them.
    r2 = 1 - residual / yy if yy > 0 else 1.0
    return a, b, r2


def _by(frame: pl.DataFrame, *columns: str) -> list[tuple[tuple[Any, ...], pl.DataFrame]]:
    parts = frame.partition_by(*columns, maintain_order=True, as_dict=True)
    return list(parts.items())

"""Coefficients of variation of the mean of all runs, which is what the paper seems to show.

The mean of n independent runs varies less than one run, by the square root of n. An effect that
all runs have in common, such as slow start after a join, stays.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from weir.lab import Tables

from .periods import STEPS
from .sending import variation_percent


def variation_of_mean(tables: Tables, number: int, host: str, **where: Any) -> float | None:
    """The coefficient of variation of the mean of all runs, in per cent.

    The rate of a host in each interval is the mean of all runs.

    Args:
        tables: the tables of a part whose hosts join one after the other.
        number: the number of the period, from 1.
        host: the host.
        where: values of parameters.

    Returns:
        None without such runs.
    """
    rates = tables.frame("rates").filter(
        pl.col("host") == host, *(pl.col(name) == value for name, value in where.items())
    )
    means = rates.group_by("time_s").agg(pl.col("mbps").mean()).sort("time_s")["mbps"].to_numpy()
    own = means[(number - 1) * STEPS : number * STEPS]
    return variation_percent(own) if len(own) == STEPS else None

"""Computes coefficients of variation and fairness of the mean of all runs.

The paper's figures seem to be such: its indices of fairness in P1, P2 and P4 are those of the mean
rates in its table I, and its coefficients of variation fit the mean of ten runs. The standard
deviation of the mean of n independent runs is smaller than that of one run by the square root of n.
Effects that all runs have in common, such as slow start after a join, remain.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from weir.lab import Tables

from .periods import STEPS
from .sending import fairness, variation_percent


def variation_of_mean(tables: Tables, number: int, host: str, **where: Any) -> float | None:
    """Computes the coefficient of variation of the mean of all runs, in per cent.

    The rate of a host in each interval is the mean of all runs.

    Args:
        tables: the tables of an experiment whose hosts join one after the other.
        number: the number of the period, from 1.
        host: the host.
        where: the values of parameters that select runs.

    Returns:
        The coefficient; ``None`` if there are no such runs.
    """
    rates = tables.frame("rates").filter(
        pl.col("host") == host, *(pl.col(name) == value for name, value in where.items())
    )
    means = rates.group_by("time_s").agg(pl.col("mbps").mean()).sort("time_s")["mbps"].to_numpy()
    period_means = means[(number - 1) * STEPS : number * STEPS]
    return variation_percent(period_means) if len(period_means) == STEPS else None


def fairness_of_mean(tables: Tables, number: int, **where: Any) -> float | None:
    """Computes Jain's index of the hosts' rates, each of which is the mean of all runs.

    Args:
        tables: the tables of an experiment whose hosts join one after the other.
        number: the number of the period, from 1, which is also the number of hosts that send.
        where: the values of parameters that select runs.

    Returns:
        The index; ``None`` if there are no such runs.
    """
    means = [tables.mean(f"mbps_{number}_h{host}", **where) for host in range(1, number + 1)]
    rates = [mean for mean in means if mean is not None]
    return fairness(rates) if len(rates) == number else None

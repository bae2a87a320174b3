"""Reads the tables of an experiment's results from Parquet files."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from weir.experiments.intervals import student


class Tables:
    """The tables of an experiment's results.

    Attributes:
        folder: the folder of the tables: ``runs.parquet``, and ``frames/NAME.parquet`` for the data
            frames that runs returned.
        averaged: the parameters that take several values in rows that :meth:`points` has returned,
            so that these rows are means over the values.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.averaged: set[str] = set()

    @cached_property
    def runs(self) -> pl.DataFrame:
        """A data frame with a row for each run: parameters, seed, measured numbers."""
        return pl.read_parquet(self.folder / "runs.parquet")

    def frame(self, name: str) -> pl.DataFrame:
        """Reads the data frames that runs returned under a name, concatenated over all runs."""
        return pl.read_parquet(self.folder / "frames" / f"{name}.parquet")

    def part(self, name: str) -> Tables | None:
        """Returns the tables of another experiment of the same run; ``None`` if the experiment was
        not run. If these tables contain only runs with the lab's own values, the returned tables do
        so, too, and the result is ``None`` if there are no such runs."""
        folder = self.folder.with_name(name)
        return Tables(folder) if (folder / "runs.parquet").is_file() else None

    def values(self, parameter: str) -> list[Any]:
        """Lists the values of a parameter, in the order of the runs."""
        return self.runs[parameter].unique(maintain_order=True).drop_nulls().to_list()

    def points(self, *parameters: str, **where: Any) -> pl.DataFrame:
        """Computes means over seeds, with a row for each combination of parameters, in the order of
        the runs.

        The columns are the parameters, ``n`` (runs), and for each measured number its mean,
        ``NAME_min``, ``NAME_max`` and ``NAME_half``: half of the 95 % interval of the mean, null if
        there is only one run or all runs gave the same value.

        Args:
            parameters: the parameters that make a group of runs if their values are equal.
            where: values that other parameters must have.
        """
        # If no run returned a value for the number, its column has no type.
        runs = self.runs.filter(*(pl.col(name) == value for name, value in where.items())).with_columns(
            cs.by_dtype(pl.Null).cast(pl.Float64)
        )
        not_measured = {"run", "repetition", "seed", *self._parameters}
        groups = runs.select(parameters).n_unique()
        self.averaged |= {
            name
            for name in self._parameters
            if name not in (*parameters, *where) and runs.select(*parameters, name).n_unique() > groups
        }
        measured = [
            name for name, kind in runs.schema.items() if kind.is_numeric() and name not in not_measured
        ]
        grouped = runs.group_by(parameters, maintain_order=True).agg(
            pl.len().alias("n"),
            *(pl.col(name).mean() for name in measured),
            *(pl.col(name).min().alias(f"{name}_min") for name in measured),
            *(pl.col(name).max().alias(f"{name}_max") for name in measured),
            *(pl.col(name).std().alias(f"{name}_half") for name in measured),
        )
        student = pl.col("n").map_elements(_half_factor, return_dtype=pl.Float64)
        return grouped.with_columns(
            pl.when(pl.col(f"{name}_min") < pl.col(f"{name}_max"))
            .then(pl.col(f"{name}_half") * student)
            .alias(f"{name}_half")
            for name in measured
        )

    def mean(self, measured: str, **where: Any) -> float | None:
        """Computes the mean over seeds of a measured number at one point.

        Args:
            measured: the number.
            where: values of parameters; none are needed if no parameter varies.

        Returns:
            The mean; ``None`` if there is no such point, if there are several (another parameter
            varies), or if the number was not measured there.
        """
        if measured not in self.runs.columns or not set(where) <= set(self._parameters):
            return None
        runs = self.runs.filter(*(pl.col(name) == value for name, value in where.items()))
        values = runs[measured].drop_nulls()
        if runs.select(self._parameters).n_unique() != 1 or values.is_empty():
            return None
        return float(values.cast(pl.Float64).sum() / values.len())

    @property
    def _parameters(self) -> list[str]:
        """The names of the experiment's parameters."""
        return self.runs.columns[1 : self.runs.columns.index("repetition")]


def _half_factor(n: int) -> float:
    """Returns half of the 95 % confidence interval of a mean of n values, in standard deviations; 0
    for one value."""
    return student(n) / n**0.5 if n > 1 else 0.0

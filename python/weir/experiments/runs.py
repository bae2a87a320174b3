"""The recorded data of an experiment's runs, with tables and means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from weir.errors import ExperimentError
from weir.experiments import tables
from weir.experiments.intervals import Estimate, estimate
from weir.experiments.task import Record
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    import polars


class Runs:
    """The data of a :class:`weir.experiments.Result`, which documents the attributes."""

    def __init__(
        self, declaration: Mapping[str, Any], records: Sequence[Record], folder: Path | None = None
    ) -> None:
        self.declaration = declaration
        self.name: str = declaration["experiment"]
        self.parameters: list[str] = list(declaration["names"])
        self.folder = folder
        self.records = list(records)

    @cached_property
    def runs(self) -> polars.DataFrame:
        """A data frame with a row for each run: parameters, seed, scalars, version and digests."""
        return tables.runs_frame(self.records, self.declaration)

    @cached_property
    def series(self) -> polars.DataFrame:
        """A data frame with a row for each value of each time series."""
        return tables.series_frame(self.records, self.declaration)

    @cached_property
    def frames(self) -> Mapping[str, polars.DataFrame]:
        """The data frames that runs returned, by name, with the runs' parameters."""
        return tables.frames(self.records, self.declaration)

    def only(self, values: Mapping[str, Any]) -> Self:
        """Selects the runs in which parameters have these values."""
        for name in values:
            self.check_parameter(name)
        records = [
            record
            for record in self.records
            if all(record["parameters"][name] == value for name, value in values.items())
        ]
        return type(self)(self.declaration, records, self.folder)

    @property
    def failures(self) -> list[Record]:
        """The records of runs that failed: ``parameters``, ``seed``, ``error`` and ``log``."""
        return [record for record in self.records if record["error"] is not None]

    @property
    def measures(self) -> list[str]:
        """The names of all scalars that are numbers."""
        names = dict.fromkeys(name for record in self.records for name in record["scalars"])
        return [name for name in names if self._is_number(name)]

    def _is_number(self, name: str) -> bool:
        values = [record["scalars"].get(name) for record in self.records]
        numbers = [value for value in values if value is not None]
        return bool(numbers) and all(isinstance(value, (int, float)) for value in numbers)

    def estimates(self, measure: str, by: Sequence[str] | None = None) -> dict[tuple[Any, ...], Estimate]:
        """Computes the mean of a scalar with its 95 % confidence interval, by parameters.

        Args:
            measure: the scalar's name.
            by: the parameters to group by; by default all. The mean is over the other parameters.

        Raises:
            ExperimentError: there is no such scalar or parameter.
        """
        self.check_measure(measure)
        keys = self.parameters if by is None else list(by)
        for name in keys:
            self.check_parameter(name)
        groups: dict[tuple[Any, ...], list[float]] = {}
        for record in self.records:
            value = record["scalars"].get(measure)
            if value is not None:
                key = tuple(record["parameters"][name] for name in keys)
                groups.setdefault(key, []).append(float(value))
        return {key: estimate(values) for key, values in groups.items()}

    def summary(self) -> polars.DataFrame:
        """Builds a data frame with a row for each point: parameters, ``n``, and the mean and 95 %
        confidence interval of each scalar.

        The columns of a scalar are ``NAME``, ``NAME_low`` and ``NAME_high``.
        """
        import polars

        points = list(dict.fromkeys(tuple(record["parameters"].values()) for record in self.records))
        finished = [
            tuple(record["parameters"].values()) for record in self.records if record["error"] is None
        ]
        columns: dict[str, list[Any]] = {
            name: [point[place] for point in points] for place, name in enumerate(self.parameters)
        }
        columns["n"] = [finished.count(point) for point in points]
        for measure in self.measures:
            estimates = self.estimates(measure)
            columns[measure] = [estimates[p].mean if p in estimates else None for p in points]
            columns[f"{measure}_low"] = [estimates[p].low if p in estimates else None for p in points]
            columns[f"{measure}_high"] = [estimates[p].high if p in estimates else None for p in points]
        return polars.DataFrame(columns)

    @property
    def is_noiseless(self) -> bool:
        """Whether all repetitions gave the same result, so that intervals have no meaning.

        ``False`` if a run failed or did not measure a number, because its result is then not known.
        """
        if self.declaration["repetitions"] < 2 or not self.measures or self.failures:
            return False
        repetitions = self.declaration["repetitions"]
        return all(
            estimate.is_exact and estimate.count == repetitions
            for name in self.measures
            for estimate in self.estimates(name).values()
        )

    def check_parameter(self, name: str) -> None:
        """Checks that a parameter exists.

        Raises:
            ExperimentError: the parameter does not exist.
        """
        if name not in self.parameters:
            raise ExperimentError(
                f'there is no parameter "{name}": there are {listing(self.parameters)}',
                suggestion=nearest(str(name), self.parameters),
            )

    def check_measure(self, name: str) -> None:
        """Checks that a numeric scalar exists.

        Raises:
            ExperimentError: the scalar does not exist.
        """
        if name not in self.measures:
            if len(self.failures) == len(self.records) > 0:
                error = self.failures[0]["error"]
                raise ExperimentError(f'there is no measurement "{name}": all runs failed: {error}')
            raise ExperimentError(
                f'there is no measurement "{name}" with numbers: there are {listing(self.measures)}',
                suggestion=nearest(str(name), self.measures),
            )

"""The result of an experiment: tables, means, plots, a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from weir.errors import ExperimentError, FileError
from weir.experiments import tables
from weir.experiments.intervals import Estimate, estimate
from weir.experiments.store import Store
from weir.experiments.task import Record
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Result:
    """The result of an experiment.

    Attributes:
        name: the experiment's name.
        parameters: the names of its parameters.
        declaration: what all runs share, as ``experiment.json`` has it.
        folder: where the result is stored; None if it is not stored.
        records: what was recorded for each run, as plain data.
    """

    def __init__(
        self, declaration: Mapping[str, Any], records: Sequence[Record], folder: Path | None = None
    ) -> None:
        self.declaration = declaration
        self.name: str = declaration["experiment"]
        self.parameters: list[str] = list(declaration["names"])
        self.folder = folder
        self.records = list(records)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """The result in a folder.

        Raises:
            ExperimentError: the folder has no complete result.
        """
        store = Store(Path(folder))
        return cls(store.declaration(), store.records(), store.folder)

    @cached_property
    def runs(self) -> polars.DataFrame:
        """A row for each run: parameters, seed, scalars, and what was run."""
        return tables.runs_frame(self.records, self.declaration)

    @cached_property
    def series(self) -> polars.DataFrame:
        """A row for each value of each time series."""
        return tables.series_frame(self.records, self.declaration)

    @cached_property
    def frames(self) -> Mapping[str, polars.DataFrame]:
        """The data frames that runs returned, by name, with the runs' parameters."""
        return tables.frames(self.records, self.declaration)

    def only(self, values: Mapping[str, Any]) -> Result:
        """The part of the result in which parameters have these values."""
        for name in values:
            self.check_parameter(name)
        kept = [
            record
            for record in self.records
            if all(record["parameters"][name] == value for name, value in values.items())
        ]
        return Result(self.declaration, kept, self.folder)

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
        known = [value for value in values if value is not None]
        return bool(known) and all(isinstance(value, (int, float)) for value in known)

    def estimates(self, measure: str, by: Sequence[str] | None = None) -> dict[tuple[Any, ...], Estimate]:
        """The mean of a scalar with its 95 % interval, by parameters.

        Args:
            measure: the scalar's name.
            by: parameters; all by default. Others are averaged over.

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
        """A row for each point: parameters, ``n``, and for each scalar its mean and 95 % interval.

        The columns of a scalar are ``NAME``, ``NAME_low`` and ``NAME_high``.
        """
        import polars

        points = list(dict.fromkeys(tuple(record["parameters"].values()) for record in self.records))
        done = [tuple(record["parameters"].values()) for record in self.records if record["error"] is None]
        columns: dict[str, list[Any]] = {
            name: [point[place] for point in points] for place, name in enumerate(self.parameters)
        }
        columns["n"] = [done.count(point) for point in points]
        for measure in self.measures:
            found = self.estimates(measure)
            columns[measure] = [found[p].mean if p in found else None for p in points]
            columns[f"{measure}_low"] = [found[p].low if p in found else None for p in points]
            columns[f"{measure}_high"] = [found[p].high if p in found else None for p in points]
        return polars.DataFrame(columns)

    @property
    def is_noiseless(self) -> bool:
        """Whether all repetitions gave the same result, so that intervals have no meaning."""
        if self.declaration["repetitions"] < 2 or not self.measures:
            return False
        return all(
            one.is_exact and one.count > 1 for name in self.measures for one in self.estimates(name).values()
        )

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        hue: str | None = None,
        *,
        kind: str = "line",
        path: str | Path | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Figure:
        """Plots the result.

        Args:
            x: a parameter, by default the first with several values; for ``heatmap`` the columns.
            y: a scalar, by default the first; for ``time`` and ``cdf`` also a series; for
                ``heatmap`` the parameter of the rows.
            hue: a parameter that gives lines their colours; for ``heatmap`` the scalar.
            kind: ``line`` (means with a band of 95 %), ``box``, ``cdf``, ``heatmap``, ``time``
                (series over time) or ``gantt`` (series' first to last times as bars).
            path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
            ax: matplotlib axes to draw into, instead of a new figure.
            title: a title.

        Returns:
            The figure.

        Raises:
            ExperimentError: there is no such parameter, measurement or kind.
            FileError: the file cannot be written, or its suffix is not a picture format.
        """
        from weir.experiments.plots import plot

        return plot(self, x, y, hue, kind=kind, path=path, ax=ax, title=title)

    def report(self, path: str | Path | None = None) -> Path:
        """Writes a report as one HTML file: question, parameters, plots, tables, how to repeat it.

        Args:
            path: the file; ``report.html`` in the result's folder by default.

        Raises:
            ExperimentError: there is no folder and no path.
            FileError: the file cannot be written, or its name does not end in ``.html``.
        """
        from weir.experiments.report import write_report

        if path is None and self.folder is None:
            raise ExperimentError('the result has no folder: name a file, such as report("report.html")')
        target = Path(path) if path is not None else Path(str(self.folder)) / "report.html"
        if target.suffix.lower() not in (".html", ".htm"):
            raise FileError("a report is HTML: expected a name that ends in .html", file=target)
        return write_report(self, target)

    def check_parameter(self, name: str) -> None:
        """Checks that a parameter exists.

        Raises:
            ExperimentError: it does not exist.
        """
        if name not in self.parameters:
            raise ExperimentError(
                f'there is no parameter "{name}": there are {listing(self.parameters)}',
                suggestion=nearest(str(name), self.parameters),
            )

    def check_measure(self, name: str) -> None:
        """Checks that a numeric scalar exists.

        Raises:
            ExperimentError: it does not exist.
        """
        if name not in self.measures:
            if len(self.failures) == len(self.records) > 0:
                error = self.failures[0]["error"]
                raise ExperimentError(f'there is no measurement "{name}": all runs failed: {error}')
            raise ExperimentError(
                f'there is no measurement "{name}" with numbers: there are {listing(self.measures)}',
                suggestion=nearest(str(name), self.measures),
            )

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<weir.experiments.Result {self.name}: {len(self.records)} runs{failed}; {listing(self.measures)}>"

    def _repr_html_(self) -> str:
        """The failures, a table of all points, and the plot of the first measurement."""
        from weir.experiments.notebook import result_html

        return result_html(self)

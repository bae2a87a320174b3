"""Finds the differences between two results that are larger than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.errors import ExperimentError
from weir.experiments.intervals import Difference, difference, larger_than_chance
from weir.experiments.parameters import as_text
from weir.experiments.result import Result
from weir.text.suggest import listing

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class ComparedMeasure:
    """A measurement at one point, in both results.

    Attributes:
        point: the values of the parameters that both results have.
        measure: the scalar's name.
        difference: the difference of the means.
        is_significant: whether the difference is larger than chance.
    """

    point: tuple[Any, ...]
    measure: str
    difference: Difference
    is_significant: bool


@dataclass(frozen=True)
class Comparison:
    """The comparison of two results.

    Attributes:
        parameters: the names of the parameters that both results have.
        rows: the measurements at the points that both results have.
        only_first: points that only the first result has.
        only_second: points that only the second result has.
    """

    parameters: Sequence[str]
    rows: Sequence[ComparedMeasure]
    only_first: Sequence[tuple[Any, ...]]
    only_second: Sequence[tuple[Any, ...]]

    @property
    def significant(self) -> list[ComparedMeasure]:
        """The rows whose differences are larger than chance."""
        return [row for row in self.rows if row.is_significant]

    def to_frame(self) -> polars.DataFrame:
        """Builds a data frame with a row for each measurement at each point."""
        import polars

        columns: dict[str, list[Any]] = {
            name: [as_text(row.point[place]) for row in self.rows]
            for place, name in enumerate(self.parameters)
        }
        columns["measure"] = [row.measure for row in self.rows]
        for name in ("first", "second", "low", "high", "p", "paired"):
            columns[name] = [getattr(row.difference, name) for row in self.rows]
        columns["significant"] = [row.is_significant for row in self.rows]
        return polars.DataFrame(columns, strict=False)


def compare(first: Result | str | Path, second: Result | str | Path) -> Comparison:
    """Compares the scalars of two results at the points that both have.

    Runs with equal seeds are compared in pairs. Among many differences, some are large by chance,
    so the limit is chosen such that 5 % of the reported differences are expected to be false
    (Benjamini and Hochberg).

    Args:
        first: a result, or its folder.
        second: the other result, or its folder.

    Raises:
        ExperimentError: the results have no parameter set or no measurement in common.
    """
    a, b = (one if isinstance(one, Result) else Result.load(one) for one in (first, second))
    names = [name for name in a.parameters if name in b.parameters]
    measures = [name for name in a.measures if name in b.measures]
    if not measures:
        raise ExperimentError(
            f"the results have no measurement in common: {listing(a.measures)}, and {listing(b.measures)}"
        )
    first_records, second_records = _records_by_point(a, names), _records_by_point(b, names)
    shared_points = [point for point in first_records if point in second_records]
    if not shared_points:
        raise ExperimentError("the results have no combination of parameters in common")
    compared = []
    for point in shared_points:
        for measure in measures:
            one, other = _values(first_records[point], measure), _values(second_records[point], measure)
            if one and other:
                paired = list(one) == list(other) and len(one) > 1
                result = difference(list(one.values()), list(other.values()), paired)
                compared.append((point, measure, result))
    marks = larger_than_chance([result.p for _, _, result in compared])
    rows = [ComparedMeasure(*row, mark) for row, mark in zip(compared, marks, strict=True)]
    return Comparison(
        names,
        rows,
        [point for point in first_records if point not in second_records],
        [point for point in second_records if point not in first_records],
    )


def _records_by_point(result: Result, names: Sequence[str]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    by_point: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in result.records:
        by_point.setdefault(tuple(record["parameters"][name] for name in names), []).append(record)
    return by_point


def _values(records: Sequence[dict[str, Any]], measure: str) -> dict[tuple[Any, ...], float]:
    """Collects the values of a measurement by seed, in the order of the runs."""
    values_by_seed = {
        (record["seed"], place): float(record["scalars"][measure])
        for place, record in enumerate(records)
        if record["scalars"].get(measure) is not None
    }
    counts: dict[int, int] = {}
    by_seed: dict[tuple[Any, ...], float] = {}
    for (seed, _), value in values_by_seed.items():
        counts[seed] = counts.get(seed, 0) + 1
        by_seed[seed, counts[seed]] = value
    return dict(sorted(by_seed.items()))

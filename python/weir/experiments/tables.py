"""Builds tidy data frames from the records of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir.errors import ExperimentError, shown
from weir.errors.extras import lab_extra
from weir.experiments.measurements import OF_FRAMES, OF_SERIES
from weir.experiments.task import Record

if TYPE_CHECKING:
    import polars


def runs_frame(records: Sequence[Record], shared: Mapping[str, Any]) -> polars.DataFrame:
    """Builds a data frame with a row for each run.

    The columns are ``run``, the parameters, ``repetition``, ``seed``, ``error``, the scalars, and
    ``version``, ``programs`` and ``topologies`` (digests).

    Args:
        records: the records of the runs, in their order.
        shared: the data that all runs share: ``names`` of the parameters and ``version``.
    """
    scalars = _names(records, "scalars")
    columns: dict[str, list[Any]] = {"run": list(range(len(records)))}
    columns |= {name: [record["parameters"][name] for record in records] for name in shared["names"]}
    for name in ("repetition", "seed", "error"):
        columns[name] = [record[name] for record in records]
    columns |= {name: _numbers([record["scalars"].get(name) for record in records]) for name in scalars}
    columns["version"] = [shared["version"]] * len(records)
    for name in ("programs", "topologies"):
        columns[name] = [" ".join(record[name]) for record in records]
    return _frame(columns, {"error": "String"})


def series_frame(records: Sequence[Record], shared: Mapping[str, Any]) -> polars.DataFrame:
    """Builds a data frame with a row for each value of each series.

    The columns are ``run``, the parameters, ``repetition``, ``seed``, ``version``, ``programs`` and
    ``topologies`` as in the table of runs; then ``series`` (its name), ``unit``, ``time_s``
    (virtual time in seconds) and ``value``.
    """
    of_run = ["run", *shared["names"], "repetition", "seed", "version", "programs", "topologies"]
    rows: list[int] = []
    columns: dict[str, list[Any]] = {name: [] for name in OF_SERIES}
    for number, record in enumerate(records):
        for series, (unit, times, values) in record["series"].items():
            rows += [number] * len(times)
            columns["series"] += [series] * len(times)
            columns["unit"] += [unit] * len(times)
            columns["time_s"] += times
            columns["value"] += values
    samples = _frame(columns, {"series": "String", "unit": "String", "time_s": "Float64", "value": "Float64"})
    return runs_frame(records, shared).select(of_run)[rows].hstack(samples)


def frames(records: Sequence[Record], shared: Mapping[str, Any]) -> dict[str, polars.DataFrame]:
    """Builds the data frames that runs returned, by name, concatenated over all runs.

    The columns ``run``, the parameters, ``repetition`` and ``seed`` precede a frame's own columns.

    Raises:
        ExperimentError: a frame's own column has one of these names. Runs refuse such frames, so
            only results of an earlier version can have them.
    """
    frames_by_name = {}
    run_columns = [OF_FRAMES[0], *shared["names"], *OF_FRAMES[1:]]
    for frame in _names(records, "frames"):
        frame_columns = list(dict.fromkeys(c for record in records for c in record["frames"].get(frame, ())))
        for name in frame_columns:
            if name in run_columns:
                raise ExperimentError(
                    f"the data frame {shown(frame)} has a column {shown(name)}, which is also the name of a "
                    "column that describes the run: rename the frame's column, and run the experiment again"
                )
        columns: dict[str, list[Any]] = {name: [] for name in [*run_columns, *frame_columns]}
        for number, record in enumerate(records):
            data = record["frames"].get(frame, {})
            rows = max((len(values) for values in data.values()), default=0)
            for name in run_columns:
                columns[name] += [_run_value(record, number, name)] * rows
            for name in frame_columns:
                columns[name] += data.get(name, [None] * rows)
        frames_by_name[frame] = _frame(columns, {})
    return frames_by_name


def _run_value(record: Record, number: int, name: str) -> Any:
    """Returns a run's value of a column that describes the run: its number, a parameter, the
    repetition or the seed."""
    return number if name == "run" else record["parameters"].get(name, record.get(name))


def _names(records: Sequence[Record], part: str) -> list[str]:
    """Lists all names in a part of the records, in the order in which they appear."""
    return list(dict.fromkeys(name for record in records for name in record[part]))


def _numbers(values: list[Any]) -> list[Any]:
    """Converts a column to one kind: floats if there is a float, strings if the kinds differ."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and float in kinds:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return values


def _frame(columns: Mapping[str, list[Any]], kinds: Mapping[str, str]) -> polars.DataFrame:
    with lab_extra("results of experiments"):
        import polars

    return polars.DataFrame(
        [
            polars.Series(
                name, _numbers(values), dtype=getattr(polars, kinds[name]) if name in kinds else None
            )
            for name, values in columns.items()
        ]
    )

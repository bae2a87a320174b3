"""Converts the measurements that a run returns (scalars, time series, data frames) to plain
data."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any, Final

from weir.errors import ExperimentError, shown
from weir.measure import Series
from weir.measure.table import Table
from weir.text.suggest import is_text

_MAX_NAME_BYTES: Final = 200
"""The maximum bytes of a data frame's name, which becomes a file name."""

OF_RUNS: Final = ("run", "repetition", "seed", "error", "version", "programs", "topologies")
"""The columns that all tables of runs have in addition to the parameters."""

OF_SERIES: Final = ("series", "unit", "time_s", "value")
"""The columns of a table of series that do not describe the run."""

OF_FRAMES: Final = ("run", "repetition", "seed")
"""The columns that precede a data frame's own columns, in addition to the parameters."""

Scalar = float | int | bool | str | None


@dataclass
class Measurements:
    """The measurements of a run.

    Attributes:
        scalars: numbers, booleans and strings by name.
        series: the unit, times in seconds and values of each series.
        frames: the columns of each data frame, each with name, kind and values.
    """

    scalars: dict[str, Scalar] = field(default_factory=dict)
    series: dict[str, tuple[str, list[float], list[float]]] = field(default_factory=dict)
    frames: dict[str, dict[str, list[Any]]] = field(default_factory=dict)


def read_measurements(returned: object, parameters: Container[str] = ()) -> Measurements:
    """Converts the returned value of a function to measurements.

    The value is a mapping from names to measurements, or a single number. A measurement is a
    number, a boolean, a string or ``None``; a series; a result with rows; or a polars data frame.

    Raises:
        ExperimentError: the function returned something else, or a data frame has a column with the
            name of a parameter.
    """
    if isinstance(returned, (Number, bool)):
        returned = {"value": returned}
    if not isinstance(returned, Mapping):
        raise ExperimentError(
            f"the function returned {_shown_value(returned)}: expected a dictionary from names to "
            "measurements, "
            'such as {"rtt_ms": 1.5}'
        )
    measurements = Measurements()
    for name, value_of_name in returned.items():
        if not isinstance(name, str) or not name:
            raise ExperimentError(f"the function returned the name {shown(name)}: expected a text")
        if not is_text(name):
            raise ExperimentError(f"the function returned the name {shown(name)}, which is not UTF-8")
        if name in parameters or name in OF_RUNS:
            raise ExperimentError(
                f'the measurement "{name}" has the name of a column of all results: rename it'
            )
        is_numpy = type(value_of_name).__module__ == "numpy" and getattr(value_of_name, "ndim", None) == 0
        value = value_of_name.item() if is_numpy else value_of_name
        if isinstance(value, str) and not is_text(value):
            raise ExperimentError(f'the measurement "{name}" is {shown(value)}, which is not UTF-8')
        if value is None or isinstance(value, (bool, str)):
            measurements.scalars[name] = value
        elif isinstance(value, Number):
            measurements.scalars[name] = finite(_number(name, value))
        elif isinstance(value, Series):
            values = [number if math.isfinite(number := float(item)) else math.nan for item in value.values]
            measurements.series[name] = (value.unit, list(value.times_s), values)
        elif (
            name.startswith(".")
            or not name.isprintable()
            or set(name) & set("/\\")
            or len(name.encode()) > _MAX_NAME_BYTES
        ):
            raise ExperimentError(
                f"the measurement {shown(name)} is stored in a file of that name: rename it"
            )
        elif isinstance(value, Table):
            _refuse_names(name, value.to_frame().columns, parameters, ".to_frame().rename")
            measurements.frames[name] = _columns(value.to_frame())
        elif type(value).__module__.partition(".")[0] == "polars" and hasattr(value, "get_columns"):
            _refuse_names(name, value.columns, parameters, ".rename")
            measurements.frames[name] = _columns(value)
        else:
            raise ExperimentError(
                f'the measurement "{name}" is {_shown_value(value)}: expected a number, a text, a series '
                "(such as ping.rtts), a result or a data frame"
            )
    return measurements


def finite(value: Any) -> Any:
    """Replaces infinite numbers and NaN in plain data by ``None``, a missing value, as JSON lacks
    them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    return value


def _number(name: str, value: Any) -> int | float:
    """Converts a value to a plain number; numpy's numbers, fractions and decimals become floats."""
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ExperimentError(f'the measurement "{name}" is {value}: expected less than 2**63')
        return value
    if isinstance(value, complex):
        raise ExperimentError(f'the measurement "{name}" is complex: expected a real number')
    number = float(value)
    return (
        int(number) if math.isfinite(number) and type(value).__name__.startswith(("int", "uint")) else number
    )


def _columns(frame: Any) -> dict[str, list[Any]]:
    return {column.name: finite(column.to_list()) for column in frame.get_columns()}


def _refuse_names(frame: str, columns: Iterable[str], parameters: Container[str], rename: str) -> None:
    """Refuses a data frame with a column that has the name of a column that describes the run.

    Args:
        frame: the name of the data frame.
        columns: the names of its columns.
        parameters: the names of the parameters.
        rename: the method that renames a column.

    Raises:
        ExperimentError: a column has such a name.
    """
    for column in columns:
        if column in parameters or column in OF_FRAMES:
            what = "a parameter" if column in parameters else "a column of all results"
            raise ExperimentError(
                f'the data frame "{frame}" has the column "{column}", which is the name of {what}: rename the '
                f'column, such as with {rename}({{"{column}": "own_{column}"}})'
            )


def _shown_value(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '…'}"

"""The rows of a result as named columns, which need no data-frame library."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from weir.errors.extras import lab_extra
from weir.files.whole_file import write_whole

if TYPE_CHECKING:
    import polars

Kind = Literal["int", "uint", "float", "text", "bool", "bytes"]
"""The kinds of columns: signed or unsigned numbers of 64 bits, floats, strings, booleans, bytes."""


@dataclass(frozen=True)
class Column:
    """A named column of a result.

    Attributes:
        name: the name, which ends in the unit where there is one, such as ``rtt_ms``.
        kind: the kind of the values.
        values: a value for each row, ``None`` where there is none.
    """

    name: str
    kind: Kind
    values: Sequence[Any]


def rows(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Converts columns to rows; each row is a dictionary from column names to values."""
    names = [column.name for column in columns]
    return [
        dict(zip(names, row, strict=True)) for row in zip(*(column.values for column in columns), strict=True)
    ]


def frame(columns: Sequence[Column]) -> polars.DataFrame:
    """Converts columns to a data frame.

    Raises:
        MissingExtraError: polars is not installed.
    """
    with lab_extra("data frames"):
        import polars

    types: dict[Kind, Any] = {
        "int": polars.Int64,
        "uint": polars.UInt64,
        "float": polars.Float64,
        "text": polars.String,
        "bool": polars.Boolean,
        "bytes": polars.Binary,
    }
    return polars.DataFrame(
        {column.name: list(column.values) for column in columns},
        schema={column.name: types[column.kind] for column in columns},
    )


def write_csv(columns: Sequence[Column], path: Path) -> None:
    """Writes comma-separated values with a header line; a value of ``None`` is an empty cell.

    Raises:
        FileError: the file cannot be written.
    """
    write_whole(path, lambda file: _write_rows(columns, file), follow=True)


def _write_rows(columns: Sequence[Column], file: BinaryIO) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in columns)
    writer.writerows(zip(*(column.values for column in columns), strict=True))
    text.detach()

"""Batches as data frames of polars, and as the Parquet files of a store."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import IO, Any, Final

import numpy as np
import polars as pl

from weir.telemetry.batch import Bad, Batch
from weir.telemetry.tables import COLUMNS
from weir.telemetry.words import Numbers

BATCH_SHIFT: Final = 32
"""A report's id is its batch's number, shifted by these bits, plus its place in the batch."""

_KINDS: Final = {
    "BIGINT": pl.Int64,
    "UBIGINT": pl.UInt64,
    "UINTEGER": pl.UInt32,
    "USMALLINT": pl.UInt16,
    "UTINYINT": pl.UInt8,
    "BOOLEAN": pl.Boolean,
}
"""SQL's types in polars."""


def writers(batch: Batch, number: int) -> dict[str, Callable[[IO[bytes]], object]]:
    """The functions that write the Parquet file of each table that has rows, and of ``reports``.

    Args:
        batch: the rows.
        number: of the batch in its store.
    """
    frames = {"reports": reports_frame(batch.reports, number)}
    if len(batch):
        frames["hops"] = hops_frame(batch.hops, number)
    if batch.bad:
        frames["bad"] = _bad(batch.bad, number)

    def writer(frame: pl.DataFrame) -> Callable[[IO[bytes]], object]:
        def write(file: IO[bytes]) -> None:
            # Through memory: a full disk then causes an error of the system instead of polars.
            buffer = io.BytesIO()
            frame.write_parquet(buffer, compression="lz4")
            file.write(buffer.getbuffer())

        return write

    return {table: writer(frame) for table, frame in frames.items()}


def reports_frame(columns: dict[str, Numbers], number: int = 0) -> pl.DataFrame:
    """The reports of a batch as a data frame; the batch gets this number."""
    return _frame("reports", columns, number)


def hops_frame(columns: dict[str, Numbers], number: int = 0) -> pl.DataFrame:
    """The hops of a batch as a data frame; the batch gets this number."""
    return _frame("hops", columns, number)


def _frame(table: str, columns: dict[str, Numbers], number: int) -> pl.DataFrame:
    series = []
    for name, sql in COLUMNS[table].items():
        values = columns[name]
        if name == "report":
            values = values + (number << BATCH_SHIFT)
        series.append(_series(name, values, _KINDS[sql]))
    return pl.DataFrame(series)


def _series(name: str, values: Numbers, kind: Any) -> pl.Series:
    """A column, null where it is masked."""
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if mask is not None and mask.all() and len(mask):
        return pl.repeat(None, len(mask), dtype=kind, eager=True).alias(name)
    found = pl.Series(name, np.asarray(values), dtype=kind)
    if mask is None or not mask.any():
        return found
    return pl.select(pl.when(pl.Series(~mask)).then(found).alias(name)).to_series()


def _bad(found: Sequence[Bad], number: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "batch": [number] * len(found),
            "time_ns": [one.time_ns for one in found],
            "reason": [one.reason for one in found],
            "payload": [one.payload for one in found],
        }
    )

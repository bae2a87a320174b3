"""Batches as data frames of polars, and as the Parquet files of a store."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import IO, Final

import numpy as np
import polars as pl

from weir.telemetry.batch import Bad, Batch
from weir.telemetry.words import Numbers

BATCH_SHIFT: Final = 32
"""A report's id is its batch's number, shifted by these bits, plus its place in the batch."""


def writers(batch: Batch, number: int) -> dict[str, Callable[[IO[bytes]], object]]:
    """The functions that write the Parquet file of each table that has rows, and of ``reports``.

    Args:
        batch: the rows.
        number: the number of the batch in its store.
    """
    frames = {"reports": frame(batch.reports, number)}
    if len(batch):
        frames["hops"] = frame(batch.hops, number)
    if batch.bad:
        frames["bad"] = _bad_datagrams(batch.bad, number)

    def writer(rows: pl.DataFrame) -> Callable[[IO[bytes]], object]:
        def write(file: IO[bytes]) -> None:
            # Through memory: a full disk then causes an error of the system instead of polars.
            buffer = io.BytesIO()
            rows.write_parquet(buffer, compression="lz4")
            file.write(buffer.getbuffer())

        return write

    return {table: writer(rows) for table, rows in frames.items()}


def frame(columns: dict[str, Numbers], number: int = 0) -> pl.DataFrame:
    """The reports or hops of a batch as a data frame; the batch gets this number."""
    identified = {"report": columns["report"] + (number << BATCH_SHIFT)}
    return pl.DataFrame([_series(name, values) for name, values in (columns | identified).items()])


def _series(name: str, values: Numbers) -> pl.Series:
    """A column, null where it is masked."""
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    found = pl.Series(name, np.asarray(values))
    if mask is None or not mask.any():
        return found
    if mask.all():
        return pl.repeat(None, len(mask), dtype=found.dtype, eager=True).alias(name)
    return pl.select(pl.when(pl.Series(~mask)).then(found).alias(name)).to_series()


def _bad_datagrams(datagrams: Sequence[Bad], number: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "batch": [number] * len(datagrams),
            "time_ns": [one.time_ns for one in datagrams],
            "reason": [one.reason for one in datagrams],
            "payload": [one.payload for one in datagrams],
        }
    )

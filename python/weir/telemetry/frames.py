"""Converts batches to polars data frames, and writes the Parquet files of a store."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from typing import IO, Final

import numpy as np
import polars as pl

from weir.telemetry.batch import BadDatagram, Batch
from weir.telemetry.words import Numbers

BATCH_SHIFT: Final = 32
"""The lowest bit of a batch's number in report ids. The bits below it are the report's place in the
batch."""


_MAX_SAMPLES: Final = 20
"""The maximum number of bad datagrams of a batch that are stored as samples."""

_SAMPLES_OF_REASON: Final = 5

_SAMPLE_BYTES: Final = 256
"""The maximum number of bytes that are stored of a bad datagram."""

OTHERS: Final = "others, of which only the number is stored"
"""The reason in the row that counts all bad datagrams that are not stored."""

_BAD_COLUMNS: Final = {
    "batch": pl.Int64,
    "time_ns": pl.Int64,
    "datagrams": pl.Int64,
    "bytes": pl.Int64,
    "reason": pl.String,
    "payload": pl.Binary,
}


def writers(batch: Batch, number: int) -> dict[str, Callable[[IO[bytes]], object]]:
    """Returns a function for each table that has rows, and for ``reports``, that writes the table's
    Parquet file.

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
            # The file is written through memory, so that a full disk causes an OSError instead of
            # an error of polars.
            buffer = io.BytesIO()
            rows.write_parquet(buffer, compression="lz4")
            file.write(buffer.getbuffer())

        return write

    return {table: writer(rows) for table, rows in frames.items()}


def frame(columns: dict[str, Numbers], number: int = 0) -> pl.DataFrame:
    """Converts the reports or hops of a batch to a data frame, with the batch's number in report
    ids."""
    identified = {"report": columns["report"] + (number << BATCH_SHIFT)}
    return pl.DataFrame([_series(name, values) for name, values in (columns | identified).items()])


def _series(name: str, values: Numbers) -> pl.Series:
    """Converts an array to a column of a data frame, with nulls for masked values."""
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    series = pl.Series(name, np.asarray(values))
    if mask is None or not mask.any():
        return series
    if mask.all():
        return pl.repeat(None, len(mask), dtype=series.dtype, eager=True).alias(name)
    return pl.select(pl.when(pl.Series(~mask)).then(series).alias(name)).to_series()


def _bad_datagrams(found: Sequence[BadDatagram], number: int) -> pl.DataFrame:
    """Builds a data frame with a row for each sample of bad datagrams, and a last row that counts
    all others."""
    samples = _samples(found)
    rows: list[tuple[int, int, int, int, str, bytes]] = [
        (
            number,
            datagram.time_ns,
            1,
            len(datagram.payload),
            datagram.reason,
            datagram.payload[:_SAMPLE_BYTES],
        )
        for datagram in samples
    ]
    if len(samples) < len(found):
        unsampled = len(found) - len(samples)
        size = sum(len(datagram.payload) for datagram in found) - sum(
            len(datagram.payload) for datagram in samples
        )
        rows.append((number, found[-1].time_ns, unsampled, size, OTHERS, b""))
    return pl.DataFrame(rows, schema=_BAD_COLUMNS, orient="row")


def _samples(found: Sequence[BadDatagram]) -> list[BadDatagram]:
    """Returns the first few bad datagrams with each reason."""
    samples: list[BadDatagram] = []
    reasons: Counter[str] = Counter()
    for datagram in found:
        if len(samples) == _MAX_SAMPLES:
            break
        reasons[datagram.reason] += 1
        if reasons[datagram.reason] <= _SAMPLES_OF_REASON:
            samples.append(datagram)
    return samples

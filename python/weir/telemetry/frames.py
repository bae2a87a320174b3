"""Batches as data frames of polars, and as the Parquet files of a store."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from typing import IO, Final

import numpy as np
import polars as pl

from weir.telemetry.batch import Bad, Batch
from weir.telemetry.words import Numbers

BATCH_SHIFT: Final = 32
"""A report's id is its batch's number, shifted by these bits, plus its place in the batch."""


_SAMPLES: Final = 20
"""Bad datagrams of a batch that are stored."""

_SAMPLES_OF_REASON: Final = 5

_SAMPLE_BYTES: Final = 256
"""Of a bad datagram that are stored."""

OTHERS: Final = "others, of which only the number is stored"
"""The reason in the row of the bad datagrams that are not stored."""

_BAD_COLUMNS: Final = {
    "batch": pl.Int64,
    "time_ns": pl.Int64,
    "datagrams": pl.Int64,
    "bytes": pl.Int64,
    "reason": pl.String,
    "payload": pl.Binary,
}


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


def _bad_datagrams(found: Sequence[Bad], number: int) -> pl.DataFrame:
    """A row for each sample, and a last row for all others, of which only the number is stored."""
    samples = _samples(found)
    rows: list[tuple[int, int, int, int, str, bytes]] = [
        (number, one.time_ns, 1, len(one.payload), one.reason, one.payload[:_SAMPLE_BYTES]) for one in samples
    ]
    if len(samples) < len(found):
        others = len(found) - len(samples)
        size = sum(len(one.payload) for one in found) - sum(len(one.payload) for one in samples)
        rows.append((number, found[-1].time_ns, others, size, OTHERS, b""))
    return pl.DataFrame(rows, schema=_BAD_COLUMNS, orient="row")


def _samples(found: Sequence[Bad]) -> list[Bad]:
    """The first datagrams with each reason, up to a few."""
    samples: list[Bad] = []
    reasons: Counter[str] = Counter()
    for one in found:
        if len(samples) == _SAMPLES:
            break
        reasons[one.reason] += 1
        if reasons[one.reason] <= _SAMPLES_OF_REASON:
            samples.append(one)
    return samples

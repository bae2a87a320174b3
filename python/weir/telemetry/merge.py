"""Merges the small batches of a store into larger files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO, Final

import duckdb

from weir.telemetry.segments import TABLES, Segment, Segments, files
from weir.telemetry.tables import sql_text, view

_ENOUGH_REPORTS: Final = 1_000_000
"""Segments with this number of reports or more are not merged any more."""


def connected() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """An empty DuckDB, which does not download extensions."""
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    found: AbstractContextManager[duckdb.DuckDBPyConnection] = duckdb.connect(":memory:", config=settings)
    return found


def merge(segments: Segments) -> None:
    """Merges neighbouring small segments, and removes leftovers of interrupted processes."""
    run: list[Segment] = []
    reports = 0
    with connected() as connection:
        for segment in [*segments.all_segments(), None]:
            size = 0 if segment is None else _reports_in(connection, segment)
            if segment is None or size >= _ENOUGH_REPORTS or reports + size > 4 * _ENOUGH_REPORTS:
                if len(run) > 1:
                    _replace(connection, segments, run)
                run, reports = [], 0
            if segment is not None and size < _ENOUGH_REPORTS:
                run.append(segment)
                reports += size
    segments.remove_leftovers()


def _reports_in(connection: duckdb.DuckDBPyConnection, segment: Segment) -> int:
    query = "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(?)"
    row = connection.execute(query, files([segment], "reports")).fetchone()
    return int(row[0] or 0) if row else 0


def _replace(connection: duckdb.DuckDBPyConnection, segments: Segments, run: list[Segment]) -> None:
    """Replaces segments by one with the same rows in the same order."""

    def writer(table: str) -> Callable[[IO[bytes]], object]:
        def write(file: IO[bytes]) -> None:
            connection.execute(f"DROP VIEW IF EXISTS {table}; {view(run, table)}")
            connection.execute(
                f"COPY (FROM {table}) TO {sql_text(file.name)} (FORMAT parquet, COMPRESSION zstd)"
            )

        return write

    present = [table for table in TABLES if files(run, table)]
    segments.replace(run, {table: writer(table) for table in present})

"""Merges the small batches of a store into larger files."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Final

import duckdb

from weir.telemetry.database import MAX_ROWS, open_database, rows
from weir.telemetry.manifest import TABLES
from weir.telemetry.segments import Segment, Segments
from weir.telemetry.tables import sql_text, view

_ENOUGH_REPORTS: Final = 1_000_000
"""The number of reports from which on a segment is not merged any more."""


def merge(segments: Segments) -> None:
    """Merges neighbouring small segments, and removes leftovers of interrupted processes.

    Raises:
        FileError: a segment is damaged, or the merged one cannot be written.
    """
    most = None if segments.limit is None else segments.limit.merged_bytes
    run: list[Segment] = []
    reports = size = hops = 0
    with open_database(folders=[str(segments.folder)]) as connection:
        # The files are checked first, because a damaged file must not get a new hash.
        for segment in [*segments.whole_segments(), None]:
            report_count = 0 if segment is None else segments.manifest(segment).reports
            more_bytes = 0 if segment is None else segments.size(segment)
            more_hops = 0 if segment is None else rows(connection, segments.files([segment], "hops"))
            is_large = report_count >= _ENOUGH_REPORTS or (most is not None and more_bytes > most // 2)
            too_many = (
                reports + report_count > 4 * _ENOUGH_REPORTS
                or hops + more_hops > MAX_ROWS
                or (most is not None and size + more_bytes > most)
            )
            if segment is None or is_large or too_many:
                if len(run) > 1:
                    _replace(connection, segments, run)
                run, reports, size, hops = [], 0, 0, 0
            if segment is not None and not is_large:
                run.append(segment)
                reports, size, hops = reports + report_count, size + more_bytes, hops + more_hops
    segments.remove_leftovers()


def _replace(connection: duckdb.DuckDBPyConnection, segments: Segments, run: list[Segment]) -> None:
    """Replaces segments with a single segment that has the same rows in the same order."""
    tables = {table: segments.files(run, table) for table in TABLES}

    def writer(table: str) -> Callable[[IO[bytes]], object]:
        def write(file: IO[bytes]) -> None:
            connection.execute(f"DROP VIEW IF EXISTS {table}; {view(tables[table], table)}")
            connection.execute(
                f"COPY (FROM {table}) TO {sql_text(file.name)} (FORMAT parquet, COMPRESSION zstd)"
            )

        return write

    segments.replace(run, {table: writer(table) for table, paths in tables.items() if paths})

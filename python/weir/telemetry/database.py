"""Opens DuckDB for the files of a store, which others may have made.

The connection reads these files and no others, writes nowhere, and has a limit on memory. The
database's configuration cannot be changed by a query.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from weir import units
from weir.errors import FileError
from weir.telemetry.tables import columns, sql_text

MEMORY: Final = "2GB"
"""The maximum memory of a query, unless the caller sets another."""

_DISK_SHARE: Final = 8
"""A query stores at most this multiple of its memory in temporary files on disk."""

MAX_ROWS: Final = 1 << 26
"""The maximum number of rows of a file."""

_MAX_HOPS: Final = 255
"""The maximum number of hops in a report; the length of the report's headers has 8 bits."""

_ROW_BYTES: Final = 1 << 10
_GROUP_BYTES: Final = 1 << 20
_GROUP_ROWS: Final = 100
"""A row has at most 1 KiB, a group of rows at least 100 rows, except for the first few groups."""

_FEW_GROUPS: Final = 64


@contextmanager
def open_database(
    files: Sequence[str] = (),
    folders: Sequence[str] = (),
    *,
    memory: int | None = None,
    all_files: bool = False,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens an empty DuckDB database that downloads no extensions.

    Args:
        files: the files that queries may read.
        folders: the folders in which queries may read and write files.
        memory: the maximum memory in bytes; ``None`` for :data:`MEMORY`.
        all_files: whether queries may read and write all files of the user.
    """
    most = units.size_bytes(MEMORY, "memory", MEMORY) if memory is None else memory
    settings = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{most}B",
        "max_temp_directory_size": f"{most * _DISK_SHARE}B",
    }
    with (
        tempfile.TemporaryDirectory(prefix="weir-query-", ignore_cleanup_errors=True) as spill,
        duckdb.connect(":memory:", config={**settings, "temp_directory": spill}) as connection,
    ):
        if not all_files:
            connection.execute(f"SET allowed_paths = [{', '.join(map(sql_text, files))}]")
            connection.execute(f"SET allowed_directories = [{', '.join(map(sql_text, folders))}]")
            connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def rows(connection: duckdb.DuckDBPyConnection, files: Sequence[str]) -> int:
    """Returns the number of rows in Parquet files."""
    result = (
        connection.execute(
            f"SELECT coalesce(sum(num_rows), 0)::BIGINT FROM parquet_file_metadata([{', '.join(map(sql_text, files))}])"
        )
        if files
        else None
    )
    return 0 if result is None else int(result.fetchall()[0][0])


def damage(connection: duckdb.DuckDBPyConnection, path: Path, table: str, reports: int) -> FileError | None:
    """Compares the footer of a Parquet file with the store's manifest, before rows are read.

    Args:
        connection: a connection that may read the file.
        path: the file.
        table: the table whose rows it has.
        reports: the number of reports, by the manifest.

    Returns:
        An error if the file has other columns, another number of rows, or sizes that no rows of
        this table can have; otherwise ``None``.
    """
    name = str(path)
    try:
        ((row_count, groups),) = connection.execute(
            "SELECT num_rows, num_row_groups FROM parquet_file_metadata(?)", [name]
        ).fetchall()
        if table == "reports" and row_count != reports:
            return FileError(f"has {row_count} rows, but the manifest says {reports} reports", file=path)
        most = min(MAX_ROWS, reports * _MAX_HOPS if table == "hops" else MAX_ROWS)
        if not 0 <= row_count <= most:
            return FileError(f"has {row_count} rows: expected at most {most}", file=path)
        if not 0 <= groups <= _FEW_GROUPS + row_count // _GROUP_ROWS:
            return FileError(f"has {groups} groups of rows for {row_count} rows", file=path)
        ((size,),) = connection.execute(
            "SELECT coalesce(sum(total_uncompressed_size), 0)::HUGEINT FROM parquet_metadata(?)", [name]
        ).fetchall()
        if not 0 <= size <= row_count * _ROW_BYTES + max(groups, 1) * _GROUP_BYTES:
            return FileError(f"has {size} bytes without compression for {row_count} rows", file=path)
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [name]).fetchall()
    except duckdb.Error as error:
        return FileError(f"is not a Parquet file of {table}: {first_line(error)}", file=path)
    kinds, expected = {str(row[0]): str(row[1]) for row in described}, columns(table)
    if kinds == expected:
        return None
    wrong = next((column for column in expected if kinds.get(column) != expected[column]), None)
    if wrong is None:
        return FileError(f"has columns that {table} does not have", file=path)
    return FileError(
        f"is not a table of {table}: expected the column {wrong} of type {expected[wrong]}, found "
        f"{kinds.get(wrong, 'none')}",
        file=path,
    )


def first_line(error: duckdb.Error) -> str:
    """Returns the first paragraph of DuckDB's message in one line; the next paragraph repeats the
    query."""
    return " ".join(str(error).partition("\n\n")[0].split())

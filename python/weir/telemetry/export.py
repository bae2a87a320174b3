"""Writes a store's tables for other tools, as Parquet files or a DuckDB database."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir.errors import FileError
from weir.files import is_folder, is_there, system_errors
from weir.files.whole_file import WholeFile
from weir.telemetry.manifest import TABLES
from weir.telemetry.tables import sql_address, sql_text

if TYPE_CHECKING:
    import duckdb

DATABASE: Final = ".duckdb"
"""The suffix of the file name of a DuckDB database."""

_ROWS: Final = {
    "reports": f"SELECT * REPLACE ({sql_address('source')} AS source, {sql_address('target')} AS target)"
    " FROM reports ORDER BY report",
    "hops": "FROM hops ORDER BY report, place",
    "bad": "FROM bad ORDER BY batch, time_ns",
}


def refuse_within(store: Path, target: Path) -> None:
    """Refuses a target within the store's folder, where it could replace files of the store.

    Raises:
        FileError: the target is the folder, or is below it.
    """
    with system_errors(target, "cannot be written"):
        inside = Path(os.path.realpath(target)).is_relative_to(os.path.realpath(store))
    if inside:
        raise FileError(
            f"is within the store {store}: name a folder or a database outside of it", file=target
        )


def export(connection: duckdb.DuckDBPyConnection, target: Path) -> list[Path]:
    """Writes the tables of a store; see :meth:`Store.export`."""
    if target.suffix == DATABASE:
        return [_database(connection, target)]
    if is_there(target) and not is_folder(target):
        raise FileError(f"is a file, expected a folder, or a name that ends in {DATABASE}", file=target)
    with system_errors(target, "cannot be written"):
        target.mkdir(parents=True, exist_ok=True)
    written = []
    for table in TABLES:
        file = WholeFile(target / f"{table}.parquet")
        with file.discard_on_error():
            connection.execute(
                f"COPY ({_ROWS[table]}) TO {sql_text(str(file.partial))} (FORMAT parquet, COMPRESSION zstd)"
            )
        file.commit()
        written.append(file.path)
    return written


def _database(connection: duckdb.DuckDBPyConnection, target: Path) -> Path:
    file = WholeFile(target, follow=True)
    with file.discard_on_error():
        # DuckDB creates a database only if the file does not exist.
        file.partial.unlink()
        connection.execute(f"ATTACH {sql_text(str(file.partial))} AS written")
        for table in TABLES:
            connection.execute(f"CREATE TABLE written.{table} AS {_ROWS[table]}")
        connection.execute("DETACH written")
    file.commit()
    return target

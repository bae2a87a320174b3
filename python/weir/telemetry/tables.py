"""The SQL tables of a store: their columns, and views of their files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from weir.telemetry.batch import decode

_SQL: Final = {
    "int64": "BIGINT",
    "uint64": "UBIGINT",
    "uint32": "UINTEGER",
    "uint16": "USMALLINT",
    "uint8": "UTINYINT",
    "bool": "BOOLEAN",
}
"""The SQL type for each numpy type."""


@cache
def columns(table: str) -> dict[str, str]:
    """Returns the columns of a table with their SQL types, which are those of a batch."""
    if table == "bad":
        return {
            "batch": "BIGINT",
            "time_ns": "BIGINT",
            "datagrams": "BIGINT",
            "bytes": "BIGINT",
            "reason": "VARCHAR",
            "payload": "BLOB",
        }
    batch = decode((), ())
    numbers = {"reports": batch.reports, "hops": batch.hops}[table]
    return {name: _SQL[column.dtype.name] for name, column in numbers.items()}


def view(paths: Sequence[str], table: str) -> str:
    """Returns the SQL statement that creates a view of a table's rows in these files."""
    if paths:
        rows = f"SELECT * FROM read_parquet([{', '.join(map(sql_text, paths))}])"
    else:
        nothing = ", ".join(f"NULL::{kind} AS {name}" for name, kind in columns(table).items())
        rows = f"SELECT {nothing} WHERE false"
    return f"CREATE VIEW {table} AS {rows};\n"


def sql_text(text: str) -> str:
    """Converts a string to an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def sql_address(column: str) -> str:
    """Returns the SQL expression that formats the IPv4 address in a column as a string."""
    return "||'.'||".join(f"({column} >> {shift} & 255)" for shift in (24, 16, 8, 0))

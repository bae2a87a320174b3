"""The tables of a store in SQL: their columns, and views of their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weir.telemetry.segments import Segment, files

COLUMNS: Final[dict[str, dict[str, str]]] = {
    "reports": {
        "report": "BIGINT",
        "time_ns": "BIGINT",
        "node": "UINTEGER",
        "hw_id": "UTINYINT",
        "sequence": "UINTEGER",
        "first_in_datagram": "BOOLEAN",
        "dropped": "BOOLEAN",
        "congested": "BOOLEAN",
        "tracked": "BOOLEAN",
        "intermediate": "BOOLEAN",
        "drop_reason": "UTINYINT",
        "source": "UINTEGER",
        "target": "UINTEGER",
        "protocol": "UTINYINT",
        "source_port": "USMALLINT",
        "target_port": "USMALLINT",
        "bytes": "USMALLINT",
        "ttl": "UTINYINT",
        "identification": "USMALLINT",
        "tcp_sequence": "UINTEGER",
        "mode": "UTINYINT",
        "hops_exceeded": "BOOLEAN",
        "mtu_exceeded": "BOOLEAN",
    },
    "hops": {
        "report": "BIGINT",
        "time_ns": "BIGINT",
        "place": "UTINYINT",
        "node": "UINTEGER",
        "ingress_port": "USMALLINT",
        "egress_port": "USMALLINT",
        "latency_us": "UINTEGER",
        "queue": "UTINYINT",
        "queue_packets": "UINTEGER",
        "ingress_time_us": "UBIGINT",
        "egress_time_us": "UBIGINT",
        "logical_ingress": "UINTEGER",
        "logical_egress": "UINTEGER",
        "utilization_ppm": "UINTEGER",
        "buffer": "UTINYINT",
        "buffer_packets": "UINTEGER",
    },
    "bad": {"batch": "BIGINT", "time_ns": "BIGINT", "reason": "VARCHAR", "payload": "BLOB"},
}
"""By table, each column's name and SQL type; the numbers of a batch have the same names."""


def view(segments: Sequence[Segment], table: str) -> str:
    """The statement that makes a table's rows in these segments visible in DuckDB."""
    paths = files(segments, table)
    if paths:
        rows = f"SELECT * FROM read_parquet([{', '.join(map(quoted, paths))}])"
    else:
        nothing = ", ".join(f"NULL::{kind} AS {name}" for name, kind in COLUMNS[table].items())
        rows = f"SELECT {nothing} WHERE false"
    return f"CREATE VIEW {table} AS {rows};\n"


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def dotted(column: str) -> str:
    """An IPv4 address in a column as text, in SQL."""
    return "||'.'||".join(f"({column} >> {shift} & 255)" for shift in (24, 16, 8, 0))

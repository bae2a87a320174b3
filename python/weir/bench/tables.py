"""Measures the speed of match tables."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core


@dataclass(frozen=True)
class TableTimes:
    """The speed of a generated table."""

    what: str
    """The table's kind and the bits of its key."""
    entries: int
    ns_per_lookup: float
    """The nanoseconds per single lookup, in the fastest tenth of many short measurements."""
    ns_per_batched_lookup: float
    """Nanoseconds per lookup in batches of 64 keys, measured in the same way."""
    us_per_update: float
    """Microseconds to remove or insert an entry."""
    load_seconds: float
    """Seconds to fill the table with all its entries."""
    bytes_per_entry: float


def table_names() -> list[str]:
    """Returns the names of the tables that can be measured."""
    return _core.table_names()


def time_table(name: str) -> TableTimes:
    """Measures lookups and updates in a table, whose name is one of :func:`table_names`."""
    figures = _core.table_figures(name)
    if figures is None:
        raise ValueError(f'there is no table "{name}"; there are {", ".join(table_names())}')
    return TableTimes(
        what=figures.what,
        entries=figures.entries,
        ns_per_lookup=figures.ns_per_lookup,
        ns_per_batched_lookup=figures.ns_per_batched_lookup,
        us_per_update=figures.us_per_update,
        load_seconds=figures.load_seconds,
        bytes_per_entry=figures.bytes_per_entry,
    )

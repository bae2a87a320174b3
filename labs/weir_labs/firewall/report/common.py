"""Names that several parts of the report share."""

from __future__ import annotations


def words(name: str) -> str:
    """Converts a name of the tables to words."""
    return name.replace("_", " ").replace("ipv4", "IPv4")

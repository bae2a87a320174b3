"""Names that several parts of the report share."""

from __future__ import annotations


def words(name: str) -> str:
    """A name of the tables, as words."""
    return name.replace("_", " ")

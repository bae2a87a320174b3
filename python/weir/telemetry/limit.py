"""The limit on a store's size, and the action when it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from weir import units
from weir.errors import CommandError, FileError, shown

WhenFull = Literal["stop", "oldest"]
"""The type of the action at the limit: refuse further batches, or remove the oldest batches."""

_LIMIT_DIVISOR: Final = 8
"""Batches are merged into folders of at most the limit divided by this number, so that the oldest
batches can be removed."""


@dataclass(frozen=True)
class Limit:
    """The maximum size of a store's batches.

    Attributes:
        bytes: the maximum size on disk in bytes.
        removes_oldest: whether the oldest batches are removed for new ones; otherwise new ones are
            refused.
    """

    bytes: int
    removes_oldest: bool

    @classmethod
    def read(cls, size: str | None, when_full: str = "stop") -> Limit | None:
        """Reads a limit as users write it, such as ``"4GB"``; returns ``None`` for ``None`` or
        ``"unlimited"``.

        Raises:
            UnitError: the size cannot be read.
            CommandError: ``when_full`` is something else.
        """
        if when_full not in ("stop", "oldest"):
            raise CommandError(f'when_full: expected "stop" or "oldest", found {shown(when_full)}')
        if size is None or size == "unlimited":
            return None
        return cls(units.size_bytes(size, "limit", "4GB"), when_full == "oldest")

    @property
    def merged_bytes(self) -> int:
        """The maximum size of a folder with merged batches."""
        return self.bytes // _LIMIT_DIVISOR

    def __str__(self) -> str:
        then = "the oldest batches are removed" if self.removes_oldest else "no more are stored"
        return f"at most {units.format_size(self.bytes)}, then {then}"


class StoreFullError(FileError):
    """An error about a store that has reached its limit, so that the batch was not added."""

    def __init__(self, limit: Limit, folder: Path) -> None:
        super().__init__(
            f"is full: the store has its limit of {units.format_size(limit.bytes)}; "
            "allow more, or choose that the oldest batches are removed",
            file=folder,
        )

"""The descriptions of a store's files: ``store.json``, and ``manifest.json`` in each folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from weir.errors import FileError
from weir.files import is_there, system_errors
from weir.files.opening import is_link, refuse_link
from weir.files.schema import file_hash, whole
from weir.files.sealed import FileHash, Kind, read_sealed, sealed
from weir.files.whole_file import write_whole_json

ABOUT: Final = "store.json"
MANIFEST: Final = "manifest.json"

FORMAT: Final = 2
"""The format version of all files of a store."""

TABLES: Final = ("reports", "hops", "bad")
"""The tables of a store. A folder of batches has a Parquet file for each table that has rows."""

MAX_BATCHES: Final = 10**9
"""The maximum number of batches; the names of their folders have nine digits."""

MAX_NS: Final = (1 << 62) - 1
"""The largest time in nanoseconds that can be 0 in a store."""

_number = whole(0, MAX_BATCHES - 1)


def _ranges(value: object) -> bool:
    """Returns whether a value is a list of ranges of batches, in order and without overlaps."""
    if not isinstance(value, list):
        return False
    pairs = all(isinstance(pair, list) and len(pair) == 2 and all(map(_number, pair)) for pair in value)
    ends = [-1, *(number for pair in value for number in pair)] if pairs else []
    return pairs and all(
        after > before if place % 2 == 0 else after >= before
        for place, (before, after) in enumerate(pairwise(ends))
    )


def _files(value: object) -> bool:
    """Returns whether a value has the hashes of a file for each table, and at least of reports."""
    file_names = {f"{table}.parquet" for table in TABLES}
    return (
        isinstance(value, dict)
        and value.keys() <= file_names
        and "reports.parquet" in value
        and all(map(file_hash, value.values()))
    )


_ABOUT: Final = Kind(
    "telemetry store",
    FORMAT,
    unsealed=("version", "origin_ns"),
    members={
        "origin_ns": whole(0, MAX_NS),
        "batches": whole(0, MAX_BATCHES),
        "removed": _ranges,
    },
)
_BATCHES: Final = Kind(
    "folder of telemetry batches",
    FORMAT,
    members={"first": _number, "last": _number, "reports": whole(), "files": _files},
)


@dataclass(frozen=True)
class About:
    """The contents of ``store.json``.

    Attributes:
        origin_ns: the time that is 0 in the store.
        batches: the number of added batches, all of which exist unless they were removed. A batch
            that was being added when the process or the computer failed may also exist.
        removed: the ranges of removed batches, each with its first and last number.
    """

    origin_ns: int
    batches: int = 0
    removed: tuple[tuple[int, int], ...] = ()

    @classmethod
    def read(cls, folder: Path) -> About:
        """Reads the description of the store in a folder.

        Raises:
            FileError: there is no store, its description is damaged, or it has another format.
        """
        path = folder / ABOUT
        if not is_there(path) and not is_link(path):
            hint = "`weir telemetry listen --store DIR` creates one"
            raise FileError(f"no telemetry store: there is no file {ABOUT} in it; {hint}", file=folder)
        members = read_sealed(path, _ABOUT)
        return cls(
            members["origin_ns"],
            members["batches"],
            tuple((first, last) for first, last in members["removed"]),
        )

    def write(self, folder: Path) -> None:
        """Writes the description of the store to a folder.

        Raises:
            FileError: the description cannot be written.
        """
        contents = {
            "origin_ns": self.origin_ns,
            "batches": self.batches,
            "removed": [list(removed) for removed in self.removed],
        }
        write_whole_json(folder / ABOUT, sealed(_ABOUT, contents))

    def with_batches(self, batches: int) -> About:
        """Returns the description with another number of batches."""
        return About(self.origin_ns, batches, self.removed)

    def without(self, removed: Iterable[tuple[int, int]]) -> About:
        """Returns the description with more removed batches."""
        runs: list[tuple[int, int]] = []
        for first, last in sorted([*self.removed, *removed]):
            if runs and first <= runs[-1][1] + 1:
                runs[-1] = (runs[-1][0], max(last, runs[-1][1]))
            else:
                runs.append((first, last))
        return About(self.origin_ns, self.batches, tuple(runs))

    def has_removed(self, first: int, last: int) -> bool:
        """Returns whether all batches in a range were removed."""
        return any(start <= first and last <= end for start, end in self.removed)

    def missing(self, present: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Returns the ranges of batches that should be present but are not."""
        ranges, next_number = [], 0
        for first, last in [*sorted([*self.removed, *present]), (self.batches, self.batches)]:
            if first > next_number:
                ranges.append((next_number, first - 1))
            next_number = max(next_number, last + 1)
        return ranges


@dataclass(frozen=True)
class Manifest:
    """The description of a folder of batches.

    Attributes:
        first: the number of the first batch.
        last: the number of the last batch.
        reports: the number of reports in the batches.
        files: the size and the hash of each file, by its name.
    """

    first: int
    last: int
    reports: int
    files: Mapping[str, FileHash]

    @property
    def tables(self) -> list[str]:
        """The tables that have rows in the folder."""
        return [table for table in TABLES if f"{table}.parquet" in self.files]

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Reads the description of a folder.

        Raises:
            FileError: the description is missing, damaged, or of another format.
        """
        path = folder / MANIFEST
        with system_errors(folder, "cannot be read"):
            refuse_link(folder)
        if folder.is_dir() and not is_there(path) and not is_link(path):
            raise FileError("is missing", file=path)
        members = read_sealed(path, _BATCHES)
        files = {name: FileHash.read(value) for name, value in members["files"].items()}
        return cls(members["first"], members["last"], members["reports"], files)

    def write(self, folder: Path) -> None:
        """Writes the description to a folder.

        Raises:
            FileError: the description cannot be written.
        """
        write_whole_json(folder / MANIFEST, sealed(_BATCHES, self._contents()))

    def _contents(self) -> dict[str, Any]:
        files = {name: file_hash.json() for name, file_hash in sorted(self.files.items())}
        return {"first": self.first, "last": self.last, "reports": self.reports, "files": files}

    def damage(self, folder: Path, first: int, last: int) -> list[FileError]:
        """Describes the damaged files in a folder that should contain these batches."""
        if (self.first, self.last) != (first, last):
            text = f"is damaged: the folder has the batches {self.first} to {self.last}"
            return [FileError(text, file=folder / MANIFEST)]
        errors = (file_hash.check(folder / name) for name, file_hash in self.files.items())
        return [error for error in errors if error is not None]


def numbers(runs: Sequence[tuple[int, int]]) -> str:
    """Formats ranges of batches, such as ``0 to 4, 9``."""
    return ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)

"""The descriptions of a store's files: ``store.json``, and ``manifest.json`` in each folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weir.errors import FileError
from weir.files.sealed import FileHash, Kind, read_sealed, sealed
from weir.files.whole_file import write_whole_json

ABOUT: Final = "store.json"
MANIFEST: Final = "manifest.json"

FORMAT: Final = 2
"""The format version of all files of a store."""

_ABOUT: Final = Kind("telemetry store", FORMAT, unsealed=("version", "origin_ns"))
_BATCHES: Final = Kind("folder of telemetry batches", FORMAT)


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
        if not path.exists():
            hint = "`weir telemetry listen --store DIR` creates one"
            raise FileError(f"no telemetry store: there is no file {ABOUT} in it; {hint}", file=folder)
        found = read_sealed(path, _ABOUT)
        return cls(
            found["origin_ns"], found["batches"], tuple((first, last) for first, last in found["removed"])
        )

    def write(self, folder: Path) -> None:
        """Writes the description of the store to a folder.

        Raises:
            FileError: the description cannot be written.
        """
        contents = {
            "origin_ns": self.origin_ns,
            "batches": self.batches,
            "removed": [list(one) for one in self.removed],
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
        found, next_number = [], 0
        for first, last in [*sorted([*self.removed, *present]), (self.batches, self.batches)]:
            if first > next_number:
                found.append((next_number, first - 1))
            next_number = max(next_number, last + 1)
        return found


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

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Reads the description of a folder.

        Raises:
            FileError: the description is missing, damaged, or of another format.
        """
        path = folder / MANIFEST
        if folder.is_dir() and not path.exists():
            raise FileError("is missing", file=path)
        found = read_sealed(path, _BATCHES)
        files = {name: FileHash.read(value) for name, value in found["files"].items()}
        return cls(found["first"], found["last"], found["reports"], files)

    def write(self, folder: Path) -> None:
        """Writes the description to a folder.

        Raises:
            FileError: the description cannot be written.
        """
        write_whole_json(folder / MANIFEST, sealed(_BATCHES, self._contents()))

    def _contents(self) -> dict[str, Any]:
        files = {name: found.json() for name, found in sorted(self.files.items())}
        return {"first": self.first, "last": self.last, "reports": self.reports, "files": files}

    def damage(self, folder: Path, first: int, last: int) -> list[FileError]:
        """Describes the damaged files in a folder that should contain these batches."""
        if (self.first, self.last) != (first, last):
            text = f"is damaged: the folder has the batches {self.first} to {self.last}"
            return [FileError(text, file=folder / MANIFEST)]
        found = (known.check(folder / name) for name, known in self.files.items())
        return [error for error in found if error is not None]


def numbers(runs: Sequence[tuple[int, int]]) -> str:
    """Formats ranges of batches, such as ``0 to 4, 9``."""
    return ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)

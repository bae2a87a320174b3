"""The folder of a store, with batches as Parquet files, each complete or absent.

A batch is a folder named after its number, such as ``000000012``, with a file for each table that
has rows, and a manifest with their hashes. It is written under a temporary name, forced to disk,
and renamed: the batch exists from the instant of the renaming. Merged batches are in a folder named
after the first and the last, ``000000000-000000063``; a smaller folder whose numbers a larger one
contains is a leftover of an interrupted merge. ``store.json`` has the number of batches and those
that were removed, so that a missing folder is noticed.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from weir.errors import FileError
from weir.files import system_errors
from weir.files.lock import locked
from weir.files.sealed import FileHash
from weir.files.whole_file import sync
from weir.telemetry.database import damage, open_database
from weir.telemetry.limit import Limit, StoreFullError
from weir.telemetry.manifest import ABOUT, MANIFEST, MAX_BATCHES, About, Manifest, numbers

if TYPE_CHECKING:
    import duckdb

_ADDING_LOCK: Final = ".adding"
_MERGING_LOCK: Final = ".merging"
"""The names of the files that a process locks while it adds or merges batches."""

_NAME: Final = re.compile("([0-9]{9})(?:-([0-9]{9}))?")
_PARTIAL: Final = re.compile(r"\.(?:weir-)?([1-9][0-9]{0,8})-.*\.partial")
_partials = itertools.count()

Writers = Mapping[str, Callable[[IO[bytes]], object]]
"""For each table, the function that writes its file. There is always a function for ``reports``."""


class Segment(NamedTuple):
    """A folder with batches.

    Attributes:
        first: the number of the first batch.
        last: the number of the last batch.
        folder: the folder.
    """

    first: int
    last: int
    folder: Path


class Segments:
    """The batches in a store's folder.

    Args:
        folder: the store's folder.
        durable: whether batches are forced to disk; otherwise they survive a killed process, but
            not a loss of power.
        limit: the maximum size of the batches, and the action when it is reached.
    """

    def __init__(self, folder: Path, *, durable: bool, limit: Limit | None = None) -> None:
        self.folder, self.limit, self._durable = folder, limit, durable
        self._manifests: dict[Path, Manifest] = {}
        self._checked: dict[Path, object] = {}

    @property
    def exists(self) -> bool:
        """Whether the store has been created."""
        return (self.folder / ABOUT).exists()

    def about(self) -> About:
        """Reads the description of the store.

        Raises:
            FileError: there is no store in the folder, or it is damaged or of another format.
        """
        return About.read(self.folder)

    def all_segments(self) -> list[Segment]:
        """Lists all segments without leftovers, in the order of their batches."""
        return self._list_segments()[0]

    def whole_segments(self) -> list[Segment]:
        """Lists all segments, after a check that none is missing and no file is damaged.

        A file that was checked before is read again only if it has changed since.

        Raises:
            FileError: batches or files are missing or damaged. The error names the first of them.
        """
        while True:
            about, segments = self.about(), self.all_segments()
            damage = next((error for _, error in self.damage(about, segments)), None)
            if damage is None:
                return segments
            # If the listings have changed, a merge has replaced the files in the meantime, and the
            # loop repeats.
            if (self.about(), self.all_segments()) == (about, segments):
                raise damage

    def damage(self, about: About, segments: Iterable[Segment]) -> Iterator[tuple[Segment | None, FileError]]:
        """Describes the missing and damaged files, each with its segment if it exists."""
        segments = list(segments)
        if missing := about.missing((one.first, one.last) for one in segments):
            yield None, FileError(f"is damaged: batches are missing: {numbers(missing)}", file=self.folder)
        changed = [one for one in segments if self._checked.get(one.folder, ()) != _state(one.folder)]
        if not changed:
            return
        with open_database(folders=[str(self.folder)]) as connection:
            for segment in changed:
                state = _state(segment.folder)
                self._manifests.pop(segment.folder, None)
                try:
                    errors = self.manifest(segment).damage(segment.folder, segment.first, segment.last)
                    errors = errors or self._wrong_tables(connection, segment)
                except FileError as error:
                    errors = [error]
                if not errors:
                    self._checked[segment.folder] = state
                yield from ((segment, one) for one in errors)

    def manifest(self, segment: Segment) -> Manifest:
        """Reads the manifest of a segment.

        Raises:
            FileError: the manifest is missing, damaged or of another format.
        """
        if segment.folder not in self._manifests:
            self._manifests[segment.folder] = Manifest.read(segment.folder)
        return self._manifests[segment.folder]

    def _wrong_tables(self, connection: duckdb.DuckDBPyConnection, segment: Segment) -> list[FileError]:
        """Describes the files of a segment whose columns, rows or sizes are wrong."""
        manifest = self.manifest(segment)
        errors = (
            damage(connection, segment.folder / f"{table}.parquet", table, manifest.reports)
            for table in manifest.tables
        )
        return [error for error in errors if error is not None]

    def files(self, segments: Iterable[Segment], table: str) -> list[str]:
        """Lists the files of a table in these segments."""
        name = f"{table}.parquet"
        return [str(segment.folder / name) for segment in segments if name in self.manifest(segment).files]

    def size(self, segment: Segment) -> int:
        """Returns the size of a segment's files in bytes."""
        return _size(segment.folder, self.manifest(segment))

    def _list_segments(self) -> tuple[list[Segment], list[Segment]]:
        """Lists the segments, and the leftovers, from one listing of the folder.

        Leftovers are segments whose batches are also in a larger segment or were removed.
        """
        about = self.about()
        segments = []
        for path in self._paths():
            if match := _NAME.fullmatch(path.name):
                first, last = int(match[1]), int(match[2] or match[1])
                if first > last:
                    raise FileError("is not the name of a folder of batches", file=path)
                segments.append(Segment(first, last, path))
        segments.sort(key=lambda one: (one.first, -one.last))
        whole_segments: list[Segment] = []
        leftovers: list[Segment] = []
        for segment in segments:
            merged = whole_segments and segment.last <= whole_segments[-1].last
            removed = about.has_removed(segment.first, segment.last)
            (leftovers if merged or removed else whole_segments).append(segment)
        if len(self._manifests) > len(whole_segments):
            folders = {one.folder for one in whole_segments}
            self._manifests = {path: one for path, one in self._manifests.items() if path in folders}
            self._checked = {path: one for path, one in self._checked.items() if path in folders}
        return whole_segments, leftovers

    def _paths(self) -> set[Path]:
        """Lists the contents of the store's folder.

        A listing during a merge may miss the merged folder, which was created too late, and also
        the replaced folders, which were already removed. If two listings are equal, they are
        complete.
        """
        with system_errors(self.folder, "cannot be read"):
            listing = set(self.folder.iterdir())
            while (after := set(self.folder.iterdir())) != listing:
                listing = after
        return after

    def count(self) -> int:
        """Returns the number of batches that were added."""
        if not self.exists:
            return 0
        segments = self.all_segments()
        return max(self.about().batches, segments[-1].last + 1 if segments else 0)

    def begin(self, origin_ns: int) -> None:
        """Creates the store, if it does not exist yet.

        Args:
            origin_ns: the time that is 0 in the store.

        Raises:
            FileError: the store cannot be created.
        """
        with system_errors(self.folder, "cannot be written"):
            self._create(origin_ns)

    def add(self, writers: Callable[[int], Writers], reports: int) -> int:
        """Adds a batch, which is on disk when this function returns.

        Args:
            writers: a function that returns the writers of the files of a batch with a given
                number.
            reports: the number of reports in the batch.

        Returns:
            The batch's number.

        Raises:
            StoreFullError: the store has a limit, and removes no batches.
            FileError: the batch could not be written and does not exist.
        """
        with system_errors(self.folder, "cannot be written"):
            self._create(0)
            # The lock keeps other processes from using the same number, and from merging the batch
            # in the meantime.
            with self._adding_alone():
                number = self.count()
                if number >= MAX_BATCHES:
                    raise FileError(f"has {number} batches, and cannot have more", file=self.folder)
                partial, manifest = self._write(writers(number), number, number, reports)
                try:
                    self._make_room(_size(partial, manifest))
                except BaseException:
                    shutil.rmtree(partial, ignore_errors=True)
                    raise
                if not self._rename(partial, f"{number:09}"):
                    raise FileError(f"there is a batch {number} that was not listed", file=self.folder)
                self.about().with_batches(number + 1).write(self.folder)
            return number

    def replace(self, merged: list[Segment], writers: Writers) -> None:
        """Replaces neighbouring segments with a merged segment.

        Raises:
            FileError: the merged segment could not be written; the segments are unchanged.
        """
        first, last = merged[0].first, merged[-1].last
        reports = sum(self.manifest(segment).reports for segment in merged)
        with system_errors(self.folder, "cannot be written"):
            self._rename(self._write(writers, first, last, reports)[0], f"{first:09}-{last:09}")
        self.remove_leftovers()

    def remove(self, segments: Iterable[Segment], missing: Iterable[tuple[int, int]] = ()) -> None:
        """Removes segments, and marks missing batches as removed.

        Raises:
            FileError: the store cannot be written.
        """
        with system_errors(self.folder, "cannot be written"), self._adding_alone():
            self._remove([*((segment.first, segment.last) for segment in segments), *missing])

    def _remove(self, batches: Iterable[tuple[int, int]]) -> None:
        with locked(self.folder / _MERGING_LOCK):
            self.about().without(batches).write(self.folder)
            self.remove_leftovers()

    def _make_room(self, needed: int) -> None:
        """Removes the oldest segments if the limit requires it for a batch of this size."""
        if self.limit is None:
            return
        segments = self.all_segments()
        over = needed + sum(map(self.size, segments)) - self.limit.bytes
        oldest = []
        while over > 0 and self.limit.removes_oldest and segments:
            oldest.append(segments.pop(0))
            over -= self.size(oldest[-1])
        if over > 0:
            raise StoreFullError(self.limit, self.folder)
        if oldest:
            self._remove((segment.first, segment.last) for segment in oldest)

    @contextmanager
    def _adding_alone(self) -> Iterator[None]:
        """Keeps other processes from adding and removing batches while the block runs."""
        with locked(self.folder / _ADDING_LOCK):
            yield

    @contextmanager
    def merging_alone(self) -> Iterator[bool]:
        """Keeps other processes from merging while the block runs; yields ``False`` if another
        process is already merging.

        Raises:
            FileError: there is no store in the folder, or it cannot be written.
        """
        self.about()
        with (
            system_errors(self.folder, "cannot be written"),
            locked(self.folder / _MERGING_LOCK, wait=False) as is_merging,
        ):
            yield is_merging

    def remove_leftovers(self) -> None:
        """Removes leftovers of interrupted processes.

        Batches that another process is adding are kept.
        """
        for segment in self._list_segments()[1]:
            shutil.rmtree(segment.folder, ignore_errors=True)
        for path in self.folder.iterdir():
            partial = _PARTIAL.fullmatch(path.name)
            if partial is None or _is_running(int(partial[1])):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _create(self, origin_ns: int) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.exists:
            self.about()
            return
        if any(path for path in self.folder.iterdir() if not path.name.startswith(".")):
            raise FileError(
                "is neither empty nor a telemetry store: name a new folder, or one that contains a store",
                file=self.folder,
            )
        About(origin_ns).write(self.folder)
        self._sync_if_durable(self.folder.parent)

    def _write(self, writers: Writers, first: int, last: int, reports: int) -> tuple[Path, Manifest]:
        """Writes the files to a temporary folder, which does not belong to the store yet."""
        partial = self.folder / f".{os.getpid()}-{next(_partials)}.partial"
        # The folder is a leftover of a killed process with the same process number.
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        hashes = {}
        try:
            for table, fill in writers.items():
                path = partial / f"{table}.parquet"
                with path.open("wb") as file:
                    fill(file)
                    file.flush()
                    if self._durable:
                        os.fsync(file.fileno())
                hashes[path.name] = FileHash.of(path)
            manifest = Manifest(first, last, reports, hashes)
            manifest.write(partial)
            self._sync_if_durable(partial)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        return partial, manifest

    def _rename(self, partial: Path, name: str) -> bool:
        """Renames a folder. If the new name exists, removes the folder instead and returns
        ``False``."""
        try:
            partial.rename(self.folder / name)
        except OSError as error:
            shutil.rmtree(partial, ignore_errors=True)
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                return False
            raise
        self._sync_if_durable(self.folder)
        return True

    def _sync_if_durable(self, path: Path) -> None:
        if self._durable:
            sync(path)


def _size(folder: Path, manifest: Manifest) -> int:
    return sum(file.size_bytes for file in manifest.files.values()) + (folder / MANIFEST).stat().st_size


def _state(folder: Path) -> tuple[object, ...] | None:
    """Returns a value that changes when a file in the folder is written again; ``None`` if a file
    is being removed."""
    try:
        entries = sorted((entry.name, entry.stat()) for entry in os.scandir(folder))
    except OSError:
        return None
    return tuple((name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in entries)


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True  # There, os.kill would end it. Its leftovers stay.
    with suppress(ProcessLookupError):
        with suppress(PermissionError):
            os.kill(process, 0)
        return True
    return False

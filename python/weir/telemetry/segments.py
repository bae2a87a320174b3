"""The folder of a store: batches as Parquet files, each complete or absent.

A batch is a folder named after its number, such as ``000000012``, with a file for each table that
has rows. It is written under a temporary name, forced to disk, and renamed: the batch exists from
the instant of the renaming. Merged batches are in a folder named after the first and the last,
``000000000-000000063``; a smaller folder whose numbers a larger one contains is a leftover of an
interrupted merge.
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from weir.errors import FileError
from weir.files import system_errors
from weir.files.jsontext import json_object
from weir.files.whole_file import write_whole_text

TABLES: Final = ("reports", "hops", "bad")
VERSION: Final = 1
"""The version of the files; a store of another version is refused."""

_ABOUT: Final = "store.json"
_ADDING: Final = ".adding"
_MERGING: Final = ".merging"
"""Files that a process locks while it adds or merges."""

_NAME: Final = re.compile(r"(\d{9})(?:-(\d{9}))?")
_PARTIAL: Final = re.compile(r"\.(?:weir-)?(\d+)-.*\.partial")
_partials = itertools.count()

Writers = Mapping[str, Callable[[IO[bytes]], object]]
"""The function that writes the file of each table. There is always one for ``reports``."""


class Segment(NamedTuple):
    """A folder with batches.

    Attributes:
        first: the number of its first batch.
        last: the number of its last batch.
        folder: the folder.
    """

    first: int
    last: int
    folder: Path


class Segments:
    """The batches in a store's folder.

    Args:
        folder: the store's folder.
        durable: whether a batch is on disk before it exists; otherwise it survives the process, but
            not a loss of power.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self.folder, self._durable = folder, durable

    @property
    def exists(self) -> bool:
        """Whether the store has been created."""
        return (self.folder / _ABOUT).exists()

    def origin_ns(self) -> int:
        """The instant from which the store counts time.

        Raises:
            FileError: there is no store in the folder, or one of another version.
        """
        path = self.folder / _ABOUT
        if not self.exists:
            hint = "`weir telemetry listen --store DIR` makes one"
            raise FileError(f"no telemetry store: there is no file {_ABOUT} in it; {hint}", file=self.folder)
        with system_errors(path, "cannot be read"):
            text = path.read_bytes()
        try:
            about = json_object(text)
            version, origin_ns = about["version"], int(about["origin_ns"])
        except (ValueError, KeyError, TypeError, OverflowError):
            raise FileError("is not the description of a telemetry store", file=path) from None
        if version != VERSION:
            raise FileError(f"a telemetry store of version {version}: expected {VERSION}", file=path)
        return origin_ns

    def all_segments(self) -> list[Segment]:
        """The segments, by the numbers of their batches; leftovers are not among them."""
        return self._list_segments()[0]

    def _list_segments(self) -> tuple[list[Segment], list[Segment]]:
        """The segments, and the leftovers whose batches a larger segment has, from one listing."""
        found = []
        for path in self._paths():
            if match := _NAME.fullmatch(path.name):
                first, last = match[1], match[2] or match[1]
                found.append(Segment(int(first), int(last), path))
        found.sort(key=lambda one: (one.first, -one.last))
        whole: list[Segment] = []
        leftovers: list[Segment] = []
        for segment in found:
            kept = whole if not whole or segment.last > whole[-1].last else leftovers
            kept.append(segment)
        return whole, leftovers

    def _paths(self) -> set[Path]:
        """The contents of the folder.

        A listing during a merge may lack both the merged folder, which was created too late for it,
        and the replaced ones, which were already removed. Two equal listings are complete.
        """
        with system_errors(self.folder, "cannot be read"):
            before = set(self.folder.iterdir())
            while (after := set(self.folder.iterdir())) != before:
                before = after
        return after

    def count(self) -> int:
        """How many batches there are."""
        segments = self.all_segments() if self.exists else []
        return segments[-1].last + 1 if segments else 0

    def begin(self, origin_ns: int) -> None:
        """Creates the store, if it does not exist yet.

        Args:
            origin_ns: the instant from which it counts time.

        Raises:
            FileError: the store cannot be created.
        """
        with system_errors(self.folder, "cannot be written"):
            self._make(origin_ns)

    def add(self, writers: Callable[[int], Writers]) -> int:
        """Adds a batch; it is on disk when this returns.

        Args:
            writers: returns the functions that write the files of a batch with the given number.

        Returns:
            The batch's number.

        Raises:
            FileError: the batch could not be written and does not exist.
        """
        with system_errors(self.folder, "cannot be written"):
            self._make(0)
            with (self.folder / _ADDING).open("w") as lock:
                # Otherwise another process could have used the number and merged the batch since.
                fcntl.flock(lock, fcntl.LOCK_EX)
                number = self.count()
                if not self._rename(self._write(writers(number)), f"{number:09}"):
                    raise FileError(f"there is a batch {number} that was not listed", file=self.folder)
            return number

    def replace(self, merged: list[Segment], writers: Writers) -> None:
        """Replaces neighbouring segments by one.

        Raises:
            FileError: the merged segment could not be written; the others stay.
        """
        with system_errors(self.folder, "cannot be written"):
            self._rename(self._write(writers), f"{merged[0].first:09}-{merged[-1].last:09}")
        self.remove_leftovers()

    @contextmanager
    def merging_alone(self) -> Iterator[bool]:
        """Keeps other processes from merging; yields whether none of them is merging now.

        Raises:
            FileError: there is no store in the folder, or it cannot be written.
        """
        self.origin_ns()
        with system_errors(self.folder, "cannot be written"), (self.folder / _MERGING).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def remove_leftovers(self) -> None:
        """Removes leftovers of interrupted processes.

        Batches that another process is adding stay.
        """
        for segment in self._list_segments()[1]:
            shutil.rmtree(segment.folder, ignore_errors=True)
        for path in self.folder.iterdir():
            partial = _PARTIAL.fullmatch(path.name)
            if partial is None or _runs(int(partial[1])):
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _make(self, origin_ns: int) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.exists:
            self.origin_ns()
            return
        if any(path for path in self.folder.iterdir() if not path.name.startswith(".")):
            raise FileError(
                "is not empty and no telemetry store: name a new folder, or one with a store",
                file=self.folder,
            )
        about = {"version": VERSION, "origin_ns": origin_ns}
        write_whole_text(self.folder / _ABOUT, f"{json.dumps(about)}\n")
        self._sync(self.folder / _ABOUT)
        self._sync(self.folder)
        self._sync(self.folder.parent)

    def _write(self, writers: Writers) -> Path:
        """Writes the files into a folder that does not belong to the store yet."""
        partial = self.folder / f".{os.getpid()}-{next(_partials)}.partial"
        # A leftover of a killed process with the same process number.
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            for table, fill in writers.items():
                with (partial / f"{table}.parquet").open("wb") as file:
                    fill(file)
                    file.flush()
                    if self._durable:
                        os.fsync(file.fileno())
            self._sync(partial)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        return partial

    def _rename(self, partial: Path, name: str) -> bool:
        """Gives a folder its name; removes it, and returns False, if there is one of that name."""
        try:
            partial.rename(self.folder / name)
        except OSError as error:
            shutil.rmtree(partial, ignore_errors=True)
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                return False
            raise
        self._sync(self.folder)
        return True

    def _sync(self, path: Path) -> None:
        if not self._durable:
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def files(segments: Iterable[Segment], table: str) -> list[str]:
    """The files of a table in these segments."""
    paths = [segment.folder / f"{table}.parquet" for segment in segments]
    return [str(path) for path in paths if path.exists()]


def _runs(process: int) -> bool:
    with suppress(ProcessLookupError):
        with suppress(PermissionError):
            os.kill(process, 0)
        return True
    return False

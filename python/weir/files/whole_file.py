"""Files that are replaced only when the new content is complete.

A file is written under a temporary name in the same folder, forced to disk, and renamed at the end.
If a run is killed, the disk is full, or the power fails, the old file is unchanged.
"""

from __future__ import annotations

import atexit
import errno
import itertools
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from weir.errors import FileError
from weir.files import system_errors

_numbers = itertools.count()
_unfinished: set[Path] = set()
"""The partial files that this process has not completed yet."""


@atexit.register
def _discard_unfinished() -> None:
    """Removes partial files at exit, in case a second Ctrl-C ended the clean-up after the first."""
    for partial in _unfinished:
        with suppress(OSError):
            partial.unlink()


os.register_at_fork(after_in_child=_unfinished.clear)


class WholeFile:
    """A file that replaces the old one of the same name when it is complete.

    The new file replaces a link, a pipe or anything else of that name, so that a folder that others
    have made cannot lead to another file. With ``follow``, for names that a user has typed, links
    are followed, and a file that is not a regular file, such as ``/dev/stdout``, is written
    directly.

    Args:
        path: the file's name at the end.
        follow: whether links are followed, because a user has typed this name.
        mode: the permission bits of the new file; ``None`` for those of the replaced file, or else
            those that the user's umask allows.

    Attributes:
        path: the file's name at the end.
        partial: the file to write to: a new, hidden file in the same folder, whose name ends with
            ``.partial``.

    Raises:
        FileError: the file cannot be created, or an existing one cannot be written.
    """

    def __init__(self, path: Path, *, follow: bool = False, mode: int | None = None) -> None:
        self.path = path
        with _errors_reported(path):
            # For a dangling link, the file that it points to is created.
            self._target = Path(os.path.realpath(path)) if follow else path
            old = self._mode(follow)
            if old is not None and not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            self._direct = old is not None and not stat.S_ISREG(old)
            self.partial = self._target if self._direct else self._create(old if mode is None else mode)

    def _mode(self, follow: bool) -> int | None:
        """Returns the mode of the file that is replaced; ``None`` if there is none."""
        try:
            mode = self._target.lstat().st_mode
        except FileNotFoundError:
            return None
        if follow or stat.S_ISREG(mode):
            return mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return None

    def _create(self, mode: int | None) -> Path:
        while True:
            name = f".weir-{os.getpid()}-{next(_numbers)}.partial"
            partial = self._target.with_name(name)
            _unfinished.add(partial)
            try:
                # Users without permission to read the finished file cannot open it before it is
                # finished.
                bits = 0o666 if mode is None else stat.S_IMODE(mode) & 0o600
                descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, bits)
            except FileExistsError:  # left by a killed run that had the same process number
                _unfinished.discard(partial)
                continue
            os.close(descriptor)
            if mode is not None:
                partial.chmod(stat.S_IMODE(mode))
            return partial

    @contextmanager
    def discard_on_error(self) -> Iterator[None]:
        """Removes the partial file if the block that fills it fails.

        Raises:
            FileError: the block could not write the file.
        """
        try:
            with _errors_reported(self.path):
                yield
        except FileError as error:
            self.discard()
            if error.file != str(self.partial):
                raise
            raise FileError(error.message, file=self.path) from None
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Replaces the file by the partial one, and waits until content and name are on disk.

        Raises:
            FileError: the file cannot be replaced; the partial file is removed.
        """
        if self._direct:
            return
        try:
            with _errors_reported(self.path):
                sync(self.partial)
                self.partial.replace(self._target)
                # Some file systems cannot force a folder's names to disk.
                with suppress(OSError):
                    sync(self._target.parent)
            _unfinished.discard(self.partial)
        except FileError:
            self.discard()
            raise

    def discard(self) -> None:
        """Removes the partial file."""
        if not self._direct:
            with suppress(OSError):
                self.partial.unlink()
            _unfinished.discard(self.partial)


def sync(path: Path) -> None:
    """Forces a file's content, or the names in a folder, to disk.

    Raises:
        OSError: the operating system cannot force them to disk.
    """
    if sys.platform == "win32" and path.is_dir():
        return  # Windows does not open folders.
    # A file may be one that its owner can write but not read.
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_WRONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, write: Callable[[BinaryIO], object], *, follow: bool = False) -> None:
    """Writes a file and replaces an existing one only when the new one is complete.

    Args:
        path: the file.
        write: a function that writes the content.
        follow: whether a user has typed the name, so that links are followed; see
            :class:`WholeFile`.

    Raises:
        FileError: the file could not be written; an existing file is unchanged.
    """
    file = WholeFile(path, follow=follow)
    with file.discard_on_error(), file.partial.open("wb") as stream:
        write(stream)
    file.commit()


def write_whole_text(path: Path, text: str, *, follow: bool = False) -> None:
    """Writes text to a file as :func:`write_whole` does, encoded in UTF-8."""
    write_whole(path, lambda file: file.write(text.encode("utf-8")), follow=follow)


def write_whole_json(path: Path, value: object, indent: int | None = None, *, follow: bool = False) -> None:
    """Writes a value to a file as JSON, as :func:`write_whole` does."""
    write_whole_text(path, json.dumps(value, indent=indent) + "\n", follow=follow)


@contextmanager
def _errors_reported(path: Path) -> Iterator[None]:
    """Converts errors of the operating system in the block to a :class:`FileError` about the
    file."""
    try:
        with system_errors(path, "cannot be written"):
            yield
    except ValueError as error:  # the name contains a NUL
        raise FileError(f"cannot be written: {error}", file=path) from None

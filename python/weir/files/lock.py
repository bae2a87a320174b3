"""Locks of files between processes, which only the owner of the file can hold."""

from __future__ import annotations

import os
import stat
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from weir.errors import FileError, WeirWarning
from weir.files.opening import NotAFileError

_SAY_AFTER_S: Final = 1.0
"""The time in seconds after which a waiting process says so."""

_WAIT_S: Final = 60.0
"""The maximum time in seconds that a process waits for a lock."""

if sys.platform == "win32":
    import msvcrt

    _FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOINHERIT", 0)

    def _take(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    _FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def try_lock(file: IO[str]) -> bool:
    """Locks a file until it is closed; returns ``False`` if another process has locked it."""
    return _take(file.fileno())


def lock(file: IO[str]) -> None:
    """Waits until no other process has locked the file, and locks it until it is closed."""
    await_lock(file.fileno(), Path(file.name))


@contextmanager
def locked(path: Path, *, wait: bool = True, wait_s: float = _WAIT_S) -> Iterator[bool]:
    """Locks a file while the block runs. The file is created if it does not exist.

    Only the owner can open the file, so that other users cannot hold the lock. The wait can be
    interrupted.

    Args:
        path: the file. It must not be a link.
        wait: whether to wait if another process has the lock.
        wait_s: the maximum time to wait, in seconds.

    Yields:
        Whether this process has the lock; it is ``False`` only if ``wait`` is ``False``.

    Warns:
        WeirWarning: the wait takes more than a second.

    Raises:
        FileError: the wait took too long.
        OSError: the file cannot be created.
    """
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotAFileError("the lock is not a regular file")
        if sys.platform != "win32" and status.st_mode & 0o077 and status.st_uid == os.geteuid():
            # Earlier versions created files that other users could open and lock.
            os.fchmod(descriptor, 0o600)
        if wait:
            await_lock(descriptor, path, wait_s)
            yield True
        else:
            yield _take(descriptor)
    finally:
        os.close(descriptor)


def await_lock(descriptor: int, path: Path, wait_s: float = _WAIT_S) -> None:
    """Locks an open file or folder; waits if another process has the lock, as :func:`locked` does.

    Raises:
        FileError: the wait took too long.
    """
    start, has_warned = time.monotonic(), False
    while not _take(descriptor):
        waited = time.monotonic() - start
        if waited > wait_s:
            raise FileError(f"is locked by {_holder(descriptor)}: waited {wait_s:g} s", file=path)
        if waited > _SAY_AFTER_S and not has_warned:
            has_warned = True
            warnings.warn(f"{path}: waiting for {_holder(descriptor)}", WeirWarning, stacklevel=4)
        time.sleep(0.01)


def _holder(descriptor: int) -> str:
    """Returns the process that holds a lock, from Linux's list of locks."""
    if sys.platform == "win32":
        return "another process"
    status = os.fstat(descriptor)
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    with suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()
            if "->" not in words and "FLOCK" in words and place in words:
                process = int(words[4])
                name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace")
                return f"process {process} ({name.strip()})"
    return "another process"

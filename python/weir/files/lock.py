"""Locks of files between processes, on each operating system."""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt
    import time

    def lock(file: IO[str]) -> None:
        """Waits until no other process has locked the file, and locks it until it is closed."""
        while not try_lock(file):
            time.sleep(0.01)

    def try_lock(file: IO[str]) -> bool:
        """Locks a file until it is closed; returns False if another process has locked it."""
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock(file: IO[str]) -> None:
        """Waits until no other process has locked the file, and locks it until it is closed."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def try_lock(file: IO[str]) -> bool:
        """Locks a file until it is closed; returns False if another process has locked it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

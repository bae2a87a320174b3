"""Returns memory that this process has freed to the system."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import Final

_M_ARENA_MAX: Final = -8
"""The option of glibc's ``mallopt`` for the number of arenas (``malloc.h``)."""


def share_freed_memory() -> None:
    """Makes all threads take memory from one arena of the C library.

    The library returns the end of other arenas to the system only in rare cases. A command calls
    this function before it starts threads. Does nothing with other libraries than glibc.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def return_freed_memory() -> None:
    """Returns freed memory to the system; does nothing with other libraries than glibc."""
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)

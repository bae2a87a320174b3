"""Our own programs that switches run, compiled for both executors."""

from __future__ import annotations

import functools
from pathlib import Path

import weir
from torture.programs.mutate import programs
from weir.errors import P4Error
from weir.program import EXECUTORS


@functools.cache
def compiled(path: Path) -> tuple[weir.Program, ...]:
    """The program for each executor; empty if no switch can run it."""
    include = [path.parent, path.parent.parent]
    try:
        return tuple(weir.compile(path, include, executor=executor) for executor in EXECUTORS)
    except P4Error:
        return ()


@functools.cache
def paths() -> list[Path]:
    """All programs and files that they include."""
    return programs()

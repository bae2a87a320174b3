"""Checks for libraries that only the extra ``lab`` installs, for plots, data frames, reports and
labs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weir.errors import FileError, MissingExtraError

_LAB: Final = ("cloudpickle", "duckdb", "jinja2", "loky", "matplotlib", "numpy", "polars", "scipy")


@contextmanager
def lab_extra(purpose: str) -> Iterator[None]:
    """Converts failed imports in the block to an error that names the extra ``lab``, which
    ``purpose`` (such as ``plots``) needs.

    Raises:
        MissingExtraError: a library of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _LAB:
            raise
        raise MissingExtraError(purpose, library) from None


PICTURES: Final = (".png", ".svg", ".pdf")
"""The file name suffixes of the picture formats in which plots can be stored."""


def picture_file(path: str | Path) -> Path:
    """Checks that a plot can be written to a file, and returns its path.

    Raises:
        FileError: the path's suffix is not a picture format.
    """
    file = Path(path)
    if file.suffix.lower() in PICTURES:
        return file
    reason = f"a plot cannot be written as {file.suffix!r}" if file.suffix else "the name has no suffix"
    raise FileError(f"{reason}: expected .png, .svg or .pdf", file=path)


def require_plots(path: str | Path) -> None:
    """Checks in advance that a plot can be written, for commands that plot after a long run.

    Raises:
        FileError: the file's suffix is not a picture format.
        MissingExtraError: matplotlib is not installed.
    """
    picture_file(path)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plots", "matplotlib")

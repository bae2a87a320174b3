"""Base class of results: data frames, files and plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import FileError

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes


class Table(ABC):
    """A result with rows."""

    @abstractmethod
    def to_frame(self) -> polars.DataFrame:
        """The rows as a data frame."""

    @abstractmethod
    def draw(self, ax: Axes) -> None:
        """Draws the result into matplotlib axes, with labels."""

    def to_csv(self, path: str | Path) -> Path:
        """Writes the rows as comma-separated values, with a header line, and returns the path.

        Raises:
            FileError: the file cannot be written.
        """
        target = _file(path)
        try:
            self.to_frame().write_csv(target)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", file=target) from None
        return target

    def to_parquet(self, path: str | Path) -> Path:
        """Writes the rows as a Parquet file, and returns the path.

        Raises:
            FileError: the file cannot be written.
        """
        target = _file(path)
        try:
            self.to_frame().write_parquet(target)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", file=target) from None
        return target

    def plot(self, path: str | Path, title: str | None = None) -> Path:
        """Draws the result into a file: ``.png``, ``.svg`` or ``.pdf``, by its suffix.

        Returns the path.

        Raises:
            FileError: the file cannot be written, or its suffix is not a picture format.
        """
        from weir.report.plot import axes, save_as

        with axes() as ax:
            self.draw(ax)
            if title is not None:
                ax.set_title(title)
            return save_as(ax, _file(path))


def _file(path: object) -> Path:
    if not isinstance(path, (str, PathLike)) or not Path(path).name:
        raise FileError(f"expected the name of a file, found {path!r}")
    return Path(path)

"""Base class of results: data frames, files and plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.columns import Column, frame, rows, write_csv
from weir.errors import FileError
from weir.extras import lab_extra

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes


class Table(ABC):
    """A result with rows."""

    @abstractmethod
    def columns(self) -> list[Column]:
        """The columns of the rows; each result says which it has."""

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each row, from the names of the :meth:`columns` to the values."""
        return rows(self.columns())

    def to_frame(self) -> polars.DataFrame:
        """The rows as a data frame of polars, see :meth:`columns`.

        Raises:
            MissingExtraError: polars is not installed.
        """
        return frame(self.columns())

    @abstractmethod
    def draw(self, ax: Axes) -> None:
        """Draws the result into matplotlib axes, with labels."""

    def to_csv(self, path: str | Path) -> Path:
        """Writes the rows as comma-separated values, with a header line, and returns the path.

        Raises:
            FileError: the file cannot be written.
        """
        target = _file(path)
        write_csv(self.columns(), target)
        return target

    def to_parquet(self, path: str | Path) -> Path:
        """Writes the rows as a Parquet file, and returns the path.

        Raises:
            FileError: the file cannot be written.
            MissingExtraError: polars is not installed.
        """
        target, data = _file(path), self.to_frame()
        try:
            data.write_parquet(target)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", file=target) from None
        return target

    def plot(self, path: str | Path, title: str | None = None) -> Path:
        """Draws the result into a file: ``.png``, ``.svg`` or ``.pdf``, by its suffix.

        Returns the path.

        Raises:
            FileError: the file cannot be written, or its suffix is not a picture format.
            MissingExtraError: matplotlib is not installed.
        """
        with lab_extra("plots"):
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

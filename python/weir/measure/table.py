"""Base class of results: data frames, files and plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.errors import FileError, MeasureError, shown
from weir.errors.extras import lab_extra, picture_file
from weir.files.columns import Column, frame, rows, write_csv
from weir.files.whole_file import write_whole

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from weir.measure.html import PlottedSeries


class Table(ABC):
    """A result of a measurement that has rows."""

    @abstractmethod
    def columns(self) -> list[Column]:
        """Returns the columns of the rows. Each class of results documents its columns."""

    def rows(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each row, from the names of the :meth:`columns` to the
        values."""
        return rows(self.columns())

    def to_frame(self) -> polars.DataFrame:
        """Converts the rows to a data frame of polars, with the columns of :meth:`columns`.

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
        target = _checked_path(path)
        write_csv(self.columns(), target)
        return target

    def to_parquet(self, path: str | Path) -> Path:
        """Writes the rows as a Parquet file, and returns the path.

        Raises:
            FileError: the file cannot be written.
            MissingExtraError: polars is not installed.
        """
        target, data = _checked_path(path), self.to_frame()
        write_whole(target, data.write_parquet, follow=True)
        return target

    def plot(
        self, path: str | Path | None = None, title: str | None = None, *, ax: Axes | None = None
    ) -> Figure:
        """Draws the result.

        Args:
            path: a file to write as well: ``.png``, ``.svg`` or ``.pdf``, by its suffix.
            title: the title above the picture.
            ax: matplotlib axes to draw into; by default those of a new figure.

        Returns:
            The figure, which notebooks show.

        Raises:
            FileError: the file cannot be written, or its suffix is not a picture format.
            MissingExtraError: matplotlib is not installed.
        """
        return plot_figure(self.draw, path, title, ax)

    @property
    def _sparkline(self) -> PlottedSeries | None:
        """The values for a small picture of the result; ``None`` if the result has no values over
        time."""
        return None

    def __repr__(self) -> str:
        return f"<weir.{type(self).__name__} {'; '.join(str(self).splitlines())}>"

    def _repr_html_(self) -> str:
        """Renders the key figures, a small picture and the first rows as HTML, for notebooks."""
        from weir.measure.html import result_html

        return result_html(str(self), self.columns(), self._sparkline)


def plot_figure(
    draw: Callable[[Axes], None], path: str | Path | None, title: str | None, ax: Axes | None
) -> Figure:
    """Draws a figure with ``draw``; see :meth:`Table.plot`."""
    with lab_extra("plots"):
        from weir.report.plot import axes, save_as, set_title

    # A wrong file name is reported before the drawing starts.
    target = None if path is None else picture_file(_checked_path(path))

    def finish(ax: Axes) -> Figure:
        draw(ax)
        if title is not None:
            set_title(ax, title)
        if target is not None:
            save_as(ax, target)
        figure = ax.get_figure(root=True)
        assert figure is not None
        return figure

    if ax is not None:
        if not hasattr(ax, "get_figure"):
            raise MeasureError(
                f"ax: expected matplotlib axes, such as those of plt.subplots(), found {shown(ax)}"
            )
        return finish(ax)
    with axes() as own_axes:
        return finish(own_axes)


def _checked_path(path: object) -> Path:
    if not isinstance(path, (str, PathLike)) or not Path(path).name:
        raise FileError(f"expected the name of a file, found {shown(path)}")
    return Path(path)

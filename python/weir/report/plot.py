"""The style of all plots, and functions that save plots reproducibly, byte for byte."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.ticker import ScalarFormatter

from weir.display.palette import COLOURS
from weir.errors.extras import picture_file
from weir.files.whole_file import write_whole
from weir.system.interrupt import Interruption
from weir.text.measured import grouped

HUES: Final = tuple(COLOURS[name] for name in ("blue", "orange", "green", "red", "sky", "purple"))
"""The colours of curves, in the order in which plots use them."""

MARKERS: Final = ("o", "s", "^", "D", "v", "P")
"""The markers of curves, in the order in which plots use them."""

_DASHES: Final = ("-", "--", "-.", ":")

KINDS_OF_LINES: Final = len(HUES) * len(_DASHES)
"""The number of curves in a plot that can differ in colour, marker or line style."""

ON_DARK: Final = "#fdfdfe"
"""The colour of text on dark cells of heat maps, which is the same on light and dark pages."""

ON_LIGHT: Final = "#101418"
"""The colour of text on light cells of heat maps."""

WIDE: Final = 7.2
"""The width in inches of a plot as wide as the page."""

_STYLE: Final[dict[str, Any]] = {
    "font.family": "DejaVu Sans",  # this font comes with matplotlib
    "font.size": 11,
    "text.parse_math": False,  # shows a dollar sign unchanged, instead of starting a formula
    "text.color": COLOURS["ink"],
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "axes.labelsize": 11,
    "axes.labelcolor": COLOURS["ink"],
    "axes.edgecolor": COLOURS["soft"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.formatter.useoffset": False,
    "axes.prop_cycle": cycler(color=HUES),
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 0.8,
    "xtick.color": COLOURS["soft"],
    "ytick.color": COLOURS["soft"],
    "xtick.labelcolor": COLOURS["ink"],
    "ytick.labelcolor": COLOURS["ink"],
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "weir",
}

_DOTS_PER_INCH: Final = 160
_LEGEND_MARKER: Final = 5.0
"""The least size of markers in a legend, in points."""

_TITLE_WIDTH: Final = 70
"""The maximum number of characters in a line of a title."""

_FORMATS: Final[dict[str, dict[str, Any]]] = {
    ".png": {"dpi": _DOTS_PER_INCH, "metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None, "Creator": None}},
    ".pdf": {"metadata": {"CreationDate": None, "Producer": None, "Creator": None}},
}
"""The options with which each format is written, by suffix. The options leave out data that differs
between runs."""


@dataclass(frozen=True)
class Plot:
    """A saved plot.

    Attributes:
        svg: the vector picture.
        png: a raster version, if there is one.
        empty: the reason why the plot shows nothing, such as ``all values are 0``, which a report
            shows instead.
    """

    svg: Path
    png: Path | None = None
    empty: str = ""


class _Thousands(ScalarFormatter):
    """Labels ticks as matplotlib does, with thousands separated as in tables."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return grouped(super().__call__(x, pos))


class Picture(Canvas):
    """A figure for notebooks that does not use pyplot, which would keep each figure in memory."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Returns the picture for screens with two pixels per point, and its size on the page."""
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
        width, height = self.get_size_inches()
        return data.getvalue(), {"width": round(96 * width), "height": round(96 * height)}


def line_style(place: int) -> dict[str, Any]:
    """Returns the colour, marker and line style of a curve, by its place in the plot, as Matplotlib
    properties.

    After the last of :data:`HUES`, the colours repeat with other line styles.
    """
    return {
        "color": HUES[place % len(HUES)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": _DASHES[place // len(HUES) % len(_DASHES)],
    }


@contextmanager
def axes(width: float = 5.6, height: float = 3.7) -> Iterator[Axes]:
    """Creates empty axes in Weir's style, ``width`` by ``height`` inches.

    Style and axes are valid inside the block.
    """
    with axes_grid(1, 1, width, height) as grid:
        yield grid[0]


@contextmanager
def axes_grid(
    rows: int, columns: int, width: float, height: float, *, same_y: bool = True
) -> Iterator[list[Axes]]:
    """Creates a grid of empty axes, row by row, with the same range of x; see :func:`axes`."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast(Any, _STYLE))
        canvas = Picture(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(canvas)
        grid = canvas.subplots(rows, columns, sharex=True, sharey=same_y, squeeze=False)
        yield [*grid.flat]


def set_title(ax: Axes, title: str) -> None:
    """Sets the title in up to three lines, without control characters."""
    printable = "".join(character if character.isprintable() else " " for character in title)
    ax.set_title("\n".join(textwrap.wrap(printable, _TITLE_WIDTH, max_lines=3, placeholder=" …")))


def save_plot(ax: Axes, folder: Path, name: str, *, empty: str = "") -> Plot:
    """Writes the plot to ``NAME.png`` and ``NAME.svg`` in a folder. Call this function inside the
    block of :func:`axes`.

    ``empty`` is the reason why the plot shows nothing, if it does; see :class:`Plot`.
    """
    return Plot(
        save_as(ax, folder / f"{name}.svg", follow=False),
        save_as(ax, folder / f"{name}.png", follow=False),
        empty,
    )


def _legends(canvas: Canvas) -> list[Legend]:
    return [*canvas.legends, *(legend for axes in canvas.axes if (legend := axes.get_legend()) is not None)]


def _enlarge_legend_markers(canvas: Canvas) -> None:
    """Makes the markers of small points large enough in legends to recognize their colour."""
    for legend in _legends(canvas):
        for handle in legend.legend_handles:
            if not isinstance(handle, Line2D):
                continue
            # Matplotlib draws the marker "." at half of its size.
            least = 2 * _LEGEND_MARKER if handle.get_marker() == "." else _LEGEND_MARKER
            if handle.get_markersize() < least:
                handle.set_markersize(least)


def _separate_thousands(canvas: Canvas) -> None:
    for legend in _legends(canvas):
        for text in legend.get_texts():
            text.set_text(grouped(text.get_text()))
    for ax in canvas.axes:
        for axis in (ax.xaxis, ax.yaxis):
            # Axes with words, and those whose labels were chosen, have other formatters.
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(_Thousands())


def save_as(ax: Axes, path: Path, *, follow: bool = True) -> Path:
    """Writes a plot to a ``.png``, ``.svg`` or ``.pdf`` file, by its suffix.

    Call it inside the block of `axes`. Links are followed unless ``follow`` is ``False``, which is
    for folders of results.

    Raises:
        FileError: the file cannot be written, or it has another suffix.
    """
    picture_file(path)
    canvas = ax.get_figure(root=True)
    assert canvas is not None
    _enlarge_legend_markers(canvas)
    _separate_thousands(canvas)
    suffix = path.suffix.lower()
    with warnings.catch_warnings():
        # A title can have characters that the font does not have.
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)

        def write(file: BinaryIO) -> None:
            # matplotlib replaces a KeyboardInterrupt in its compiled parts by its own errors.
            with Interruption():
                canvas.savefig(file, format=suffix[1:], **_FORMATS[suffix])

        write_whole(path, write, follow=follow)
    return path

"""Draws plots of labelled curves and of bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from weir.report.alike import show_all
from weir.report.plot import HUES, WIDE, Plot, axes, line_style, save_plot
from weir.text.measured import grouped

if TYPE_CHECKING:
    import polars as pl

_PLAIN: Final = FuncFormatter(lambda value, _: grouped(f"{value:g}"))

_BAR_TICKS: Final = 4
"""The maximum number of intervals between ticks of bars, so that large numbers have room."""

_MAX_INSIDE: Final = 3
"""The maximum number of curves for which the legend is inside the plot."""

_LETTERS, _LETTERS_WIDE, _SAMPLE = 58, 84, 6
"""The number of letters that fit into a row of the legend: above a plot of normal width, above a
wide plot; and the letters whose space a curve's sample takes."""

LEGEND_ROW: Final = 0.2
"""The height in inches of a row of the legend above a plot."""

_MAX_MARKED: Final = 25
"""The maximum number of points of a curve with markers."""


@dataclass(frozen=True)
class Curve:
    """A curve of a plot, as a line or points.

    Attributes:
        label: the curve's name in the legend.
        xs: values of x, such as a column of a data frame.
        ys: values of y; ``None`` for missing values.
        style: Matplotlib's properties of lines, such as ``{"marker": "o"}``.
    """

    label: str
    xs: Sequence[float] | pl.Series
    ys: Sequence[float | None] | pl.Series
    style: Mapping[str, Any] = field(default_factory=dict)


def draw_curves(
    plots: Path,
    name: str,
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    wide: bool = False,
    style: Mapping[str, Any] | None = None,
    decorate: Callable[[Axes], object] = lambda _: None,
) -> Plot:
    """Draws a plot of curves with linear axes and y from 0, with a legend if there are several
    curves.

    Each curve has a colour and, if it has few points, a marker. After the last of :data:`HUES`, the
    colours repeat with other line styles. A curve that covers another one is dashed, and its label
    names the curve that is the same. A plot without values, or with only zeros, is marked as empty.

    Args:
        plots: the folder.
        name: the name of the file.
        curves: the curves in the order of the legend.
        x: the label of the x axis.
        y: the label of the y axis.
        wide: whether the figure takes the page's width.
        style: Matplotlib's properties of lines, for all curves; those of a curve take precedence.
        decorate: a function that changes the axes at the end.
    """
    with axes(*((WIDE, 3.3) if wide else ())) as ax:
        lines = draw_lines(ax, curves, style)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        from_zero(ax, curves)
        whole_ticks(ax, curves)
        decorate(ax)
        show_all(ax, lines, meant_lines(curves, style))
        show_whole_markers(ax, lines)
        if len(curves) > 1 and ax.get_legend() is None:
            place_legend(ax, wide)
        return save_plot(ax, plots, name, empty=empty_because(curves))


def draw_lines(
    ax: Axes,
    curves: Sequence[Curve],
    style: Mapping[str, Any] | None = None,
    order: Sequence[str] | None = None,
) -> list[Line2D]:
    """Draws curves into axes.

    Args:
        ax: the axes.
        curves: the curves.
        style: properties of all lines; see :func:`draw_curves`.
        order: the labels in the order of colours and markers, if other axes of the plot show some
            of the curves.
    """
    lines = []
    for number, curve in enumerate(curves):
        place = number if order is None else order.index(curve.label)
        properties: dict[str, Any] = {
            **line_style(place),
            "markersize": 5,
            **({} if len(curve.ys) <= _MAX_MARKED else {"marker": ""}),
            **(style or {}),
            **curve.style,
        }
        ys = [float("nan") if value is None else value for value in curve.ys]
        lines += ax.plot(list(curve.xs), ys, label=curve.label, **properties)
    return lines


def show_whole_markers(ax: Axes, lines: Sequence[Line2D]) -> None:
    """Draws markers whole that reach beyond the axes, such as at 0 or at the highest value, with
    room for those that reach below the x axis.

    Call this function when scales and limits are final.
    """
    low, high = ax.viewLim.min, ax.viewLim.max
    reach = 0.0
    for line in lines:
        points = np.asarray(line.get_xydata(), dtype=float)
        points = points[np.isfinite(points).all(axis=1)]
        line.set_clip_on(not ((points >= low) & (points <= high)).all())
        if line.get_marker() not in ("", "None") and (points[:, 1] == low[1]).any():
            # Half of the diagonal of the marker.
            reach = max(reach, 0.71 * line.get_markersize())
    room = mpl.rcParams["xtick.major.size"] + mpl.rcParams["xtick.major.pad"]
    if reach > room - 1:
        ax.tick_params(axis="x", pad=reach + 1 - mpl.rcParams["xtick.major.size"])


def place_legend(ax: Axes, wide: bool = False) -> None:
    """Adds a legend where it hides the least or, for many curves, above the plot."""
    labels = ax.get_legend_handles_labels()[1]
    if len(labels) <= _MAX_INSIDE:
        ax.legend()
        return
    columns = legend_columns(labels, wide)
    ax.legend(ncols=columns, loc="lower left", bbox_to_anchor=(-0.02, 1))
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * -(-len(labels) // columns))


def legend_columns(labels: Sequence[str], wide: bool) -> int:
    """Computes how many columns of a legend fit above a plot."""
    longest = max(len(label) for label in labels)
    return max(1, min(4, (_LETTERS_WIDE if wide else _LETTERS) // (longest + _SAMPLE)))


def meant_lines(curves: Sequence[Curve], style: Mapping[str, Any] | None) -> list[bool]:
    """Returns for each curve whether the caller chose its line style, so that the style has a
    meaning."""
    return ["linestyle" in {**(style or {}), **curve.style} for curve in curves]


def from_zero(ax: Axes, curves: Sequence[Curve]) -> None:
    """Makes the y axis begin at 0 and end above the highest value."""
    # If all points have almost the same height, the default margin is so small that points touch
    # the edge.
    heights = [value for curve in curves for value in curve.ys if value is not None and isfinite(value)]
    ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * max(heights, default=0)))


def whole_ticks(ax: Axes, curves: Sequence[Curve]) -> None:
    """Makes ticks whole numbers on each axis on which all values are, such as numbers of
    switches."""
    for axis, rows in (
        (ax.xaxis, [curve.xs for curve in curves]),
        (ax.yaxis, [curve.ys for curve in curves]),
    ):
        values = [value for row in rows for value in row if value is not None and isfinite(value)]
        if values and all(value == int(value) for value in values):
            # Labels of five digits need more room than matplotlib expects.
            most: Any = "auto" if max(map(abs, values)) < 10_000 else 5
            axis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 2.5, 5, 10]))


def empty_because(curves: Sequence[Curve]) -> str:
    """Returns the reason why curves show nothing (no values, or only zeros); an empty string if
    they show something."""
    heights = [value for curve in curves for value in curve.ys if value is not None and isfinite(value)]
    if not heights:
        return "there are no values"
    return "" if any(heights) else "all values are 0"


def log_axis(ax: Axes, name: Literal["x", "y"]) -> None:
    """Makes an axis logarithmic, with labels such as 1, 2, 5, 10, or only 1, 10 for a y axis of
    many decades.

    An axis whose curves have no value above 0 stays linear, and a y axis if the highest value is
    less than twice the lowest one.
    """
    if ax.has_data() and not (ax.dataLim.intervalx if name == "x" else ax.dataLim.intervaly)[1] > 0:
        # Matplotlib cannot draw such a logarithmic axis.
        return
    if name == "y":
        least, most = ax.dataLim.intervaly
        if 0 < least <= most < 2 * least:
            # On so short a logarithmic axis, a small difference looks large.
            return
        ax.set_ylim(auto=True)
    ax.set(**{f"{name}scale": "log"})
    axis, (low, high) = (ax.xaxis, ax.get_xlim()) if name == "x" else (ax.yaxis, ax.get_ylim())
    axis.set_major_formatter(_PLAIN)
    if name == "x":
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
    else:
        if high < 1000 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        # Otherwise, an axis with a small range might have no ticks.
        axis.set_minor_formatter(_PLAIN if high < 4 * low else NullFormatter())


def logarithmic(*names: Literal["x", "y"]) -> Callable[[Axes], None]:
    """Returns a ``decorate`` function for :func:`draw_curves` that makes the named axes
    logarithmic."""

    def decorate(ax: Axes) -> None:
        for name in names:
            log_axis(ax, name)

    return decorate


def draw_bars(plots: Path, name: str, labels: Sequence[str], values: Sequence[float], axis: str) -> Plot:
    """Draws horizontal bars, the first bar at the top.

    Args:
        plots: the folder.
        name: the name of the file.
        labels: the labels of the bars.
        values: the lengths of the bars.
        axis: the label of the axis.
    """
    with axes(height=0.4 * len(labels) + 1.2) as ax:
        ax.barh(labels, values, color=HUES[0])
        ax.xaxis.set_major_locator(MaxNLocator(_BAR_TICKS, steps=[1, 2, 2.5, 5, 10]))
        ax.invert_yaxis()
        ax.set_xlabel(axis)
        empty = "" if any(values) else "all values are 0" if len(values) else "there are no values"
        return save_plot(ax, plots, name, empty=empty)

"""Plots of labelled curves, and of bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from weir.report.plot import HUES, Plot, axes, save_plot

if TYPE_CHECKING:
    import polars as pl

_PLAIN: Final = FuncFormatter(lambda value, _: f"{value:g}")


@dataclass(frozen=True)
class Curve:
    """A line of a plot, or points.

    Attributes:
        label: its name in the legend.
        xs: values of x, such as a column of a data frame.
        ys: values of y; None where there is none.
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
    """Draws curves with both axes linear and y from 0; several curves get a legend.

    After the last of :data:`HUES`, the colours repeat with dashed lines.

    Args:
        plots: the folder.
        name: the name of the file.
        curves: the curves in the order of the legend.
        x: the label of the x axis.
        y: the label of the y axis.
        wide: whether the figure takes the page's width.
        style: Matplotlib's properties of lines, for all curves; those of a curve take precedence.
        decorate: changes the axes at the end.
    """
    with axes(*((7.2, 3.6) if wide else (6.4, 4.2))) as ax:
        for place, curve in enumerate(curves):
            own = {"color": HUES[place % len(HUES)], "linestyle": "--" if place >= len(HUES) else "-"}
            ys = [float("nan") if value is None else value for value in curve.ys]
            properties: dict[str, Any] = {"markersize": 6, **own, **(style or {}), **curve.style}
            ax.plot(list(curve.xs), ys, label=curve.label, **properties)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        # Points of almost the same height have almost no margin, and would touch the edge.
        heights = [value for curve in curves for value in curve.ys if value is not None and isfinite(value)]
        highest = max(heights, default=0)
        ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * highest))
        if len(curves) > 1:
            ax.legend()
        decorate(ax)
        return save_plot(ax, plots, name)


def log_axis(ax: Axes, name: Literal["x", "y"]) -> None:
    """Makes an axis logarithmic, with plain numbers: 1, 10, 100; x also has 2, 5, 20, 50."""
    ax.set(**{f"{name}scale": "log"})
    axis, (low, high) = (ax.xaxis, ax.get_xlim()) if name == "x" else (ax.yaxis, ax.get_ylim())
    axis.set_major_formatter(_PLAIN)
    if name == "x":
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
    else:
        # Otherwise, a range within a decade might have no tick.
        axis.set_minor_formatter(_PLAIN if high < 10 * low else NullFormatter())


def logarithmic(*names: Literal["x", "y"]) -> Callable[[Axes], None]:
    """A decoration for :func:`draw_curves`: :func:`log_axis` for each name."""

    def decorate(ax: Axes) -> None:
        for name in names:
            if name == "y":
                ax.set_ylim(auto=True)
            log_axis(ax, name)

    return decorate


def draw_bars(plots: Path, name: str, labels: Sequence[str], values: Sequence[float], axis: str) -> Plot:
    """Draws horizontal bars, the first one at the top.

    Args:
        plots: the folder.
        name: the name of the file.
        labels: the labels of the bars.
        values: their lengths.
        axis: the label of the axis.
    """
    with axes(6.4, 0.4 * len(labels) + 1.2) as ax:
        ax.barh(labels, values, color=HUES[0])
        ax.invert_yaxis()
        ax.set_xlabel(axis)
        return save_plot(ax, plots, name)

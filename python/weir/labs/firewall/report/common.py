"""Plots that several parts of the report share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from weir.report import HUES, Plot, axes, save_plot


def words(name: str) -> str:
    """A name of the tables, as words."""
    return name.replace("_", " ")


def bars(plots: Path, name: str, labels: Sequence[str], values: Sequence[float], axis: str) -> Plot:
    """Draws horizontal bars, the first one at the top.

    Args:
        plots: the folder.
        name: of the file.
        labels: of the bars.
        values: their lengths.
        axis: the label of the axis.
    """
    with axes(6.4, 0.4 * len(labels) + 1.2) as ax:
        ax.barh(labels, values, color=HUES[0])
        ax.invert_yaxis()
        ax.set_xlabel(axis)
        return save_plot(ax, plots, name)


def lines(
    plots: Path,
    name: str,
    curves: Sequence[tuple[str, Sequence[float], Sequence[float | None]]],
    *,
    x: str,
    y: str,
    decorate: Callable[[Axes], object] = lambda _: None,
) -> Plot:
    """Draws lines.

    Args:
        plots: the folder.
        name: of the file.
        curves: label, values of x, values of y.
        x: the label of the x axis.
        y: the label of the y axis.
        decorate: changes the axes at the end.
    """
    with axes(6.4, 4.2) as ax:
        for (label, xs, ys), colour, marker in zip(curves, HUES, "osD^v", strict=False):
            shown = [float("nan") if value is None else value for value in ys]
            ax.plot(xs, shown, label=label, color=colour, marker=marker, markersize=5)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.legend()
        decorate(ax)
        return save_plot(ax, plots, name)

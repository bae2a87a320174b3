"""Numbers and plots that several parts of the report share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from weir.report import HUES, Plot, axes, save_plot

Points = tuple[Sequence[float], Sequence[float]]
"""x and y."""


def draw(
    plots: Path,
    name: str,
    curves: Mapping[str, Points],
    *,
    x: str,
    y: str,
    wide: bool = False,
    style: Mapping[str, Any] | None = None,
    decorate: Callable[[Axes], object] = lambda _: None,
) -> Plot:
    """Draws curves, from 0 on.

    Args:
        plots: the folder.
        name: of the file.
        curves: points by label, in the order of the legend.
        x: the label of the x axis.
        y: the label of the y axis.
        wide: whether the figure takes the page's width.
        style: Matplotlib's properties of lines, for all curves.
        decorate: changes the axes at the end.
    """
    with axes(7.2 if wide else 6.4, 3.6 if wide else 4.2) as ax:
        for (label, (xs, ys)), colour in zip(curves.items(), HUES * len(curves), strict=False):
            ax.plot(xs, ys, label=label, color=colour, **(style or {}))
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.set_ylim(bottom=0)
        if len(curves) > 1:
            ax.legend()
        decorate(ax)
        return save_plot(ax, plots, name)

"""Plots of bars."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weir.report.plot import HUES, Plot, axes, save_plot


def draw_bars(plots: Path, name: str, labels: Sequence[str], values: Sequence[float], axis: str) -> Plot:
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

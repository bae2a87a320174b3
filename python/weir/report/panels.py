"""Draws small multiples, which are panels with the same axes and one legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from weir.report.alike import show_all
from weir.report.curves import (
    LEGEND_ROW,
    Curve,
    draw_lines,
    empty_because,
    from_zero,
    legend_columns,
    meant_lines,
    whole_ticks,
)
from weir.report.plot import WIDE, Plot, axes_grid, save_plot

_HEIGHT: Final = 2.3
"""The height in inches of a row of panels."""


@dataclass(frozen=True)
class Panel:
    """A plot of small multiples, for one condition.

    Attributes:
        title: the condition that distinguishes this panel.
        curves: the panel's curves; curves with the same label look alike in all panels.
        decorate: a function that changes the axes of this panel at the end.
    """

    title: str
    curves: Sequence[Curve]
    decorate: Callable[[Axes], object] = lambda _: None


def draw_panels(
    plots: Path,
    name: str,
    panels: Sequence[Panel],
    *,
    x: str,
    y: str,
    columns: int | None = None,
    style: Mapping[str, Any] | None = None,
    decorate: Callable[[Axes], object] = lambda _: None,
    same_y: bool = True,
) -> Plot:
    """Draws a panel for each condition, with the same axes and one legend.

    Args:
        plots: the folder.
        name: the name of the file.
        panels: the panels, row by row.
        x: the label of the x axes.
        y: the label of the y axes.
        columns: the number of panels in a row; by default two or three.
        style: Matplotlib's properties of lines, for all curves; those of a curve take precedence.
        decorate: a function that changes the axes of each panel, before the panel's own function.
        same_y: whether all panels have the same range of y.
    """
    # A run without the points that a figure shows has no panels, and its plot is empty.
    panels = panels or [Panel("", [])]
    everything = [curve for panel in panels for curve in panel.curves]
    order = list(dict.fromkeys(curve.label for curve in everything))
    wide = columns or (len(panels) if len(panels) < 3 else 2 if len(panels) == 4 else 3)
    rows = -(-len(panels) // wide)
    legend_rows = -(-len(order) // legend_columns(order, True)) if len(order) > 1 else 0
    height = _HEIGHT * rows + LEGEND_ROW * legend_rows + 0.8
    with axes_grid(rows, wide, WIDE, height, same_y=same_y) as grid:
        line_by_label: dict[str, Line2D] = {}
        drawn = []
        for panel, ax in zip(panels, grid, strict=False):
            lines = draw_lines(ax, panel.curves, style, order)
            from_zero(ax, everything if same_y else panel.curves)
            whole_ticks(ax, everything)
            drawn.append(lines)
            for line in lines:
                line_by_label.setdefault(str(line.get_label()), line)
        for place, (panel, ax, lines) in enumerate(zip(panels, grid, drawn, strict=False)):
            decorate(ax)
            panel.decorate(ax)
            ax.set_title(panel.title)
            ax.set(xlabel="", ylabel="")
            ax.tick_params(labelbottom=place + wide >= len(panels), labelleft=place % wide == 0 or not same_y)
            show_all(ax, lines, meant_lines(panel.curves, style))
        for ax in grid[len(panels) :]:
            ax.remove()
        figure = grid[0].get_figure(root=True)
        assert figure is not None
        figure.supxlabel(x, fontsize=11)
        if rows == 1:
            # Beside the axes, whereas the figure's own label may reach into the legend.
            grid[0].set_ylabel(y)
        else:
            figure.supylabel(y, fontsize=11)
        if len(line_by_label) > 1:
            labels = [label for label in order if label in line_by_label]
            figure.legend(
                [line_by_label[label] for label in labels],
                labels,
                loc="outside upper left",
                ncols=legend_columns(labels, True),
            )
        return save_plot(grid[0], plots, name, empty=empty_because(everything))

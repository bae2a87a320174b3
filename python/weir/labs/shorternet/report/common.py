"""Names and plots that several parts of the report share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes

from weir.report import HUES, Plot, axes, save_plot

STACK_NAMES: Final = {"shorternet": "Shorternet", "standard": "Ethernet and IPv4"}
"""What the report calls the stacks."""


@dataclass(frozen=True)
class Curve:
    """A line of a plot.

    Attributes:
        label: in the legend.
        xs: values of x.
        ys: values of y.
        style: Matplotlib's properties of lines.
    """

    label: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    style: dict[str, Any] = field(default_factory=dict)


def draw(
    plots: Path,
    name: str,
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    decorate: Callable[[Axes], object] = lambda _: None,
) -> Plot:
    """Draws curves, linear from 0.

    Args:
        plots: the folder.
        name: of the file.
        curves: in the order of the legend.
        x: the label of the x axis.
        y: the label of the y axis.
        decorate: changes the axes at the end.
    """
    with axes(6.4, 4.2) as ax:
        for curve, colour in zip(curves, HUES * len(curves), strict=False):
            ys = [float("nan") if value is None else value for value in curve.ys]
            style = {"color": colour, "marker": "o", "markersize": 5, **curve.style}
            ax.plot(curve.xs, ys, label=curve.label, **style)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.set_ylim(bottom=0)
        ax.legend()
        decorate(ax)
        return save_plot(ax, plots, name)


def logarithmic(*which: str) -> Callable[[Axes], None]:
    """A decoration that makes axes logarithmic: ``x``, ``y`` or both."""

    def decorate(ax: Axes) -> None:
        if "x" in which:
            ax.set_xscale("log")
        if "y" in which:
            ax.set_ylim(auto=True)
            ax.set_yscale("log")

    return decorate


def bars(plots: Path, name: str, labels: Sequence[str], values: Sequence[float], axis: str) -> Plot:
    """Draws horizontal bars, the first one at the top.

    Args:
        plots: the folder.
        name: of the file.
        labels: of the bars.
        values: their lengths.
        axis: the label of the axis.
    """
    with axes(6.4, 4.2) as ax:
        ax.barh(labels, values, color=HUES[0])
        ax.invert_yaxis()
        ax.set_xlabel(axis)
        return save_plot(ax, plots, name)

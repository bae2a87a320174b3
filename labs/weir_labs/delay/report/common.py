"""Numbers, names and plots that several parts of the report share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from scipy.stats import linregress

from weir.report import HUES, Plot, axes, log_axis, save_plot

STYLES: Final[list[dict[str, Any]]] = [
    {"color": colour, "marker": marker, "markersize": 6}
    for colour, marker in zip(HUES, ("o", "s", "^", "D", "v", "P"), strict=True)
]
"""Colours and markers of lines, in their order."""

PUBLISHED: Final[dict[str, Any]] = {"linestyle": "none", "marker": "x", "markersize": 9, "markeredgewidth": 2}
"""How published numbers are drawn."""


@dataclass(frozen=True)
class Line:
    """A least-squares line a + b·x."""

    a: float
    b: float
    r2: float


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """The least-squares line through points with at least two different x."""
    found = linregress(xs, ys)
    return Line(float(found.intercept), float(found.slope), float(found.rvalue) ** 2)


def rate_name(rate: str) -> str:
    """A link rate for people: ``10kbit`` becomes ``10 kbit/s``."""
    if rate == "unlimited":
        return rate
    number = rate.rstrip("GMkbit")
    return f"{number} {rate.removeprefix(number)}/s"


def percent(value: float, reference: float, digits: int = 1) -> str:
    """The difference of a value from a reference, in per cent."""
    text = f"{100 * (value / reference - 1):+.{digits}f}"
    return f"{'0' if float(text) == 0 else text.replace('-', '−')} %"


def line_plot(
    plots: Path,
    name: str,
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    y: str,
    decorate: Callable[[Axes], object],
    published: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    wide: bool = False,
) -> Plot:
    """Draws lines by label, with published points as crosses in the colour of their line.

    Args:
        plots: the folder.
        name: the name of the file.
        lines: x and y of each line, by label.
        y: the label of the y axis.
        decorate: sets the x axis and other properties of the plot.
        published: points by the label of their line.
        wide: whether the figure takes the page's width.
    """
    with axes(7.2 if wide else 6.4, 4.2) as ax:
        for style, (label, (xs, ys)) in zip(STYLES, lines.items(), strict=False):
            ax.plot(xs, ys, label=label, **style)
            if published and label in published:
                marks = dict(PUBLISHED, color=style["color"])
                ax.plot(*published[label], **marks, label=f"{label}, thesis")
        decorate(ax)
        ax.set_ylabel(y)
        if ax.get_ylim()[0] > 0 and ax.get_yscale() == "linear":
            ax.set_ylim(bottom=0)
        ax.legend()
        return save_plot(ax, plots, name)


def transmissions_axis(ax: Axes, xs: Sequence[int], *, logarithmic: bool = False) -> None:
    """An axis of passes through the switch: X + 1, doubling from point to point."""
    ax.set_xscale("log", base=2)
    ax.set_xticks([x + 1 for x in xs], [str(x + 1) for x in xs])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("transmissions (X + 1 passes through the switch)")
    if logarithmic:
        log_axis(ax, "y")

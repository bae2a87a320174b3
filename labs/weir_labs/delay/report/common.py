"""Helpers for numbers, names and plots that several parts of the report use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from scipy.stats import linregress

from weir.report import HUES, Curve, log_axis

Lines = Mapping[str, tuple[Sequence[float], Sequence[float | None]]]
"""The x and y values of each line of a plot, by label."""

CROSSES: Final[dict[str, Any]] = {"linestyle": "none", "marker": "x", "markersize": 8, "markeredgewidth": 2}
"""The style in which plots show published numbers: crosses without lines."""


@dataclass(frozen=True)
class Line:
    """A least-squares line a + b·x, and r², the share of the variance that it explains."""

    a: float
    b: float
    r2: float


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """Fits a least-squares line through points with at least two different x."""
    found = linregress(xs, ys)
    return Line(float(found.intercept), float(found.slope), float(found.rvalue) ** 2)


def rate_name(rate: str) -> str:
    """Formats a link rate for the report, such as ``10 kbit/s`` for ``10kbit``."""
    if rate == "unlimited":
        return rate
    number = rate.rstrip("GMkbit")
    return f"{number} {rate.removeprefix(number)}/s"


def percent(value: float, reference: float, digits: int = 1) -> str:
    """Formats the difference of a value from a reference in per cent."""
    text = f"{100 * (value / reference - 1):+.{digits}f}"
    return f"{'0' if float(text) == 0 else text.replace('-', '−')} %"


def curves(lines: Lines, published: Lines | None = None) -> list[Curve]:
    """Converts lines by label to curves, with published points as crosses in the colour of their
    line."""
    found = []
    for place, (label, (xs, ys)) in enumerate(lines.items()):
        colour = {"color": HUES[place % len(HUES)]}
        found.append(Curve(label, xs, ys, colour))
        if published and label in published:
            found.append(Curve(f"{label}, thesis", *published[label], {**CROSSES, **colour}))
    return found


TRANSMISSIONS: Final = "transmissions (X + 1 passes)"
"""The label of an axis of passes through the switch."""


def transmissions_axis(ax: Axes, xs: Sequence[int], *, logarithmic: bool = False) -> None:
    """Configures an axis of passes through the switch (X + 1), whose points double."""
    ax.set_xscale("log", base=2)
    ax.set_xticks([x + 1 for x in xs], [str(x + 1) for x in xs])
    ax.xaxis.set_minor_locator(NullLocator())
    if logarithmic:
        log_axis(ax, "y")

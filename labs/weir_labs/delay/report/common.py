"""Helpers for numbers, names and plots that several parts of the report use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from weir.report import HUES, Curve, log_axis

Lines = Mapping[str, tuple[Sequence[float], Sequence[float | None]]]
"""The x and y values of each line of a plot, by label."""

CROSSES: Final[dict[str, Any]] = {"linestyle": "none", "marker": "x", "markersize": 8, "markeredgewidth": 2}
"""The style in which plots show published numbers: crosses without lines."""


@dataclass(frozen=True)
class Line:
    """A least-squares line a + b·x.

    Attributes:
        a: the value at x = 0.
        b: the slope.
        r2: r², the share of the variance that the line explains; ``None`` for fewer than three x,
            because a line goes through any two points.
    """

    a: float
    b: float
    r2: float | None

    def text(self, name: str) -> str:
        """Formats the line for a report, such as ``bmv2-vm 1.021 + 0.625·X ms``."""
        points = " (a line through two points)" if self.r2 is None and self.b else ""
        return f"{name} {self.a:.4g} + {self.b:.4g}·X ms{points}"


def fit_line(xs: Sequence[float], ys: Sequence[float | None]) -> Line | None:
    """Fits a least-squares line through points; returns ``None`` for fewer than two different x.

    Points without y are left out.
    """
    points = [(x, y) for x, y in zip(xs, ys, strict=True) if y is not None]
    different = len({x for x, _ in points})
    if different < 2:
        return None
    # Half of the time that commands need to load this lab goes to this module.
    from scipy.stats import linregress

    fitted = linregress([x for x, _ in points], [y for _, y in points])
    # r is not defined if all y are equal.
    r2 = float(fitted.rvalue) ** 2 if different > 2 and len({y for _, y in points}) > 1 else None
    return Line(float(fitted.intercept), float(fitted.slope), r2)


def percent(value: float, reference: float, digits: int = 1) -> str:
    """Formats the difference of a value from a reference in per cent."""
    text = f"{100 * (value / reference - 1):+.{digits}f}"
    return f"{'0' if float(text) == 0 else text.replace('-', '−')} %"


def curves(lines: Lines, published: Lines | None = None) -> list[Curve]:
    """Converts lines by label to curves, with published points as crosses in the colour of their
    line."""
    drawn = []
    for place, (label, (xs, ys)) in enumerate(lines.items()):
        colour = {"color": HUES[place % len(HUES)]}
        drawn.append(Curve(label, xs, ys, colour))
        if published and label in published:
            drawn.append(Curve(f"{label}, thesis", *published[label], {**CROSSES, **colour}))
    return drawn


TRANSMISSIONS: Final = "transmissions (X + 1 passes)"
"""The label of an axis of passes through the switch."""


def transmissions_axis(ax: Axes, xs: Sequence[int], *, logarithmic: bool = False) -> None:
    """Configures an axis of passes through the switch (X + 1), whose points double."""
    ax.set_xscale("log", base=2)
    ax.set_xticks([x + 1 for x in xs], [str(x + 1) for x in xs])
    ax.xaxis.set_minor_locator(NullLocator())
    if logarithmic:
        log_axis(ax, "y")

"""Dashes curves that cover earlier curves, so that all curves are visible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

_SAME_DISTANCE_POINTS: Final = 1.5
"""The distance in points within which two curves look the same."""

_COVERED_SHARE: Final = 0.5
"""The share of a curve's points that may be on another curve before the curve is dashed."""


def show_all(ax: Axes, lines: Sequence[Line2D], meant: Sequence[bool]) -> None:
    """Dashes curves that cover an earlier curve, so that both curves are visible.

    Call this function when scales and limits are final.

    Solid lines become dashed, except those whose line style has a meaning. If a curve is everywhere
    the same as an earlier one, its label says so.

    Args:
        ax: the axes.
        lines: the curves, in the order in which they were drawn.
        meant: for each curve, whether its line style has a meaning.
    """
    for place, line in enumerate(lines):
        shares = [(_share(ax, line, earlier), earlier) for earlier in lines[:place]]
        on = [(share, earlier) for share, earlier in shares if share > _COVERED_SHARE]
        if not on:
            continue
        _dash_covering_curve(line, len(on), dash=not meant[place])
        same = next((earlier for share, earlier in on if share == 1), None)
        if same is not None:
            line.set_label(f"{line.get_label()} (same as {_first_name(same)})")


def _share(ax: Axes, line: Line2D, other: Line2D) -> float:
    """Computes the share of a curve's points that are on another curve with the same x."""
    ours, other_points = (np.asarray(curve.get_xydata(), dtype=float) for curve in (line, other))
    if (
        ours.shape != other_points.shape
        or not len(ours)
        or not np.array_equal(ours[:, 0], other_points[:, 0])
    ):
        return 0.0
    heights, other_heights = (ax.transData.transform(points)[:, 1] for points in (ours, other_points))
    figure = ax.get_figure(root=True)
    assert figure is not None
    is_finite = np.isfinite(heights)
    if not is_finite.any() or not np.array_equal(is_finite, np.isfinite(other_heights)):
        return 0.0
    is_close = np.abs(heights - other_heights)[is_finite] * 72 / figure.dpi <= _SAME_DISTANCE_POINTS
    return float(is_close.mean())


def _dash_covering_curve(line: Line2D, below: int, *, dash: bool) -> None:
    """Dashes a curve and makes its markers hollow, depending on the number of curves below it."""
    if dash and line.get_linestyle() not in ("None", "none", "", " "):
        line.set_linestyle((3 * (below - 1), (4, 4)))
    if line.get_marker() not in ("None", "none", "", " ", None):
        line.set_markerfacecolor("none")
        line.set_markersize(line.get_markersize() + 3 * min(below, 2))


def _first_name(line: Line2D) -> str:
    return str(line.get_label()).partition(" (same as ")[0]

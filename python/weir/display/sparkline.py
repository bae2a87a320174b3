"""Draws a small plot of values over time without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import isnan

from weir.display.markup import escape
from weir.display.palette import ANY

_WIDTH, _HEIGHT = 420, 90
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 8, 10, 22
_MAX_BARS = 600
"""The maximum number of drawn points. If there are more, the smallest and largest value of each
part are drawn."""


def sparkline(xs: Sequence[float], ys: Sequence[float], x_unit: str, y_unit: str, what: str) -> str:
    """Draws a line through the points as SVG; returns an empty string if there are fewer than two
    known points.

    Args:
        xs: the x values, in ascending order.
        ys: a y value for each x value; NaN makes a gap.
        x_unit: the unit of ``xs``.
        y_unit: the unit of ``ys``.
        what: a description of the picture, for people who cannot see it.
    """
    numbers = [y for y in ys if y == y]
    if len(numbers) < 2 or xs[0] == xs[-1]:
        return ""
    points = _thinned_points(list(zip(xs, ys, strict=True)))
    low, high = min(0.0, min(numbers)), max(numbers)
    span = (high - low) or 1.0
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def place(x: float, y: float) -> str:
        across = _LEFT + width * (x - xs[0]) / (xs[-1] - xs[0])
        return f"{across:.1f},{_TOP + height * (high - y) / span:.1f}"

    # Each part is a line. A part with a single point ends where it starts, and its round ends make
    # it visible.
    parts = [
        [place(x, y) for x, y in part] for gap, part in groupby(points, lambda one: isnan(one[1])) if not gap
    ]
    path = "".join(f"M{'L'.join(part if len(part) > 1 else part * 2)}" for part in parts)
    base = _TOP + height
    axis = 'stroke="currentColor" stroke-opacity="0.35"'
    label = 'fill="currentColor" fill-opacity="0.8" font-size="11"'
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img" aria-label="{escape(what)}" style="max-width:100%;font-family:sans-serif;display:block">'
        f"<title>{escape(what)}</title>"
        f'<path d="M{_LEFT} {_TOP}V{base}H{_WIDTH - _RIGHT}" fill="none" {axis}/>'
        f'<path d="{path}" fill="none" stroke="{ANY["blue"]}" stroke-width="1.6" stroke-linejoin="round" '
        'stroke-linecap="round"/>'
        f'<text x="{_LEFT - 5}" y="{_TOP + 4}" text-anchor="end" {label}>{escape(_number(high, y_unit))}</text>'
        f'<text x="{_LEFT - 5}" y="{base}" text-anchor="end" {label}>{escape(_number(low, ""))}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}" {label}>{escape(_number(xs[0], x_unit))}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 6}" text-anchor="end" {label}>{escape(_number(xs[-1], x_unit))}</text>'
        "</svg>"
    )


def _number(value: float, unit: str) -> str:
    return f"{value:.4g} {unit}".rstrip()


def _thinned_points(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) <= _MAX_BARS:
        return points
    step = -(-len(points) // (_MAX_BARS // 2))
    thinned = []
    for start in range(0, len(points), step):
        part = points[start : start + step]
        numbers = [point for point in part if not isnan(point[1])]
        ends = (
            {min(numbers, key=lambda point: point[1]), max(numbers, key=lambda point: point[1])}
            if numbers
            else ()
        )
        gaps = [point for point in part if isnan(point[1])][:1]
        thinned += sorted((*ends, *gaps), key=lambda point: point[0])
    return thinned

"""Plots and tables of reports: curves, logarithmic axes, columns."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from matplotlib.axes import Axes

from weir.report import HUES, Curve, Table, draw_curves, logarithmic


def labels(ax: Axes, name: str) -> list[str]:
    """The labels of an axis that are inside its limits."""
    axis = ax.xaxis if name == "x" else ax.yaxis
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        tick.label1.get_text() for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_text()
    ]


@pytest.mark.parametrize("ys", [[3.0, 50.0, None, 9000.0], [4.3, 4.4, None, 4.6]])
def test_logarithmic_axes_have_plain_numbers(ys: list[float | None], tmp_path: Path) -> None:
    seen: dict[str, list[str]] = {}

    def look(ax: Axes) -> None:
        logarithmic("x", "y")(ax)
        figure = ax.get_figure()
        assert figure is not None
        figure.canvas.draw()
        seen.update({name: labels(ax, name) for name in "xy"})

    curve = Curve("measured", [60, 300, 1500, 9000], ys)
    plot = draw_curves(tmp_path, "log", [curve], x="bytes", y="ms", decorate=look)
    assert plot.png is not None and plot.png.read_bytes().startswith(b"\x89PNG")
    assert {"100", "200", "500", "1000", "2000", "5000"} <= set(seen["x"])
    assert len(seen["y"]) >= 2 and all(float(text) > 0 for name in "xy" for text in seen[name])


def test_curves_differ_and_several_have_a_legend(tmp_path: Path) -> None:
    drawn: list[tuple[object, object]] = []
    legends: list[bool] = []

    def look(ax: Axes) -> None:
        drawn.extend((line.get_color(), line.get_linestyle()) for line in ax.lines)
        legends.append(ax.get_legend() is not None)

    curves = [Curve(f"{place}", [0, 1], [place, place + 1]) for place in range(len(HUES) + 2)]
    draw_curves(tmp_path, "many", curves, x="x", y="y", wide=True, decorate=look)
    assert len(set(drawn)) == len(curves)
    draw_curves(tmp_path, "one", curves[:1], x="x", y="y", style={"color": "black"}, decorate=look)
    assert legends == [True, False] and drawn[-1][0] == "black"


def test_columns_of_a_data_frame_are_curves(tmp_path: Path) -> None:
    rows = polars.DataFrame({"x": [1, 2, 3, 4], "y": [0.5, None, 2.5, 1.0]})
    columns, lists = Curve("same", rows["x"], rows["y"]), Curve("same", [1, 2, 3, 4], [0.5, None, 2.5, 1.0])
    one, other = (
        draw_curves(tmp_path, name, [curve], x="x", y="y")
        for name, curve in (("one", columns), ("other", lists))
    )
    assert one.svg.read_bytes() == other.svg.read_bytes()


@pytest.mark.parametrize("ys", [[12.5], [12.5, 12.4], [0.0, 0.0], [None, 3.0, float("nan")]])
def test_points_of_the_same_height_do_not_touch_the_edge(ys: list[float | None], tmp_path: Path) -> None:
    seen: list[tuple[float, float]] = []
    curve = Curve("measured", range(len(ys)), ys)
    draw_curves(tmp_path, "flat", [curve], x="x", y="y", decorate=lambda ax: seen.append(ax.get_ylim()))
    highest = max(value for value in ys if value is not None and value == value)
    (bottom, top) = seen[0]
    assert bottom == 0 and top > 1.04 * highest


def test_tables_are_made_from_columns() -> None:
    rows = [
        {"name": "a", "ms": 1.26, "share": 0.5, "n": 1234},
        {"name": "b", "ms": None, "share": 2.0, "n": 5},
    ]
    table = Table.from_rows(
        rows,
        [
            ("name", "name"),
            ("time (ms)", "ms", 1),
            ("share", "share", "g"),
            ("runs", "n", ","),
            ("half", lambda row: f"{row['n'] // 2}"),
        ],
        "Two rows.",
        words=(0,),
        marked=(1,),
    )
    assert table == Table(
        ["name", "time (ms)", "share", "runs", "half"],
        [["a", "1.3", "0.5", "1,234", "617"], ["b", "–", "2", "5", "2"]],
        "Two rows.",
        words=(0,),
        marked=(1,),
    )

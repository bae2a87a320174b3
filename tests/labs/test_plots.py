"""Plots and tables of reports: curves, logarithmic axes, columns."""

from __future__ import annotations

import re
from pathlib import Path

import polars
import pytest
from matplotlib.axes import Axes

from weir.report import (
    HUES,
    Curve,
    Panel,
    Table,
    axes,
    draw_curves,
    draw_panels,
    log_axis,
    logarithmic,
    save_plot,
)

ROOT = Path(__file__).resolve().parents[2]


def labels(ax: Axes, name: str) -> list[str]:
    """The labels of an axis that are inside its limits."""
    axis = ax.xaxis if name == "x" else ax.yaxis
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        tick.label1.get_text() for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_text()
    ]


@pytest.mark.parametrize("ys", [[3.0, 50.0, None, 9000.0], [4.3, 6.0, None, 9.6]])
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
    texts = [text.replace("\u202f", "") for name in "xy" for text in seen[name]]
    assert len(seen["y"]) >= 2 and all(float(text) > 0 for text in texts)


def test_a_short_logarithmic_axis_stays_linear(tmp_path: Path) -> None:
    seen: list[Axes] = []

    def look(ax: Axes) -> None:
        logarithmic("y")(ax)
        seen.append(ax)

    draw_curves(tmp_path, "log", [Curve("a", [1, 2], [4.3, 4.6])], x="x", y="ms", decorate=look)
    assert seen[0].get_yscale() == "linear" and seen[0].get_ylim()[0] == 0


def test_an_empty_axis_becomes_logarithmic() -> None:
    with axes() as ax:
        log_axis(ax, "y")
        assert ax.get_yscale() == "log"


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [None, None]])
def test_a_logarithmic_axis_without_values_can_be_drawn(values: list[float | None], tmp_path: Path) -> None:
    xs = [0] * len(values)
    plot = draw_curves(
        tmp_path, "log", [Curve("a", xs, values)], x="x", y="y", decorate=logarithmic("x", "y")
    )
    assert plot.empty and plot.png is not None and plot.png.exists()


def test_whole_numbers_have_whole_ticks(tmp_path: Path) -> None:
    seen: list[Axes] = []
    for name, xs in (("whole", [1, 3]), ("other", [1, 2.5])):
        draw_curves(tmp_path, name, [Curve("a", xs, [0.5, 0.7])], x="x", y="y", decorate=seen.append)
    whole, other = ({*map(float, ax.get_xticks())} for ax in seen)
    assert all(tick == int(tick) for tick in whole) and not all(tick == int(tick) for tick in other)


def test_small_points_are_visible_in_the_legend(tmp_path: Path) -> None:
    seen: list[Axes] = []
    curves = [Curve(name, [1, 2], [1, 2], {"marker": ".", "markersize": 1}) for name in "ab"]
    draw_curves(tmp_path, "small", curves, x="x", y="y", decorate=seen.append)
    legend = seen[0].get_legend()
    assert legend is not None
    # Matplotlib draws the marker "." at half of its size.
    assert [handle.get_markersize() for handle in legend.legend_handles] == [10.0, 10.0]


def test_ticks_have_separated_thousands_and_bars_their_words(tmp_path: Path) -> None:
    with axes() as ax:
        ax.barh(["fragment", "options"], [145_000, 290_000])
        save_plot(ax, tmp_path, "bars")
        assert "100\u202f000" in labels(ax, "x")
        assert {"fragment", "options"} <= set(labels(ax, "y"))


def test_curves_differ_and_several_have_a_legend(tmp_path: Path) -> None:
    drawn: list[tuple[object, object]] = []
    plots: list[Axes] = []

    def look(ax: Axes) -> None:
        drawn.extend((line.get_color(), line.get_linestyle()) for line in ax.lines)
        plots.append(ax)

    curves = [Curve(f"{place}", [0, 1], [place, place + 1]) for place in range(len(HUES) + 2)]
    draw_curves(tmp_path, "many", curves, x="x", y="y", wide=True, decorate=look)
    assert len(set(drawn)) == len(curves)
    draw_curves(tmp_path, "one", curves[:1], x="x", y="y", style={"color": "black"}, decorate=look)
    assert [ax.get_legend() is not None for ax in plots] == [True, False] and drawn[-1][0] == "black"


def test_curves_that_lie_on_one_another_can_be_told_apart(tmp_path: Path) -> None:
    seen: list[Axes] = []
    curves = [
        Curve("sent", [1, 2, 3], [10.0, 20.0, 30.0]),
        Curve("received", [1, 2, 3], [10.0, 20.01, 30.0]),
        Curve("half", [1, 2, 3], [10.0, 20.0, 15.0]),
        Curve("other", [1, 2, 3], [5.0, 6.0, 7.0]),
    ]
    draw_curves(tmp_path, "same", curves, x="x", y="y", decorate=seen.append)
    names = [text.get_text() for text in seen[0].get_legend().get_texts()]
    assert names == ["sent", "received (same as sent)", "half", "other"]
    sent, received, half, other = seen[0].lines
    assert sent.get_linestyle() == other.get_linestyle() == "-" and received.get_linestyle() == "--"
    assert received.get_markersize() > sent.get_markersize()
    assert half.get_linestyle() == "--"  # Two of its three points are on another curve.


def test_on_a_logarithmic_axis_small_values_are_not_alike(tmp_path: Path) -> None:
    seen: list[Axes] = []

    def look(ax: Axes) -> None:
        logarithmic("y")(ax)
        seen.append(ax)

    curves = [Curve("a", [1, 2], [0.1, 4000.0]), Curve("b", [1, 2], [0.2, 4000.0])]
    draw_curves(tmp_path, "log", curves, x="x", y="y", decorate=look)
    assert [line.get_label() for line in seen[0].lines] == ["a", "b"]


def test_panels_share_axes_colours_and_one_legend(tmp_path: Path) -> None:
    seen: list[Axes] = []
    panels = [
        Panel("first", [Curve("a", [1, 2], [1, 2]), Curve("b", [1, 2], [2, 1])]),
        Panel("second", [Curve("b", [1, 2], [40, 30])], lambda ax: ax.axhline(7)),
        Panel("third", [Curve("a", [1, 2], [0, 0])]),
        Panel("fourth", []),
    ]
    plot = draw_panels(tmp_path, "panels", panels, x="time in s", y="rate", decorate=seen.append)
    first, second, _, fourth = seen
    figure = first.get_figure()
    assert figure is not None and len(figure.legends) == 1 and not plot.empty
    assert first.lines[1].get_color() == second.lines[0].get_color() != first.lines[0].get_color()
    assert first.get_ylim() == second.get_ylim() == fourth.get_ylim() and second.get_ylim()[1] > 40
    assert len(second.lines) == 2 and [ax.get_title(loc="left") for ax in seen][1] == "second"
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("time in s", "rate")
    apart = draw_panels(tmp_path, "apart", panels[:2], x="x", y="y", same_y=False, decorate=seen.append)
    assert seen[-2].get_ylim() != seen[-1].get_ylim() and apart.svg.is_file()
    assert draw_panels(tmp_path, "nothing", [panels[2]], x="x", y="y").empty == "all values are 0"


LITERAL = re.compile(r"""\b(?:color|colour|ecolor|facecolor|c)=["'](?!none["'])""")


def test_colours_come_from_the_palette() -> None:
    """Colours of its own would be lost on dark pages, or for readers who do not see them."""
    sources = [*ROOT.glob("labs/weir_labs/*/report/*.py"), *ROOT.glob("python/weir/examples/*/run.py")]
    sources += [*ROOT.glob("python/weir/report/*.py"), *ROOT.glob("python/weir/experiments/*.py")]
    colours = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        for line in path.read_text().splitlines()
        if LITERAL.search(line) and '"figure.' not in line
    ]
    assert len(sources) > 80 and not colours
    assert LITERAL.search('ax.plot(xs, color="0.7")')


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

"""The page of a report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import needed
from look_at_reports import chromium
from weir.report import Curve, Figure, Page, Plot, Section, Table, draw_bars, draw_curves
from weir.report.dark import follow_colour_scheme


def test_figures_come_before_tables_and_contents_name_the_sections(tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    picture.write_text("<svg xmlns='http://www.w3.org/2000/svg'></svg>")
    results = Section(
        "Results & more", tables=[Table(["x"], [["1"]])], figures=[Figure(Plot(picture), "A curve.")]
    )

    def page(sections: list[Section]) -> str:
        path = tmp_path / "report.html"
        Page("A question?", "An answer.", [], sections).write(path)
        return path.read_text()

    text = page([results, *(Section(name) for name in ("Two", "Three", "Four"))])
    assert text.index("<figure>") < text.index("<tbody>")
    assert '<a href="#section-1">Results &amp; more</a>' in text
    assert '<section id="section-4">' in text
    assert "<nav" not in page([results])


@pytest.mark.parametrize(
    ("ys", "why"), [([0.0, 0.0], "all values are 0"), ([None, float("nan")], "there are no values")]
)
def test_empty_plots_are_left_out(ys: list[float | None], why: str, tmp_path: Path) -> None:
    full = draw_curves(tmp_path, "full", [Curve("a", [1, 2], [0, 1])], x="x", y="y")
    empty = draw_curves(tmp_path, "empty", [Curve("a", [1, 2], ys)], x="x", y="y")
    bars = draw_bars(tmp_path, "bars", ["a"], [0], "packets")
    figures = [Figure(full, "Rises."), Figure(empty, "Lost packets."), Figure(bars, "Refused packets.")]
    Page("Q?", "A.", [], [Section("Results", figures=figures)]).write(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("<img ") == 1 and "<figcaption>Rises.</figcaption>" in page
    assert f"<li>No figure, because {why}: Lost packets.</li>" in page
    assert "<li>No figure, because all values are 0: Refused packets.</li>" in page


def test_tables_without_rows_are_left_out(tmp_path: Path) -> None:
    full, empty = Table(["x"], [["1"]], "Full."), Table(["x"], [], "Empty.")
    sections = [Section("Both", tables=[full, empty]), Section("None", tables=[empty]), Section("Heading")]
    Page("Q?", "A.", [], sections).write(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("<table") == 1 and "Empty." not in page
    assert "<h2>None</h2>" not in page and "<h2>Heading</h2>" in page


def test_plots_have_the_colours_of_the_page(tmp_path: Path) -> None:
    """Nothing of a plot keeps a colour that is lost on a dark ground."""
    plot = draw_curves(
        tmp_path, "plot", [Curve(f"{name}", [1, 2], [name, name + 1]) for name in range(8)], x="x", y="y"
    )
    svg = follow_colour_scheme(plot.svg.read_text())
    drawing = svg[svg.index("</style>") :]
    assert re.findall(r"(?:fill|stroke): (\S+?)[;\"]", drawing).count("var(--blue)") > 2
    assert not re.findall(r"(?:fill|stroke): *#\w+", drawing)
    assert "prefers-color-scheme:dark" in svg


def test_a_phone_shows_whole_figures_which_a_tap_enlarges(tmp_path: Path) -> None:
    needed.need("chromium")
    curve = draw_curves(tmp_path, "curve", [Curve("a", [1, 2], [0, 1])], x="x", y="y", wide=True)
    page = tmp_path / "report.html"
    Page("Q?", "A.", [], [Section("Results", figures=[Figure(curve, "Rises.", wide=True)])]).write(page)
    with chromium() as browser:
        problems = browser.open(page, 390, "light")
        assert problems["cut"] == [] and problems["figures"] == 1
        widths = "(() => { const plot = document.querySelector('.plot'); plot.focus(); return plot.scrollWidth })()"
        value = browser.call("Runtime.evaluate", expression=widths, returnByValue=True)["result"]["value"]
    assert value > 600

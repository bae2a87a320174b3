"""The page of a report."""

from __future__ import annotations

from pathlib import Path

from weir.report import Figure, Page, Plot, Section, Table


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

"""Hostile results in a real browser: a report full of hostile texts runs none of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
import weir
from look_at_reports import Chromium, chromium
from test_hostile_results import EVIL, leaves, sealed_again, study, whole
from weir.experiments import Result
from weir.experiments.stored import read_declaration, read_record, write_declaration, write_record

__all__ = ["study", "whole"]

SEEN = """({
    stolen: window.stolen === true,
    scripts: document.scripts.length,
    foreign: document.querySelectorAll('img[src="x"], [onerror], iframe, object, embed, form').length,
    text: document.body.innerText.includes('steal()'),
    contents: document.querySelectorAll('nav a').length,
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    needed.need("chromium", required="WEIR_REQUIRE_CHROMIUM")
    with chromium() as opened:
        # `stolen` is the mark of a script or a handler that ran.
        opened.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.stolen = false; window.steal = () => { window.stolen = true; };",
        )
        yield opened


def seen(browser: Chromium, page: Path) -> dict[str, object]:
    browser.open(page, 1200, "light")
    result: dict[str, object] = browser.call("Runtime.evaluate", expression=SEEN, returnByValue=True)[
        "result"
    ]["value"]
    return result


def with_hostile_texts(folder: Path) -> int:
    """Puts a hostile text into each place that still allows a report; returns their number."""
    declaration = read_declaration(folder / "experiment.json")
    places = 0
    for name, read, write in (
        ("experiment.json", read_declaration, write_declaration),
        *((f"runs/{key}.json", read_record, write_record) for key in declaration["runs"]),
    ):
        path = folder / name
        for place in list(leaves(read(path))):
            before = read(path)
            if place[0] in ("files", "runs", "parameters", "names", "values") or place[-1] == "key":
                continue
            now = read(path)
            at = now
            for step in place[:-1]:
                at = at[step]
            at[place[-1]] = EVIL
            write(path, now)
            sealed_again(folder, read_declaration(folder / "experiment.json"))
            try:
                Result.load(folder)
                places += 1
            except weir.WeirError:
                write(path, before)
                sealed_again(folder, read_declaration(folder / "experiment.json"))
    return places


def test_a_report_full_of_hostile_texts_runs_nothing(
    browser: Chromium, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    assert with_hostile_texts(folder) >= 8
    page = Result.load(folder).report(tmp_path / "report.html")
    state = seen(browser, page)
    assert state == {"stolen": False, "scripts": 1, "foreign": 0, "text": True, "contents": state["contents"]}
    # The page's own script has filled the contents, so the policy allows it.
    assert state["contents"]


def test_the_policy_stops_what_escaping_would_miss(browser: Chromium, whole: Path, tmp_path: Path) -> None:
    text = Result.load(whole).report(tmp_path / "report.html").read_text(encoding="utf-8")
    raw = text.replace("<main", "<script>steal()</script><img src=x onerror=steal()><main", 1)
    assert raw != text
    for name, page, stolen in (
        ("policy", raw, False),
        ("none", raw.replace("Content-Security-Policy", "None"), True),
    ):
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        state = seen(browser, path)
        assert state["foreign"], "the browser has read the elements"
        assert state["stolen"] is stolen

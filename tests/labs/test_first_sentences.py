"""The first sentence of a report never states a fitted number, whichever experiment comes first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_premises import LABS, results

from weir.lab import Arithmetic, Fitted, Tables, load_lab
from weir.lab.compared import compare
from weir.report import plot as plots_of_reports


def first_sentence(answer: str) -> str:
    return re.split(r"(?<=[.!?]) (?=[A-Z])", answer, maxsplit=1)[0]


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", text))


@pytest.mark.parametrize("lab", LABS)
def test_the_first_sentence_is_no_fitted_identity(
    lab: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list(results(lab, request))
    # Pictures take most of the time, and their content does not matter here.
    monkeypatch.setattr(plots_of_reports, "save_as", lambda ax, path, **options: path)
    published = load_lab(lab).published
    for part, source in made:
        first = first_sentence(part.report(Tables(source), tmp_path).answer)
        assert not re.search(r"\((both )?fitted\)|\b(is|are|was|were) fitted\b", first), part.name
        # A number that follows from sizes and rates shows as little as one that was fitted.
        set_before = [
            one
            for one in published
            if isinstance(one.ours, Fitted | Arithmetic) and one.ours.part in ("", part.name)
        ]
        values = {one.value for one in compare(set_before, {part.name: Tables(source)})}
        values |= {one.value for one in set_before}
        sentences = {
            text
            for value in values
            if isinstance(value, float) and value % 1
            for text in (f"{value:g}", *(f"{value:.{digits}f}" for digits in (1, 2, 3)))
            # 0.9999 and 1.00 have nothing in common.
            if float(text) % 1
        }
        assert not numbers(first) & sentences, f"{part.name}: {first}"


def test_a_fitted_first_sentence_is_found() -> None:
    answer = "A round trip takes 0.97 ms (fitted). A line goes through all of them."
    assert first_sentence(answer) == "A round trip takes 0.97 ms (fitted)."
    assert numbers("0.97 ms and 16.1 at X = 7") == {"0.97", "16.1", "7"}

"""Published numbers next to ours: declarations, verdicts, tables, and the page of all labs."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from weir.cli.app import app
from weir.errors import WeirError
from weir.lab import (
    Arithmetic,
    Compared,
    Fitted,
    NoValue,
    Predicted,
    Published,
    Tables,
    lab_folders,
    load_lab,
    run_lab,
)
from weir.lab.compared import KINDS, compare, judge
from weir.lab.published_report import cells, count, counts_line

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "build"))

import published as page_of_all  # noqa: E402

EXPECTED: dict[str, dict[str, int]] = {
    "Fathi 2024": {
        "round trips without recirculation": 8,
        "round trips without recirculation, theory": 20,
        "round trips by recirculations": 47,
        "a sample of pings": 10,
        "UDP throughput": 15,
        "TCP throughput": 2,
        "two switches: round trips": 10,
        "two switches: TCP": 7,
    },
    "Claeson and Kruse 2021": {
        "INT": 3,
        "INT, argued": 1,
        "INT design": 4,
        "INT test 1": 16,
        "INT test 2": 8,
        "Shorternet": 2,
        "Shorternet design": 5,
        "Shorternet early tests": 2,
        "Shorternet effective bandwidth": 12,
        "Shorternet example": 2,
        "Shorternet jitter": 4,
        "Shorternet latency": 5,
        "Shorternet loss": 4,
        "firewall": 5,
    },
    "University of Macedonia 2020": {
        "queue occupancy": 4,
        "load balancing": 14,
        "telemetry inside the network": 49,
    },
    "Pimparkar 2023": {
        "throughput": 4,
        "CPU": 2,
        "CPU and energy": 1,
        "energy": 2,
        "memory": 4,
        "throughput and resources": 2,
    },
    "Kfoury and others": {
        "pacing": 3,
        "scenario 1": 2,
        "scenario 1 compared with 2": 1,
        "scenario 2": 107,
    },
}
"""How many numbers of their own the publications have, by experiment: each must be declared."""

CITED = {"Fathi 2024": 1, "Claeson and Kruse 2021": 14, "Pimparkar 2023": 7, "Kfoury and others": 3}
"""How many results of others they cite."""


def number(ours: Any, value: float | str = 10.0, **more: Any) -> Published:
    return Published(
        ids=("a.b",),
        publication="Someone 2020",
        place="Table 1",
        experiment="an experiment",
        quantity="throughput",
        value=value,
        unit="" if isinstance(value, str) else "Mbit/s",
        ours=ours,
        **more,
    )


def predicted(value: Any, **bound: Any) -> Any:
    return Predicted(part="product", value=lambda tables: value, **bound)


TABLES: dict[str, Any] = {"product": None}


@pytest.mark.parametrize(
    ("ours", "value", "kind"),
    [
        (predicted(10.5, relative=0.05), 10.0, "predicted"),
        (predicted(10.51, relative=0.05), 10.0, "missed"),
        (predicted(9.0, absolute=1), 10.0, "predicted"),
        (predicted(8.99, absolute=1), 10.0, "missed"),
        (predicted(True), "it falls", "predicted"),
        (predicted(False), "it falls", "missed"),
        (predicted(None), "it falls", "not run"),
        (Predicted(part="words", value=lambda tables: 1.0, relative=0.1), 10.0, "not run"),
        (Arithmetic(value=10, absolute=0), 10.0, "arithmetic"),
        (Arithmetic(value=9, absolute=0.5), 10.0, "missed"),
        (Fitted(parameter="rate", part="product", value=lambda tables: 10.0), 10.0, "fitted"),
        # A fitted number confirms nothing, however close it is, and refutes nothing, however far
        # away it is.
        (Fitted(parameter="rate", part="product", value=lambda tables: 99.0), 10.0, "fitted"),
        (NoValue(reason="the figure is lost"), 10.0, "no value"),
    ],
)
def test_the_kind_of_a_number_is_computed(ours: Any, value: Any, kind: str) -> None:
    (compared,) = compare([number(ours, value)], TABLES)
    assert compared.kind == kind


@pytest.mark.parametrize(
    ("ours", "value", "message"),
    [
        (lambda: predicted(1.0), 10.0, "a.b: expected relative or absolute"),
        (lambda: predicted(1.0, relative=0.1, absolute=1), 10.0, "expected relative or absolute"),
        (lambda: predicted(True, relative=0.1), "it falls", "a relation has no bound"),
        (lambda: predicted(1.0), "it falls", "the lab's value of a.b is 1.0, expected true or false"),
        (lambda: predicted(True, absolute=1), 10.0, "the lab's value of a.b is True, expected a number"),
        (lambda: Predicted(part="product", value=lambda t: t.x, absolute=1), 10.0, "no value of a.b"),
    ],
)
def test_a_wrong_declaration_is_refused(ours: Any, value: Any, message: str) -> None:
    with pytest.raises(WeirError, match=message):
        compare([number(ours(), value)], TABLES)


def test_a_row_says_how_ours_comes_about() -> None:
    because = "links differ"
    missed = judge(number(predicted(None, relative=0.1, because=because), note="unclear"), 12.0)
    assert cells(missed) == [
        "throughput", "10 Mbit/s", "12", "+20.0 %", "10 %", "missed", "Table 1", "links differ; unclear",
    ]  # fmt: skip
    assert judge(number(predicted(None, relative=0.1, because=because)), 10.0).remark == ""
    assert judge(number(predicted(None, relative=0.1)), 12.0).remark == "not explained"
    fitted = judge(number(Fitted(parameter="rate", part="", value=lambda t: None)), 10.0)
    assert (fitted.remark, cells(fitted)[3]) == ("sets the rate", "0 %")
    relation = judge(number(predicted(None), "it falls"), True)
    assert cells(relation)[1:5] == ["it falls", "holds", "–", "–"]
    zero = judge(number(predicted(None, absolute=1), 0.0, own=False), 0.5)
    assert cells(zero)[3:6] == ["+0.5 Mbit/s", "1 Mbit/s", "predicted (others' result)"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1.0, "bytes", "1 byte"), (1.0, "entries", "1 entry"), (2.0, "bytes", "2 bytes"), (1.0, "ms", "1 ms")],
)
def test_one_is_not_followed_by_a_plural(value: float, unit: str, text: str) -> None:
    one = number(predicted(None, absolute=1), value)
    row = cells(judge(dataclasses.replace(one, unit=unit), value))
    assert row[1] == text and row[4] == text.replace("2", "1").replace("1 bytes", "1 byte")


def test_a_group_counts_each_of_its_numbers() -> None:
    group = Published(
        ids=("a", "b", "c"),
        publication="Someone 2020",
        place="Figure 1",
        experiment="a capture",
        quantity="times",
        value="digits of a screenshot",
        ours=NoValue(reason="not dependable"),
    )
    assert count([judge(group, None)]) == 3 and counts_line([judge(group, None)]).endswith(": 3 no value")
    with pytest.raises(WeirError, match="expected a sequence of names"):
        Published(
            ids="abc", publication="", place="", experiment="", quantity="", value=1, ours=NoValue(reason="")
        )


def test_a_report_has_the_numbers_by_code(repeating: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = run_lab(str(repeating), out, workers=1, only=["product"])
    assert [one.kind for one in outcome.published] == ["predicted", "missed", "fitted", "not run"]
    page = (out / "report.html").read_text()
    assert "4 published numbers: 1 predicted, 1 missed, 1 fitted, 1 not run" in page
    assert "&lt;reason&gt;" in page and "sets the factor" in page
    # The warning comes before everything that the lab's own code writes.
    assert page.index("Published numbers and the lab&#39;s values: Someone 2020") < page.index(
        "How it was measured"
    )
    with (out / "published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["ours"], row["kind"]) for row in rows] == [
        ("met", "12", "predicted"), ("off", "12", "missed"), ("set", "12", "fitted"), ("words", "", "not run"),
    ]  # fmt: skip
    # The words run too, into the same folder.
    assert run_lab(str(repeating), out, workers=1, only=["words"]).published[-1].kind == "predicted"


def test_numbers_of_parts_that_failed_are_not_run(repeating: Path, tmp_path: Path) -> None:
    outcome = run_lab(str(repeating), tmp_path / "out", workers=1, values={"word": ["a", "c"]})
    assert outcome.failures and outcome.published[-1].kind == "not run"


def test_the_command_counts_published_numbers(repeating: Path, tmp_path: Path) -> None:
    command = ["lab", "run", str(repeating), "--out", str(tmp_path / "out"), "--only", "product", "--quiet"]
    ended = CliRunner().invoke(app, command)
    assert not ended.exit_code
    assert "4 published numbers: 1 predicted, 1 missed, 1 fitted, 1 not run" in ended.output


def test_a_mean_is_that_of_one_point(tmp_path: Path) -> None:
    pl.DataFrame(
        {"run": [0, 1, 2], "x": [1, 1, 2], "y": [1, 1, 1], "repetition": [0, 1, 0], "v": [1, 3, 7]}
    ).with_columns(w=pl.Series([None, None, 2.0])).write_parquet(tmp_path / "runs.parquet")
    tables = Tables(tmp_path)
    assert tables.mean("v", x=1) == 2 and tables.mean("v", x=2, y=1) == 7 and tables.mean("w", x=2) == 2
    nothing = [
        tables.mean("v", y=1),
        tables.mean("v", x=3),
        tables.mean("w", x=1),
        tables.mean("u", x=1),
        tables.mean("v", x=1, z=1),
    ]
    assert nothing == [None] * 5


def test_a_mean_of_the_only_point_needs_no_conditions(tmp_path: Path) -> None:
    rows = pl.DataFrame({"run": [0, 1], "x": [1, 1], "repetition": [0, 1], "v": [1, 3]})
    rows.write_parquet(tmp_path / "runs.parquet")
    assert Tables(tmp_path).mean("v") == 2
    rows.with_columns(x=pl.Series([1, 2])).write_parquet(tmp_path / "runs.parquet")
    assert Tables(tmp_path).mean("v") is None


def test_a_point_without_spread_has_no_interval(tmp_path: Path) -> None:
    pl.DataFrame(
        {"run": [0, 1, 2], "x": [1, 1, 1], "repetition": [0, 1, 2], "v": [0.1] * 3, "w": [0.1, 0.1, 0.2]}
    ).write_parquet(tmp_path / "runs.parquet")
    (row,) = Tables(tmp_path).points("x").to_dicts()
    assert row["v_half"] is None and row["w_half"] > 0


# The labs' own declarations.


@pytest.fixture(scope="module")
def all_numbers() -> list[Compared]:
    return [one for _, one in page_of_all.numbers()]


@pytest.mark.parametrize("publication", EXPECTED)
def test_all_numbers_of_a_publication_are_declared(publication: str, all_numbers: list[Compared]) -> None:
    mine = [one for one in all_numbers if one.number.publication == publication]
    counts: Counter[str] = Counter()
    for one in mine:
        if one.number.own:
            counts[one.number.experiment] += len(one.number.ids)
    assert dict(counts) == EXPECTED[publication]
    assert count(one for one in mine if not one.number.own) == CITED.get(publication, 0)


def test_the_publications_have_412_numbers() -> None:
    own = sum(many for experiments in EXPECTED.values() for many in experiments.values())
    assert (own, own + sum(CITED.values())) == (387, 412)


def test_every_number_is_declared_once(all_numbers: list[Compared]) -> None:
    counts = Counter(name for one in all_numbers for name in one.number.ids)
    assert [name for name, many in counts.items() if many > 1] == []
    assert {one.number.publication for one in all_numbers} <= set(EXPECTED)


def test_no_fitted_number_is_confirmed(all_numbers: list[Compared]) -> None:
    fitted = [one for one in all_numbers if isinstance(one.number.ours, Fitted)]
    assert {one.kind for one in fitted} <= {"fitted", "not run"}
    assert not {"confirmed", "reproduced"} & set(KINDS)


@pytest.mark.parametrize("name", lab_folders())
def test_numbers_name_parts_of_their_lab(name: str) -> None:
    lab = load_lab(name)
    parts = {part.name for part in lab.parts}
    for one in lab.published:
        if not isinstance(one.ours, NoValue) and callable(one.ours.value):
            assert one.ours.part in parts, one.name


@pytest.mark.parametrize("name", lab_folders())
def test_each_declared_number_has_a_stored_value(name: str) -> None:
    declared = {
        name for one in load_lab(name).published if not isinstance(one.ours, NoValue) for name in one.ids
    }
    stored = set(page_of_all.values(name))
    # A lab that measures a computer may lack values.
    assert stored <= declared if load_lab(name).real else stored == declared


def test_the_page_is_that_of_the_kept_values() -> None:
    expected = page_of_all.page(page_of_all.numbers())
    assert page_of_all.PAGE.read_text(encoding="utf-8") == expected, (
        "python docs/build/published.py writes it"
    )


RESULTS = ["delay", "load_balance", "pacing", "queue_occupancy", "int_report", "shorternet"]
"""Fixtures with results of labs that repeat publications."""


@pytest.mark.parametrize("lab", RESULTS)
def test_results_of_full_size_agree_with_the_kept_values(lab: str, request: pytest.FixtureRequest) -> None:
    """The results of ``make check-labs``; skips for quick results, which have nothing to check."""
    results = request.getfixturevalue(lab)
    if json.loads((results / "lab.json").read_text())["quick"]:
        return
    stored = page_of_all.values(lab.replace("_", "-"))
    with (results / "published.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["ours"] in ("", "true", "false"):
                assert row["ours"] == str(stored.get(row["id"], "")).lower(), row["id"]
            else:
                assert float(row["ours"]) == pytest.approx(stored[row["id"]], rel=0.02), row["id"]

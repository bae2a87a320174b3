"""A report makes claims and compares published numbers only with runs that show them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from weir.lab import NoValue, Tables, all_within, claim, lab_folders, load_lab, run_lab
from weir.lab.compared import compare
from weir.lab.lab import Part
from weir.lab.premises import Conditions, OwnTables, changed_parameters, is_size, own_values
from weir.report import plot as plots_of_reports

CLAIMED = ("predicted", "missed", "arithmetic", "fitted")

LABS = {
    "delay": "delay",
    "firewall": "firewall",
    "int": "int_lab",
    "int-report": "int_report",
    "load-balance": "load_balance",
    "pacing": "pacing",
    "queue-occupancy": "queue_occupancy",
    "shorternet": "shorternet",
}
"""For each lab with results of small sizes, the fixture of the results."""

OF_EACH_PACKET = {("firewall", "binding"), ("int", "metadata")}
"""Experiments whose answer is about each packet of a run, so that a single point can show it."""


def results(lab: str, request: pytest.FixtureRequest) -> Iterator[tuple[Part, Path]]:
    folder: Path = request.getfixturevalue(LABS[lab])
    for part in load_lab(lab).parts:
        yield part, folder / part.name


def single_point(source: Path, target: Path, names: list[str], at: int = 0, **other: Any) -> Path:
    """Copies the tables of the point of one run, with other values of some parameters."""
    names = [name for name in names if name in pl.read_parquet(source / "runs.parquet").columns]
    point = pl.read_parquet(source / "runs.parquet").select(names).slice(at, 1)
    (target / "frames").mkdir(parents=True, exist_ok=True)
    for file in [source / "runs.parquet", *source.glob("frames/*.parquet")]:
        rows = pl.read_parquet(file)
        selected = rows.join(point, on=names, how="semi", nulls_equal=True) if names else rows
        selected = selected.with_columns(
            **{name: pl.lit(value) for name, value in other.items() if name in names}
        )
        selected.write_parquet(target / file.relative_to(source))
    return target


@pytest.mark.parametrize("lab", LABS)
def test_a_single_point_shows_only_its_own_numbers(
    lab: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    published = load_lab(lab).published
    for part, source in results(lab, request):
        own = {part.name: own_values(part)}
        mine = [one for one in published if not isinstance(one.ours, NoValue) and one.ours.part == part.name]
        alone = Tables(single_point(source, tmp_path / part.name, list(own[part.name])))
        whole = compare(mine, {part.name: Tables(source)}, own)
        for all_points, one_point in zip(whole, compare(mine, {part.name: alone}, own), strict=True):
            if one_point.kind != "not run":
                assert one_point.value == all_points.value, one_point.number.name


@pytest.mark.parametrize("lab", LABS)
def test_other_values_are_not_compared(lab: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    published = load_lab(lab).published
    for part, source in results(lab, request):
        mine = [
            one
            for one in published
            if not isinstance(one.ours, NoValue) and callable(one.ours.value) and one.ours.part == part.name
        ]
        own = own_values(part)
        for name, sets in own.items() if mine else ():
            other = "another" if isinstance(sets[0][0], str) else -1
            if isinstance(sets[0][0], bool):
                continue
            target = single_point(source, tmp_path / part.name / name, list(own), **{name: other})
            comparison = compare(mine, {part.name: Tables(target)}, {part.name: own})
            assert {one.kind for one in comparison} == {"not run"}
            assert all(f"{name}={other}" in one.remark for one in comparison)
            assert f"{name}={other}" in changed_parameters(part, Tables(target), Conditions())


@pytest.mark.parametrize("conditions", [Conditions(computer="slow"), Conditions(changed=["delay.p4"])])
@pytest.mark.parametrize("lab", LABS)
def test_other_conditions_are_not_compared(
    lab: str, conditions: Conditions, request: pytest.FixtureRequest
) -> None:
    parts = {part.name: folder for part, folder in results(lab, request)}
    tables = {name: Tables(folder) for name, folder in parts.items()}
    own = {part.name: own_values(part) for part in load_lab(lab).parts}
    for one in compare(load_lab(lab).published, tables, own, conditions):
        if not isinstance(one.number.ours, NoValue) and callable(one.number.ours.value):
            assert one.kind == "not run" and conditions.others[0] in one.remark


@pytest.mark.parametrize("lab", LABS)
def test_no_headline_says_yes_of_a_single_point(
    lab: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list(results(lab, request))
    # Pictures take most of the time, and their content does not matter here.
    monkeypatch.setattr(plots_of_reports, "save_as", lambda ax, path, **options: path)
    for part, source in made:
        folder = single_point(source, tmp_path / part.name, list(own_values(part)))
        answer = part.report(Tables(folder), tmp_path).answer
        assert answer and "nan" not in answer.lower().split()
        if (lab, part.name) not in OF_EACH_PACKET:
            assert not answer.startswith("Yes"), part.name
            assert not re.search(r"\b(converge|falls? from (\d\S*) .* to \2\b)", answer), part.name


def test_sizes_may_be_larger_than_the_labs_own(tmp_path: Path) -> None:
    assert is_size([[1000], [40]]) and not is_size([[1, 2], [1]]) and not is_size([["1s"], ["2s"]])
    rows = pl.DataFrame({"run": [0, 1, 2], "pings": [10, 50, 2000], "x": [0, 1, 2], "repetition": [0, 0, 0]})
    rows.write_parquet(tmp_path / "runs.parquet")
    tables = OwnTables(tmp_path, {"pings": [[1000], [40]], "x": [[0, 1, 2], [1, 2]]})
    assert tables.runs["pings"].to_list() == [50, 2000]
    assert (tables.others, tables.missing) == (["pings=10"], set())


def test_another_value_of_one_parameter_takes_no_value_of_another(tmp_path: Path) -> None:
    rows = pl.DataFrame({"run": [0, 1], "switch": ["bridge", "bridge"], "x": [0, 1], "repetition": [0, 0]})
    rows.write_parquet(tmp_path / "runs.parquet")
    tables = OwnTables(tmp_path, {"switch": [["weir"]], "x": [[0, 1]]})
    assert (tables.others, tables.some) == (["switch=bridge"], [])
    assert OwnTables(tmp_path, {"switch": [["bridge"]], "x": [[0, 1, 2]]}).some == ["x=0,1 only"]


@pytest.mark.parametrize(
    ("options", "kinds", "remark"),
    [
        ({}, ["predicted", "missed", "fitted"], ""),
        ({"quick": True}, ["missed", "missed", "fitted"], ""),
        ({"values": {"x": ["1", "2", "3", "4"]}}, ["predicted", "missed", "fitted"], ""),
        ({"values": {"x": ["7"]}}, ["not run"] * 3, "other parameters: x=7"),
        ({"values": {"x": ["1", "3"]}}, ["not run"] * 3, "other parameters: x=1,3 only"),
        ({"computer": "bmv2-two-processors"}, ["not run"] * 3, "computer=bmv2-two-processors"),
        ({"changed": "numbers.py"}, ["not run"] * 3, "changed files: numbers.py"),
        ({"changed": "report/__init__.py"}, ["predicted", "missed", "fitted"], ""),
    ],
)
def test_the_kinds_depend_on_the_run(
    repeating: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    kinds: list[str],
    remark: str,
) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(repeating, installed)
    monkeypatch.setattr("weir.lab.running.lab_folders", lambda: {"tiny": installed})
    if changed := options.pop("changed", ""):
        with (repeating / changed).open("a") as file:
            file.write("\n# changed\n")
    outcome = run_lab(str(repeating), tmp_path / "out", workers=1, only=["product"], **options)
    assert [one.kind for one in outcome.published[:3]] == kinds
    assert all(remark in one.remark for one in outcome.published[:3])
    page = (tmp_path / "out" / "report.html").read_text()
    assert ("Other parameters than the lab&#39;s own" in page) == bool(remark or options.get("values"))


def test_a_claim_follows_from_what_was_measured() -> None:
    assert claim("a queue costs time", True, "5 ms") == "Yes: a queue costs time (5 ms)."
    assert claim("a queue costs time", False, "0 ms").startswith("No: ")
    assert claim("a queue costs time", None, needs="two queues") == (
        "Not run: whether a queue costs time, which needs two queues."
    )
    assert all_within([], 0.1) is None
    assert all_within([(1.05, 1.0), (2.0, 2.1)], 0.1) is True
    assert all_within([(1.2, 1.0)], 0.1) is False and all_within([(None, 1.0)], 0.1) is False


def test_all_labs_with_results_are_tested() -> None:
    others = {"compare-worlds", "shared-computer", "switch-comparison"}
    assert {*LABS} | others == {*lab_folders()}


def test_another_experiments_tables_have_the_labs_own_values_too(tmp_path: Path) -> None:
    for name, xs in (("near", [1, 2, 7]), ("far", [1, 2])):
        (tmp_path / name).mkdir()
        rows = pl.DataFrame({"run": xs, "x": xs, "repetition": [0] * len(xs), "rtt": [float(x) for x in xs]})
        rows.write_parquet(tmp_path / name / "runs.parquet")
    own = {"near": {"x": [[1, 2]]}, "far": {"x": [[1, 2]]}, "new": {"x": [[1, 2]]}}
    far = OwnTables(tmp_path / "far", own["far"], own)
    near = far.part("near")
    assert near is not None and near.runs["rtt"].to_list() == [1, 2]  # without x=7
    assert far.part("new") is None
    # Of results that lack a value of the lab's own, no other number is computed.
    own["near"] = {"x": [[1, 2, 3]]}
    assert OwnTables(tmp_path / "far", own["far"], own).part("near") is None
    unfiltered = Tables(tmp_path / "far").part("near")
    assert unfiltered is not None and len(unfiltered.runs) == 3


def test_a_report_says_which_values_its_tables_do_not_tell_apart(tmp_path: Path) -> None:
    rows = pl.DataFrame({"run": [0, 1, 2, 3], "x": [0, 0, 1, 1], "mtu": [1, 2, 1, 2], "repetition": [0] * 4})
    rows.with_columns(v=pl.Series([1.0, 3.0, 5.0, 7.0])).write_parquet(tmp_path / "runs.parquet")
    for parameters, where, averaged in (
        (["x"], {}, {"mtu"}),
        (["x", "mtu"], {}, set()),
        (["x"], {"mtu": 2}, set()),
        (["mtu"], {"x": 0}, set()),
    ):
        tables = Tables(tmp_path)
        tables.points(*parameters, **where)
        assert tables.averaged == averaged


def test_the_note_names_these_values(tmp_path: Path) -> None:
    outcome = run_lab(
        "delay",
        tmp_path / "out",
        only=["shared-computer"],
        quick=True,
        values={"pings": ["2", "3"]},
        seeds=1,
        workers=1,
    )
    page = outcome.report.read_text(encoding="utf-8")
    assert "Several values of pings were run, which some tables and plots do not tell apart" in page
    for answer in outcome.findings.values():
        assert answer.answer.startswith("Mean over several values of pings: ")

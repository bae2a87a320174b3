"""The JSON that commands print: versions, reasons of failures, and nothing that JSON lacks."""

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import weir
from all_commands import COMMANDS
from command import NET, RUN, weir as run
from weir.experiments.stored import read_record, write_record
from weir.lab import lab_folders
from weir.lab.known import lab_title

TOPOLOGY, P4 = str(NET / "topology.json"), ["--p4", str(NET / "router.p4")]


def strict(text: str) -> Any:
    """Reads JSON, and refuses NaN and infinite numbers."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def test_a_failed_command_has_its_reason():
    code, out, err = run(*RUN, "-c", "h1 png h2", "-c", "nodes", "--json")
    failed, worked = strict(out)["commands"]
    assert code == 1 and not failed["succeeded"] and len(failed["errors"]) == 1
    assert "png" in failed["errors"][0] and f"error: {failed['errors'][0]}\n" == err
    assert worked["errors"] == [] and worked["output"]


@pytest.mark.parametrize(
    "words",
    [
        ["ping", TOPOLOGY, "h1", "h2", "-c", "1", *P4],
        ["iperf", TOPOLOGY, "h1", "h2", "-t", "0.1", *P4],
        ["iperf", TOPOLOGY, "h1", "h2", "-u", "-t", "0.1", *P4],
        [*RUN, "-c", "nodes"],
        ["lab", "list"],
        ["lab", "list", "delay"],
        ["example", "list"],
    ],
)
def test_every_document_has_a_version(words: list[str]):
    code, out, _ = run(*words, "--json")
    assert (code, strict(out)["version"]) == (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ["ping", "missing.json", "h1", "h2"],
        ["iperf", "missing.json", "h1", "h2"],
        ["run", "missing.json", "-c", "nodes"],
        ["trace", "missing.p4", "--packet", "00", "--port", "1"],
        ["lab", "list", "missing"],
        ["top", "127.0.0.1:1"],
        ["top", ""],
        # The system refuses names as long as these.
        ["lab", "list", "x" * 300],
        ["telemetry", "paths", "x" * 300],
    ],
)
def test_an_error_is_a_document_too(words: list[str], tmp_path: Path):
    code, out, err = run(*words, "--json", cwd=tmp_path)
    document = strict(out)
    assert (code, list(document)) == (1, ["version", "error"])
    assert f"error: {document['error']}\n" in err


WITH_JSON = [
    words
    for words, command in COMMANDS.items()
    if any("--json" in parameter.opts for parameter in command.params)
]


@pytest.mark.parametrize("words", WITH_JSON)
def test_wrong_usage_prints_no_document(words: str):
    code, out, err = run(*words.split()[1:], "--json", "--no-such-option")
    assert (code, out) == (2, "") and "No such option" in err


def test_commands_after_exit_are_reported():
    lines = ["-c", "nodes", "-c", "exit", "-c", "pingall", "-c", "links"]
    code, out, err = run(*RUN, *lines, "--json")
    document = strict(out)
    assert code == 0 and [one["command"] for one in document["commands"]] == ["nodes", "exit"]
    assert document["skipped"] == ["pingall", "links"]
    assert err.count("was not run: exit ended the session") == 2
    code, _, err = run(*RUN, *lines)
    assert code == 0 and err.count("was not run: exit ended the session") == 2
    assert "skipped" not in strict(run(*RUN, "-c", "nodes", "--json")[1])


def test_an_unreadable_program_is_a_line(tmp_path: Path):
    code, out, err = run("check", "--json", "missing.p4", str(NET / "router.p4"), cwd=tmp_path)
    (document,) = map(strict, out.splitlines())
    assert (code, document["file"], document["line"], document["severity"]) == (
        1,
        "missing.p4",
        None,
        "error",
    )
    assert document["id"] is None and err == f"error: missing.p4: {document['message']}\n"


def test_examples_are_listed_with_their_titles():
    shown = run("example", "list")[1]
    for example in strict(run("example", "list", "--json")[1])["examples"]:
        assert f"{example['name']} " in shown and example["title"] in shown


def test_titles_of_labs_are_whole():
    shown = run("lab", "list")[1]
    for folder in lab_folders().values():
        title = lab_title(folder)
        assert not title.endswith((",", ".")) and title in shown
        text = (folder / "__init__.py").read_text().split('"""')[1].split("\n\n")[0]
        assert " ".join(text.split()).rstrip(".") == title


@weir.experiment(rate=[1, 2])
def missing(rate):
    """Some values are missing."""
    return {
        "y": math.nan if rate == 1 else 1.0,
        "z": math.inf,
        "series": weir.Series("x", "ms", [0.0, 1.0, 2.0], [1.0, math.nan, -math.inf]),
        "frame": pl.DataFrame({"a": [1.0, math.nan]}),
    }


def test_missing_values_are_null_in_files(tmp_path: Path):
    result = missing.run(out=tmp_path / "out", workers=1)
    files = sorted((tmp_path / "out" / "runs").glob("*.json"))
    records = [strict(file.read_text()) for file in files]
    assert sorted((one["scalars"]["y"] is None) for one in records) == [False, True]
    for record in records:
        assert record["scalars"]["z"] is None and record["frames"]["frame"]["a"] == [1.0, None]
        assert record["series"]["series"][2] == [1.0, None, None]
    strict((tmp_path / "out" / "experiment.json").read_text())
    # The text that is read back equals the measurement.
    again = weir.experiments.Result.load(tmp_path / "out")
    assert again.runs.equals(result.runs, null_equal=True)
    values = again.series["value"].to_list()
    assert str(values) == str(result.series["value"].to_list())


def test_files_with_nan_of_earlier_versions_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    missing.run(out=tmp_path / "out", workers=1)
    file = next((tmp_path / "out" / "runs").glob("*.json"))
    record = read_record(file)
    record["scalars"]["y"] = math.nan
    monkeypatch.setattr("weir.experiments.stored.finite", lambda value: value)
    write_record(file, record)
    monkeypatch.undo()
    assert "NaN" in file.read_text()
    read = read_record(file)
    assert read["scalars"]["y"] is None and math.isnan(read["series"]["series"][2][1])

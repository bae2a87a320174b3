"""Results with damaged files are refused without a crash, even if their hashes fit."""

import json
from pathlib import Path

import pytest

import weir
from weir.experiments import Result
from weir.experiments.stored import read_declaration, read_record, write_declaration, write_record
from weir.files.sealed import FileHash


@weir.experiment(x=[1])
def small(x: int) -> dict[str, int]:
    return {"y": x}


def sealed_again(folder: Path) -> None:
    """Writes hashes that fit the files."""
    path = folder / "experiment.json"
    declaration = read_declaration(path)
    write_declaration(
        path,
        declaration | {"files": {name: FileHash.of(folder / name).json() for name in declaration["files"]}},
    )


@pytest.mark.parametrize(
    "damaged",
    [
        {"scalars": {"y": [1]}}, {"scalars": {"y": 18446744073709551616}}, {"series": {"s": ["s", [1.0], []]}}, {"series": 3},
        {"frames": {"f": {"a": [1], "b": []}}}, {"parameters": {"z": 1}}, {"error": 1}, {"programs": [1]},
    ],
)  # fmt: skip
def test_damaged_records_are_no_result(tmp_path: Path, damaged: dict[str, object]):
    small.run(out=tmp_path, workers=1, progress=False)
    (record,) = (tmp_path / "runs").glob("*.json")
    whole = read_record(record)
    write_record(record, whole | damaged)
    sealed_again(tmp_path)
    with pytest.raises(
        weir.ExperimentError,
        match=r"json: (is not the description of a run of an experiment: \w+ is missing or has the wrong type"
        r"|the parameters are not those)",
    ):
        Result.load(tmp_path)
    for text in ("[" * 100_000, "null", json.dumps({**whole, **damaged})):
        record.write_text(text)
        with pytest.raises(weir.ExperimentError, match="is damaged") as error:
            Result.load(tmp_path)
        assert error.value.file == str(record)
    # The run is done again.
    assert small.run(out=tmp_path, workers=1, progress=False).runs["y"].to_list() == [1]


@pytest.mark.parametrize(
    "damage", [{"runs": ["../../x"]}, {"names": ["x", "z"]}, {"version": 1}, {"values": 3}, {"only": 1}]
)
def test_a_damaged_declaration_is_no_result(tmp_path: Path, damage: dict[str, object]):
    small.run(out=tmp_path, workers=1, progress=False)
    declared = tmp_path / "experiment.json"
    written = json.loads(declared.read_text())
    write_declaration(declared, read_declaration(declared) | damage)
    with pytest.raises(weir.ExperimentError, match="is not the description of a result of an experiment"):
        Result.load(tmp_path)
    declared.write_text(json.dumps({**written, **damage}))
    with pytest.raises(weir.ExperimentError, match="is damaged, or not the description of a result"):
        Result.load(tmp_path)

"""Results with damaged files are refused without a crash."""

import json
from pathlib import Path

import pytest

import weir
from weir.experiments import Result


@pytest.mark.parametrize(
    "damaged",
    [
        '"scalars": {"y": [1]}', '"scalars": {"y": 18446744073709551616}', '"series": {"s": ["s", [1.0], []]}', '"series": 3',
        '"frames": {"f": {"a": [1], "b": []}}', '"parameters": {"z": 1}', '"error": 1', '"programs": [1]',
    ],
)  # fmt: skip
def test_damaged_records_are_no_result(tmp_path: Path, damaged: str):
    @weir.experiment(x=[1])
    def small(x: int) -> dict[str, int]:
        return {"y": x}

    small.run(out=tmp_path, workers=1, progress=False)
    (record,) = (tmp_path / "runs").glob("*.json")
    whole = record.read_text()
    for text in (f"{whole.rstrip().removesuffix('}')}, {damaged}}}", "[" * 100_000, "null"):
        record.write_text(text)
        with pytest.raises(weir.WeirError, match="has no complete result"):
            Result.load(tmp_path)
    # The run is done again.
    assert small.run(out=tmp_path, workers=1, progress=False).runs["y"].to_list() == [1]


@pytest.mark.parametrize(
    "damage", [{"runs": ["../../x"]}, {"names": ["x", "z"]}, {"version": 1}, {"values": 3}]
)
def test_a_damaged_declaration_is_no_result(tmp_path: Path, damage: dict[str, object]):
    @weir.experiment(x=[1])
    def small(x: int) -> dict[str, int]:
        return {"y": x}

    small.run(out=tmp_path, workers=1, progress=False)
    declared = tmp_path / "experiment.json"
    declared.write_text(json.dumps({**json.loads(declared.read_text()), **damage}))
    with pytest.raises(weir.WeirError, match="has no results of an experiment"):
        Result.load(tmp_path)

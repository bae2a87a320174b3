"""The parameters and measurements that an experiment refuses, and its messages about seeds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import weir
from weir.cli.app import app
from weir.errors import ExperimentError
from weir.experiments.declaration import run_seed

FILE = """
import weir

@weir.experiment(x=[1, 2], seeds=2)
def one(x, seed):
    {body}
"""


def run(folder: Path, body: str) -> str:
    (folder / "one.py").write_text(FILE.format(body=body))
    command = ["experiment", "run", str(folder / "one.py"), "--out", str(folder / "out"), "--quiet"]
    return CliRunner().invoke(app, [*command, "--workers", "1"]).output


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**70])
def test_whole_numbers_have_64_bits(value: int) -> None:
    with pytest.raises(ExperimentError, match=r"x\[1\] = .*: expected a number from -2\*\*63"):
        weir.experiment(x=[1, value])(lambda x: {"y": x})
    experiment = weir.experiment(x=[2**63 - 1, -(2**63)])(lambda x: {"y": x})
    assert experiment.run(workers=1).runs["y"].to_list() == [2**63 - 1, -(2**63)]
    with pytest.raises(ExperimentError, match="expected a number from"):
        experiment.replaced(x=[value])


def test_a_measurement_is_of_one_kind(tmp_path: Path) -> None:
    experiment = weir.experiment(x=[1, 2, 3])(lambda x: {"y": "none" if x == 2 else 1.5, "z": x})
    result = experiment.run(tmp_path / "out", workers=1, warn=False)
    (failure,) = result.failures
    assert failure["parameters"] == {"x": 2}
    assert failure["error"] == (
        'the measurement "y" is a text here and a number in earlier runs: return None where there is no value'
    )
    assert result.measures == ["y", "z"] and result.summary()["y"].to_list() == [1.5, None, 1.5]
    assert weir.experiments.Result.load(tmp_path / "out").failures == [failure]


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("return {'y': x}", True),
        ("return {'y': x + seed}", False),
        ("return {'y': 1 // (x - 1)}", False),
        (f"return {{'y': x}} if x == 1 or seed == {run_seed(1, 0)} else {{}}", False),
    ],
)
def test_equal_results_say_nothing_about_networks(tmp_path: Path, body: str, same: bool) -> None:
    output = run(tmp_path, body)
    page = (tmp_path / "out" / "report.html").read_text()
    assert ("All seeds gave the same results" in output) == same
    assert ("All seeds gave the same results" in page) == same
    assert "random effects" not in output + page

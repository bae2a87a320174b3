"""Files of results: hashes, formats, and what damage does."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import polars as pl
import pytest

import weir
import weir.measure
from weir.cli import main
from weir.experiments import Result
from weir.files.sealed import Kind, sealed

TRIES = int(os.environ.get("WEIR_FLIPS", "1000"))


@weir.experiment(x=[1, 2])
def calm(x: int, seed: int) -> dict[str, object]:
    """No run fails: tracebacks contain paths."""
    return {"y": x + seed % 9 / 7, "s": weir.measure.Series("t", "v", [0, 1], [x, 2])}


@weir.experiment(x=[1, 2], name=["a", "b"])
def small(x: int, name: str, seed: int) -> dict[str, object]:
    """What is small?"""
    if x == 2 and name == "b":
        raise ValueError("two b")
    return {
        "y": x + seed % 9 / 7,
        "s": weir.measure.Series("t", "v", [0, 1], [x, 2]),
        "f": pl.DataFrame({"a": [x / 2, 2.5], "b": [name, None]}),
    }


def run(folder: Path) -> Result:
    return small.run(out=folder, seeds=2, workers=1, progress=False, warn=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "result"
    run(folder).report()
    return folder


def contents(folder: Path) -> str:
    result = Result.load(folder)
    return repr((result.declaration, result.records))


def written(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(folder: Path, name: str, kept: str) -> bool:
    """Whether Weir refuses the result and names this file; if not, the result must be the same."""
    try:
        assert contents(folder) == kept
    except weir.ExperimentError as error:
        assert error.file == str(folder / name), error
        return True
    return False


def test_the_manifest_lists_all_files(whole: Path) -> None:
    files = json.loads((whole / "experiment.json").read_text())["files"]
    assert set(files) == set(written(whole)) - {"experiment.json", "report.html"}
    assert {"runs.parquet", "series.parquet", "frames/f.parquet"} < set(files)
    assert sum(name.endswith(".json") for name in files) == 8
    assert sum(name.endswith(".log") for name in files) == 2


def test_the_same_runs_write_the_same_manifest(tmp_path: Path) -> None:
    """Also in another folder, after an interruption, and with runs in several processes."""
    calm.run(out=tmp_path / "one", seeds=2, workers=1, progress=False)
    calm.run(out=tmp_path / "two", seeds=2, only={"x": 1}, workers=1, progress=False)
    calm.run(out=tmp_path / "two", seeds=2, workers=2, progress=False)
    assert written(tmp_path / "one") == written(tmp_path / "two")


def test_a_flipped_bit_or_a_cut_changes_no_result(whole: Path, tmp_path: Path) -> None:
    chance = random.Random(21)
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    kept, files, refusals = contents(folder), written(folder), 0
    names = list(files)
    for number in range(TRIES):
        name = chance.choice(names)
        content = bytearray(files[name])
        place = chance.randrange(len(content))
        if number % 2:
            content[place] ^= 1 << chance.randrange(8)
        else:
            del content[place:]
        (folder / name).write_bytes(content)
        refusals += refused(folder, name, kept)
        (folder / name).write_bytes(files[name])
    assert refusals > 0.85 * TRIES  # report.html is made from the others


def test_missing_files_are_named(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    for name, content in written(folder).items():
        if name not in ("report.html", "experiment.json"):
            (folder / name).unlink()
            with pytest.raises(weir.ExperimentError, match="is missing; run the experiment again") as error:
                Result.load(folder)
            assert error.value.file == str(folder / name)
            (folder / name).write_bytes(content)


def test_the_same_call_repairs_a_result(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    chance = random.Random(22)
    for name, content in written(folder).items():
        if name != "experiment.json":
            (folder / name).write_bytes(content[: chance.randrange(len(content))])
    run(folder).report()
    assert written(folder) == written(whole)


def test_the_command_checks_a_result(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    assert main(["experiment", "check", str(folder)]) == 0
    assert capsys.readouterr().out == "8 runs: all files are unchanged\n"
    (folder / "runs.parquet").unlink()
    (folder / "series.parquet").write_bytes(b"PAR1")
    assert main(["experiment", "check", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines() == [
        f"error: {folder}/runs.parquet: is missing",
        f"error: {folder}/series.parquet: is damaged: it has 4 bytes, and was written with "
        f"{(whole / 'series.parquet').stat().st_size}",
    ]
    for command in (["report"], ["diff", str(whole)]):
        assert main(["experiment", command[0], *command[1:], str(folder)]) == 1
        assert "is missing (and 1 more file" in capsys.readouterr().err


@pytest.mark.parametrize("number", [1, 3])
def test_other_formats_have_one_refusal(number: int, whole: Path, tmp_path: Path) -> None:
    """Results of format 1 had no hashes."""
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    path = folder / "experiment.json"
    document = json.loads(path.read_text())
    for name in ("kind", "format", "sha256"):
        del document[name]
    path.write_text(
        json.dumps(document if number == 1 else sealed(Kind("result of an experiment", 3), document))
    )
    expected = (
        f"{path}: result of an experiment of format {number}, but this version of Weir reads format 2: "
        "use the version that wrote it, or make it again"
    )
    for act in (lambda: Result.load(folder), lambda: run(folder)):
        with pytest.raises(weir.ExperimentError) as error:
            act()
        assert str(error.value) == expected


def test_results_are_on_disk_before_they_have_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weir flushes every file to disk, renames it, and then flushes the folder."""
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        steps.append(f"sync {os.path.realpath(f'/proc/self/fd/{descriptor}')}")
        fsync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        steps.append(f"rename {path} {target}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    run(tmp_path / "result")
    renames = [place for place, step in enumerate(steps) if step.startswith("rename")]
    assert len(renames) > 12
    for place in renames:
        _, partial, target = steps[place].split()
        assert steps[place - 1] == f"sync {partial}"
        assert steps[place + 1] == f"sync {Path(target).parent}"


def test_paths_outside_the_folder_are_refused(whole: Path, tmp_path: Path) -> None:
    from weir.experiments.stored import read_declaration, write_declaration

    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    path = folder / "experiment.json"
    declaration = read_declaration(path)
    known = declaration["files"]["runs.parquet"]
    for name in ("../secret", "/etc/passwd", "./../x", "a/b/c", "..", "."):
        write_declaration(path, {**declaration, "files": {name: known}})
        with pytest.raises(weir.ExperimentError, match="is not the description of a result"):
            Result.load(folder)

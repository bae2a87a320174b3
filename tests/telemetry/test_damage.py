"""Stores with damaged, missing or foreign files are refused, with the name of the file."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from handmade_reports import path_report, random_payload

import weir
from weir.cli import main
from weir.telemetry import Store

FLIPS = int(os.environ.get("WEIR_FLIPS", "200"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with merged batches, single ones, and datagrams that are not reports."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    store, chance = Store(folder), random.Random(3)
    for number in range(5):
        payloads = [random_payload(chance) for _ in range(20)] + [b"no report"] * (number % 2)
        store.add(payloads, [1000 * number + one for one in range(len(payloads))])
        if number == 2:
            store.compact()
    return folder


def answers(folder: Path) -> str:
    """What a store answers about all of its rows."""
    store = Store(folder)
    sums = [
        store.sql(f"SELECT count(*), sum(hash(t)) FROM {table} t") for table in ("reports", "hops", "bad")
    ]
    return repr((store.overview(), store.origin_ns, sums))


def data_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def copied(whole: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(whole, folder))


def refused(folder: Path, path: Path) -> bool:
    """Whether the store is refused with the name of this file; if not, it must answer."""
    try:
        assert answers(folder) == answers(folder.parent / "kept")
    except weir.FileError as error:
        assert error.file == str(path), error
        return True
    return False


def test_a_flipped_bit_changes_no_answer(whole: Path, tmp_path: Path) -> None:
    chance = random.Random(11)
    whole_copy = copied(whole, tmp_path / "kept")
    names = [path.relative_to(whole_copy) for path in data_files(whole_copy)]
    assert {name.name for name in names} == {
        "store.json", "manifest.json", "reports.parquet", "hops.parquet", "bad.parquet"
    }  # fmt: skip
    folder, refusals = copied(whole, tmp_path / "run"), 0
    for _ in range(FLIPS):
        path = folder / chance.choice(names)
        before = path.read_bytes()
        content = bytearray(before)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        refusals += refused(folder, path)
        path.write_bytes(before)
    # The others changed only how a number or a space is written.
    assert refusals > 0.98 * FLIPS
    assert answers(folder) == answers(whole_copy)


def test_a_cut_or_missing_file_changes_no_answer(whole: Path, tmp_path: Path) -> None:
    chance = random.Random(12)
    whole_copy = copied(whole, tmp_path / "kept")
    for name in [path.relative_to(whole_copy) for path in data_files(whole_copy)]:
        folder = copied(whole, tmp_path / "run")
        path = folder / name
        content = path.read_bytes()
        for _ in range(10):
            path.write_bytes(content[: chance.randrange(len(content))])
            if name.name in ("store.json", "manifest.json"):
                refused(folder, path)
            else:
                assert refused(folder, path)
        path.unlink()
        with pytest.raises(weir.FileError, match=r"is missing|no telemetry store") as error:
            answers(folder)
        assert error.value.file in (str(path), str(folder))


@pytest.mark.parametrize("name", ["000000000-000000002", "000000003", "000000004"])
def test_a_missing_folder_is_noticed(name: str, whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "run")
    shutil.rmtree(folder / name)
    numbers = "0 to 2" if "-" in name else str(int(name))
    with pytest.raises(weir.FileError, match=f"batches are missing: {numbers}$"):
        answers(folder)
    with pytest.raises(weir.FileError, match="batches are missing"):
        Store(folder).compact()


def test_files_of_another_batch_or_store_are_noticed(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "run")
    shutil.copy(folder / "000000003" / "reports.parquet", folder / "000000004")
    with pytest.raises(weir.FileError, match=r"000000004/reports.parquet: is damaged"):
        answers(folder)
    folder = copied(whole, tmp_path / "run")
    shutil.rmtree(folder / "000000004")
    shutil.copytree(folder / "000000003", folder / "000000004")
    with pytest.raises(weir.FileError, match=r"manifest.json: is damaged: the folder has the batches 3 to 3"):
        answers(folder)
    # A file that no batch lists is not read.
    folder = copied(whole, tmp_path / "run")
    shutil.copy(folder / "000000003" / "bad.parquet", folder / "000000004")
    assert answers(folder) == answers(whole)


def test_a_merge_gives_damaged_files_no_new_hash(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "run")
    path = folder / "000000003" / "hops.parquet"
    content = bytearray(path.read_bytes())
    content[100] ^= 4
    path.write_bytes(content)
    with pytest.raises(weir.FileError, match=r"000000003/hops.parquet: is damaged: its contents"):
        Store(folder).compact()
    assert (folder / "000000003").exists()


def test_a_file_that_changes_later_is_noticed(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "run")
    store = Store(folder)
    store.overview()
    path = folder / "000000004" / "reports.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(weir.FileError, match=r"000000004/reports.parquet: is damaged"):
        store.overview()


@pytest.mark.parametrize(
    ("about", "message"),
    [
        (
            {"version": 1, "origin_ns": 0},
            "telemetry store of format 1, but this version of Weir reads format 2",
        ),
        ({"version": 3}, "is damaged, or not the description of a telemetry store"),
    ],
)
def test_stores_of_other_versions_are_refused(
    about: dict[str, int], message: str, whole: Path, tmp_path: Path
) -> None:
    folder = copied(whole, tmp_path / "run")
    (folder / "store.json").write_text(json.dumps(about))
    with pytest.raises(weir.FileError, match=message):
        Store(folder).add([path_report([1])], [0])


def test_newer_formats_have_the_same_refusal(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weir.files import sealed
    from weir.telemetry import manifest

    folder = copied(whole, tmp_path / "run")
    newer = sealed.Kind("telemetry store", 3)
    contents = sealed.read_sealed(folder / "store.json", manifest._ABOUT)
    (folder / "store.json").write_text(json.dumps(sealed.sealed(newer, contents)))
    with pytest.raises(weir.FileError, match="of format 3, but this version of Weir reads format 2: use the"):
        answers(folder)


def test_check_lists_all_damage_and_removes_it(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(whole, tmp_path / "run")
    assert main(["telemetry", "check", str(folder)]) == 0
    assert capsys.readouterr().out == "5 batches: all files are unchanged\n"
    (folder / "000000003" / "reports.parquet").unlink()
    (folder / "000000003" / "hops.parquet").write_bytes(b"")
    shutil.rmtree(folder / "000000004")
    assert main(["telemetry", "check", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 3
    assert f"{folder}: is damaged: batches are missing: 4\n" in err
    assert f"{folder}/000000003/reports.parquet: is missing\n" in err
    assert f"{folder}/000000003/hops.parquet: is damaged: it has 0 bytes" in err
    assert main(["telemetry", "show", str(folder)]) == 1
    assert "batches are missing: 4" in capsys.readouterr().err
    assert main(["telemetry", "check", str(folder), "--remove-damaged"]) == 0
    assert "5 batches, 2 of them removed: all files" in capsys.readouterr().out
    assert not (folder / "000000003").exists()
    store = Store(folder)
    rows = store.sql("SELECT DISTINCT report >> 32 AS batch FROM reports ORDER BY batch")
    assert [row["batch"] for row in rows] == [0, 1, 2]
    assert store.removed == 2 and store.add([path_report([1])], [0]).number == 5
    store.compact()
    assert store.check() == [] and store.overview().batches == 6

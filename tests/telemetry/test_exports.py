"""Exports of a store for other tools: all rows, outside of the store."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars
import pytest
from handmade_reports import path_report

import weir
from weir.telemetry import Store


def test_exports_have_all_rows(tmp_path: Path) -> None:
    store = Store(tmp_path / "it's a run")
    store.add([path_report([1, 2]), b"?", path_report([3], ports=(1, 2))], [5, 6, 7])
    names = ["reports", "hops", "bad"]
    files = store.export(tmp_path / "out")
    assert files == [tmp_path / "out" / f"{name}.parquet" for name in names]
    assert [polars.read_parquet(file).height for file in files] == [2, 3, 1]
    reports = polars.read_parquet(files[0]).select("source", "target", "source_port", "target_port").rows()
    assert reports == [("10.0.1.1", "10.0.2.2", 4000, 5000), ("10.0.1.1", "10.0.2.2", 1, 2)]
    # Once more: an existing file is replaced.
    for _ in range(2):
        assert store.export(tmp_path / "out.duckdb") == [tmp_path / "out.duckdb"]
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as database:
        for name, count in zip(names, (2, 3, 1), strict=True):
            assert database.execute(f"SELECT count(*) FROM {name}").fetchone() == (count,)
    assert {path.name for path in tmp_path.iterdir()} == {"it's a run", "out", "out.duckdb"}
    with pytest.raises(weir.FileError, match="is a file, expected a folder"):
        store.export(files[0])


def test_exports_do_not_replace_files_of_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    for start in (0, 3):
        store.add([path_report([1, 2], sequence=start + one) for one in range(3)], [5, 6, 7])
    before = {path: path.read_bytes() for path in store.folder.rglob("*") if path.is_file()}
    segment = next(path.parent for path in before if path.name == "reports.parquet")
    link = tmp_path / "link"
    link.symlink_to(segment)
    for target in (store.folder, segment, link, store.folder / "new" / "tables", segment / "a.duckdb"):
        with pytest.raises(weir.FileError, match="is within the store"):
            store.export(target)
    assert {path: path.read_bytes() for path in store.folder.rglob("*") if path.is_file()} == before
    assert len(store.sql("SELECT * FROM reports")) == 6

"""Folders as a hostile sender would make them: sealed, with members, links and pipes that lead
elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import weir
from weir.experiments import Result
from weir.files.sealed import FileHash, Kind, sealed
from weir.telemetry import Store

SEALS = {
    "store.json": Kind("telemetry store", 2),
    "manifest.json": Kind("folder of telemetry batches", 2),
    "experiment.json": Kind("result of an experiment", 2),
}
_REPORT = (
    "2000000000000003141803207000000000000000000100020000000100000000"
    "4500004c00000000401100000a0001010a0002020fa015b300380000140b1388"
    "20000405f0000000000000000000000200010002000000010000000000000001"
    "000100020000000100000000"
)
"""A telemetry report of three nodes, whose fourth byte is the sequence number."""

RUN = Kind("run of an experiment", 2)

Change = Callable[[Path, Path], object]
"""Changes a folder, given the folder and the outside folder, which must stay as it is."""


@weir.experiment(x=[1, 2])
def study(x: int) -> dict[str, object]:
    return {"y": x}


def make_store(folder: Path) -> None:
    report = bytes.fromhex(_REPORT)
    payloads = [report[:3] + bytes([number]) + report[4:] for number in range(40)]
    stored = Store(folder).add(payloads, [1000 * number for number in range(40)])
    assert stored.reports == 40


def make_result(folder: Path) -> None:
    study.run(out=folder, workers=1, progress=False)
    Result.load(folder).report()


def make_point(folder: Path) -> None:
    from access_points import init

    init(folder)


def reseal(path: Path, **changed: Any) -> None:
    """Changes members of a sealed file, and seals it again, as any sender can."""
    kind = SEALS.get(path.name, RUN)
    document = json.loads(path.read_text())
    members = {name: value for name, value in document.items() if name not in ("kind", "format", "sha256")}
    path.write_text(json.dumps(sealed(kind, {**members, **changed})))


def member(name: str, **changed: Any) -> Change:
    """Changes members of a sealed file."""
    return lambda folder, _: reseal(folder / name, **changed)


def record(**changed: Any) -> Change:
    """Changes members of the record of a run."""

    def change(folder: Path, _: Path) -> None:
        path = sorted((folder / "runs").glob("*.json"))[0]
        reseal(path, **changed)
        hash_again(folder)

    return change


def hash_again(folder: Path) -> None:
    files = json.loads((folder / "experiment.json").read_text())["files"]
    reseal(folder / "experiment.json", files={name: FileHash.of(folder / name).json() for name in files})


def link(name: str) -> Change:
    """Replaces a file by a link to a copy outside of the folder, with the same content."""

    def change(folder: Path, outside: Path) -> None:
        path = folder / name
        target = outside / path.name
        if path.is_dir():
            shutil.copytree(path, target)
            shutil.rmtree(path)
        elif path.exists():
            shutil.copyfile(path, target)
            path.unlink()
        path.symlink_to(target)

    return change


def pipe(name: str) -> Change:
    """Replaces a file by a named pipe without a writer."""

    def change(folder: Path, _: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return change


def unix_socket(name: str) -> Change:
    """Replaces a file by a socket."""

    def change(folder: Path, _: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as made:
            # The path of a socket is short.
            at = os.open(folder, os.O_RDONLY)
            made.bind(f"/proc/self/fd/{at}/{name}")
            os.close(at)

    return change


def rows(table: str, query: str) -> Change:
    """Replaces a table by the rows of a query, and makes the hashes fit."""

    def change(folder: Path, _: Path) -> None:
        import duckdb

        file = folder / "000000000" / f"{table}.parquet"
        before = f"(FROM read_parquet('{file}'))"
        copied = file.with_name("made.parquet")
        duckdb.sql(f"COPY ({query.format(before=before)}) TO '{copied}' (FORMAT parquet, COMPRESSION zstd)")
        copied.replace(file)
        files = json.loads((folder / "000000000" / "manifest.json").read_text())["files"]
        files[file.name] = FileHash.of(file).json()
        reseal(folder / "000000000" / "manifest.json", files=files)

    return change


def text_file(name: str, text: str) -> Change:
    return lambda folder, _: (folder / name).write_text(text)


def settings(key: str, value: str) -> Change:
    """Adds a setting of the switch to ap.toml."""

    def change(folder: Path, _: Path) -> None:
        lines = (folder / "ap.toml").read_text().splitlines()
        lines = [f'{key} = "{value}"' if line.startswith(f"{key} =") else line for line in lines]
        (folder / "ap.toml").write_text("\n".join(lines) + "\n")

    return change


INJECTED = "0)/1e9 from reports r; COPY (select content from read_text('{}')) TO '{}'; --"
HASH: Mapping[str, Any] = {"bytes": 6, "sha256": "0" * 64}


def injection(folder: Path, outside: Path) -> None:
    text = INJECTED.format(outside / "victim.txt", outside / "written.csv")
    reseal(folder / "store.json", origin_ns=text)


def files_outside(name: Callable[[Path], str]) -> Change:
    """Adds a file outside the folder to a manifest."""

    def change(folder: Path, outside: Path) -> None:
        path = folder / "000000000" / "manifest.json"
        files = json.loads(path.read_text())["files"]
        reseal(path, files={**files, name(outside): FileHash.of(outside / "victim.txt").json()})

    return change


STORES: dict[str, Change] = {
    "SQL in origin_ns": injection,
    **{f"origin_ns {value!r}": member("store.json", origin_ns=value) for value in (2**70, 1.5, True, None, -1)},
    **{f"batches {value!r}": member("store.json", batches=value) for value in ("x", None, -1, True, 2**80)},
    **{
        f"removed {value!r}": member("store.json", removed=value)
        for value in ([0], "x", [None], [[1, 0]], [[-1, 0]], [[0, 2**70]], [[0, True]])
    },
    "another member": member("store.json", other=1),
    **{
        f"reports {value!r}": member("000000000/manifest.json", reports=value)
        for value in (-1, 10**30, "\x1b[2J", 41, True)
    },
    **{
        f"files {value!r}": member("000000000/manifest.json", files=value)
        for value in (None, [], {}, {"reports.parquet": 1}, {"reports.parquet": HASH}, {"x\0y": HASH})
    },
    "a file above": files_outside(lambda outside: f"../../{outside.name}/victim.txt"),
    "an absolute file": files_outside(lambda outside: str(outside / "victim.txt")),
    "a batch that is a link": link("000000000"),
    "a table that is a link": link("000000000/reports.parquet"),
    "a store.json that is a link": link("store.json"),
    "a lock that is a link": link(".adding"),
    "a lock of merges that is a link": link(".merging"),
    **{f"pipe {name}": pipe(name) for name in ("store.json", "000000000/manifest.json", "000000000/hops.parquet", ".merging")},
    "socket store.json": unix_socket("store.json"),
    "another schema": rows("hops", "SELECT 1 AS x"),
    "another type": rows("reports", "SELECT * REPLACE (time_ns::VARCHAR AS time_ns) FROM {before}"),
    "many rows": rows("hops", "SELECT b.* FROM {before} b, range(1000)"),
    "many reports": rows("reports", "SELECT b.* FROM {before} b, range(1000)"),
    "extreme times": rows("reports", f"SELECT * REPLACE (CASE WHEN report % 2 = 0 THEN {-(2**63)} ELSE {2**63 - 1} END::BIGINT AS time_ns) FROM {{before}}"),
    "no Parquet": text_file("000000000/hops.parquet", "PAR1"),
    "a strange folder": lambda folder, _: (folder / "000000009-000000001").mkdir(),
    "a strange partial": lambda folder, _: (folder / f".{9**30}-1.partial").mkdir(),
    "a deep store.json": text_file("store.json", "[" * 100_000),
    "a long number": text_file("store.json", "9" * 10_000),
}  # fmt: skip

RESULTS: dict[str, Change] = {
    "a report that is a link": link("report.html"),
    "a dangling report": lambda folder, outside: (
        (folder / "report.html").unlink(),
        (folder / "report.html").symlink_to(outside / "new"),
    ),
    "tables that are a link": link("runs.parquet"),
    "runs that are a link": link("runs"),
    "frames that are a link": lambda folder, outside: (folder / "frames").symlink_to(outside),
    "a description that is a link": link("experiment.json"),
    **{f"pipe {name}": pipe(name) for name in ("experiment.json", "report.html", "runs.parquet")},
    "socket experiment.json": unix_socket("experiment.json"),
    **{f"seed {value!r}": record(seed=value) for value in ("x", 1.5, -1, 2**70, None, True)},
    **{
        f"frames {value!r}": record(frames=value)
        for value in ({"../../victim": {"a": [1]}}, {"/x": {"a": [1]}}, {"\ud800": {"a": [1]}}, {"f": {"a": [{}, 1, [2]]}})
    },
    **{f"scalars {value!r}": record(scalars=value) for value in ({"y": 1e400}, {"seed": 3, "run": "x"}, {"": 1})},
    **{f"series {value!r}": record(series=value) for value in ({"s": ["s", [10**400], [1]]}, {"s": ["s", [True], [1]]})},
    "another member": record(other=1),
    "repetitions": member("experiment.json", repetitions=-1),
    "a file above": member("experiment.json", files={"../victim.txt": HASH}),
    "an absolute file": member("experiment.json", files={"/etc/passwd": HASH}),
    "hostile names": member("experiment.json", experiment="\x1b[2J\u202ex\u200b", file="\u2066x\ufeff"),
    "names twice": member("experiment.json", names=["x", "x"]),
}  # fmt: skip

POINTS: dict[str, Change] = {
    **{f"pipe {name}": pipe(name) for name in ("ap.toml", "stations.json", "README", "hostapd.conf")},
    **{f"link {name}": link(name) for name in ("README", "hostapd.conf", "stations.json", "systemd")},
    "everybody": settings("p4runtime", "0.0.0.0:9559"),
    "no brackets": settings("p4runtime", "::1:9559"),
    "a file": settings("p4runtime", "unix:/etc/passwd"),
}

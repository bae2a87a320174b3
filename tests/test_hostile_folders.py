"""Commands that take a folder of somebody else answer a hostile one: they neither hang nor crash,
and change nothing outside the folder."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hostile_folders import POINTS, RESULTS, STORES, Change, make_point, make_result, make_store
from weir.cli import main

_MAX_S = 60
"""The time after which a command hangs. A command takes less than a second."""

_ASK = ("show", "bad", "paths", "latencies", "queues", "shared", "bursts", "drops", "losses")
STORE_COMMANDS = [
    *(
        ["telemetry", name, "DIR", *(["--threshold", "1"] if name == "bursts" else [])]
        for name in _ASK
    ),
    ["telemetry", "sql", "DIR", "SELECT count(*) FROM hops"],
    ["telemetry", "export", "DIR", "tables"],
    ["telemetry", "check", "DIR"],
    ["telemetry", "compact", "DIR"],
    ["telemetry", "listen", "--udp", "127.0.0.1:0", "--store", "DIR", "--for", "10ms"],
    ["telemetry", "check", "DIR", "--remove-damaged"],
]  # fmt: skip
RESULT_COMMANDS = [
    ["experiment", "check", "DIR"],
    ["experiment", "diff", "DIR", "DIR"],
    ["experiment", "report", "DIR"],
    ["experiment", "run", "study.py", "--out", "DIR", "--workers", "1", "--quiet"],
    ["experiment", "run", "study.py", "--out", "DIR", "--workers", "1", "--quiet", "--fresh"],
]
POINT_COMMANDS = [
    ["ap", "check", "DIR"],
    ["ap", "write", "DIR", "--yes"],
    ["ap", "block", "02:00:00:00:00:01", "--folder", "DIR"],
]
CASES = [
    *(("store", name, change, STORE_COMMANDS) for name, change in STORES.items()),
    *(("result", name, change, RESULT_COMMANDS) for name, change in RESULTS.items()),
    *(("point", name, change, POINT_COMMANDS) for name, change in POINTS.items()),
]
STUDY = """
import weir

@weir.experiment(x=[1, 2])
def study(x):
    return {"y": x}
"""
HARMLESS = {"strange partial", "a lock that is a link", "hostile names"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("whole")
    makers = {"store": make_store, "result": make_result, "point": make_point}
    for name, make in makers.items():
        make(folder / name)
    return {name: folder / name for name in makers}


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """Fails the test if a command hangs."""

    def hangs(*_: object) -> None:
        raise AssertionError("the command hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(_MAX_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize(
    ("kind", "name", "change", "commands"), CASES, ids=[f"{one[0]}: {one[1]}" for one in CASES]
)
def test_hostile_folders(
    kind: str,
    name: str,
    change: Change,
    commands: list[list[str]],
    whole: Mapping[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder, outside = tmp_path / "received", tmp_path / "outside"
    outside.mkdir()
    (outside / "victim.txt").write_text("victim")
    shutil.copytree(whole[kind], folder)
    change(folder, outside)
    (tmp_path / "study.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    before = contents(outside)
    for command in commands:
        arguments = [str(folder) if word == "DIR" else word for word in command]
        signal.alarm(_MAX_S)
        code = main(arguments)
        out, err = capfd.readouterr()
        print(" ".join(command), code, err.strip()[:300])
        assert code in (0, 1), (command, code, err)
        assert "internal error" not in err and "Traceback" not in out + err, (command, err)
        assert not set(out + err) & set("\x1b\u202e\u200b\u2066\ufeff"), (command, out, err)
        assert contents(outside) == before, command
        shutil.rmtree(tmp_path / "tables", ignore_errors=True)

"""Stores: acknowledged batches stay, bad datagrams are separate, queries run at the same time."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from handmade_reports import path_report, random_payload

import weir
from weir.telemetry import Store, Stored, decode, tables


def reports(count: int, start: int = 0) -> list[bytes]:
    return [path_report([1, 2, 3], sequence=start + number) for number in range(count)]


def times(count: int, start: int = 0) -> list[int]:
    return [1000 * (start + number) for number in range(count)]


def contents(store: Store) -> dict[str, list[dict[str, object]]]:
    """All rows of all tables."""
    orders = {"reports": "report", "hops": "report, place", "bad": "batch, time_ns"}
    return {table: store.sql(f"SELECT * FROM {table} ORDER BY {order}") for table, order in orders.items()}


@pytest.mark.parametrize("folder", ["run", None])
def test_added_reports_are_read_back(folder: str | None, tmp_path: Path) -> None:
    chance = random.Random(7)
    payloads = [random_payload(chance) for _ in range(60)] + [b"no report"]
    batch = decode(payloads, times(61))
    store = Store(folder and tmp_path / folder)
    assert store.batches == 0
    assert store.add(payloads, times(61)) == Stored(0, len(batch), 1)
    assert store.add([], []) == Stored(1, 0, 0)
    assert store.add(payloads[::-1], times(61)) == Stored(2, len(batch), 1)
    assert store.batches == 3
    tables = contents(store)
    for table, columns in (("reports", batch.reports), ("hops", batch.hops)):
        rows = [row for row in tables[table] if row["report"] < 1 << 32]  # type: ignore[operator]
        names = list(columns)
        expected = [
            dict(zip(names, row, strict=True))
            for row in zip(*(columns[name].tolist() for name in names), strict=True)
        ]
        assert [{name: row[name] for name in names} for row in rows] == expected
    assert tables["bad"] == [
        {
            "batch": number,
            "time_ns": time,
            "datagrams": 1,
            "bytes": 9,
            "reason": "a telemetry report has at least 12 bytes, found 9",
            "payload": b"no report",
        }
        for number, time in ((0, 60_000), (2, 0))
    ]
    assert {row["report"] >> 32 for row in tables["reports"]} == {0, 2}  # type: ignore[operator]


def test_merged_batches_answer_the_same(tmp_path: Path) -> None:
    chance = random.Random(8)
    store = Store(tmp_path / "run")
    for _ in range(7):
        payloads = [random_payload(chance) for _ in range(9)] + [b"bad"] * chance.randrange(2)
        store.add(payloads, times(len(payloads)))
    before, number = contents(store), store.batches
    store.compact()
    assert contents(store) == before and store.batches == number == 7
    assert sorted(path.name for path in store.folder.iterdir()) == [
        ".adding",
        ".merging",
        "000000000-000000006",
        "store.json",
    ]
    assert store.add(reports(2), times(2)).number == 7
    store.compact()
    assert Store(tmp_path / "run").batches == 8
    assert store.sql("SELECT count(*) AS n FROM reports")[0]["n"] == len(before["reports"]) + 2


def test_a_merge_that_was_interrupted_changes_nothing(tmp_path: Path) -> None:
    """The folder has both the merged files and the files that they replace, and a half-written
    folder."""
    store = Store(tmp_path / "run")
    for number in range(3):
        store.add(reports(4, 4 * number), times(4))
    before = contents(store)
    other_store = tmp_path / "kept"
    subprocess.run(["cp", "-r", store.folder, other_store], check=True)
    store.compact()
    for name in ("000000000", "000000002"):
        subprocess.run(["cp", "-r", other_store / name, store.folder], check=True)
    partial = store.folder / ".999999999-0.partial"
    partial.mkdir()
    (partial / "reports.parquet").write_bytes(b"PAR1")
    assert contents(store) == before and store.batches == 3
    store.compact()
    assert contents(store) == before
    assert sorted(path.name for path in store.folder.iterdir()) == [
        ".adding",
        ".merging",
        "000000000-000000002",
        "store.json",
    ]


SENDER = """
import os, sys
from handmade_reports import path_report
from weir.telemetry import Store

folder, size = sys.argv[1], int(sys.argv[2])
payloads = [path_report([1, 2, 3], sequence=number) for number in range(size)]
store = Store(folder)
while True:
    first = store.batches * size
    stored = store.add(payloads, range(first, first + size))
    os.write(1, f"{stored.number}\\n".encode())
    if stored.number % 4 == 3:
        store.compact()
"""


STEPS = """
import os, shutil, signal, sys
from pathlib import Path
from handmade_reports import path_report
from weir.telemetry import Store
import weir.telemetry.frames

payloads = [path_report([1, 2, 3], sequence=number) for number in range(5)]
left = 0

def killed_at_last(call):
    def counted(*args, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **more)
    return counted

for owner, name in ((os, "fsync"), (Path, "mkdir"), (Path, "rename"), (Path, "replace"), (Path, "open"), (os, "rmdir"), (os, "unlink")):
    setattr(owner, name, killed_at_last(getattr(owner, name)))
for step in range(1, 1000, int(sys.argv[2])):
    # DuckDB and polars start their threads in the child.
    child = os.fork()
    if child == 0:
        left = step
        store = Store(Path(sys.argv[1]) / str(step))
        for number in range(4):
            store.add(payloads, range(5 * number, 5 * number + 5))
            os.write(1, f"{step} {number}\\n".encode())
            if number % 2:
                store.compact()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
        print("whole", step, flush=True)
        break
"""


def test_a_kill_at_any_step_leaves_whole_batches(tmp_path: Path) -> None:
    """A process is killed before a system call that writes, at every 23rd such call."""
    ended = subprocess.run(
        [sys.executable, "-c", STEPS, tmp_path, os.environ.get("WEIR_KILL_STRIDE", "23")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    *acknowledged, (_, last) = [line.split() for line in ended.stdout.splitlines()]
    assert int(last) > 30
    for folder in tmp_path.iterdir():
        numbers = [int(number) for step, number in acknowledged if step == folder.name]
        store = Store(folder)
        assert store.batches - len(numbers) in (0, 1)
        if store.batches:
            times_ns = store.sql("SELECT time_ns FROM reports ORDER BY report")
            assert [row["time_ns"] for row in times_ns] == list(range(5 * store.batches))
            assert store.sql("SELECT count(*) AS n FROM hops") == [{"n": 15 * store.batches}]
        # The next process goes on.
        store.add(reports(1), times(1))
        store.compact()
        names = {path.name for path in folder.iterdir()}
        assert {".adding", ".merging", "store.json"} < names and len(names) == 4


def test_acknowledged_batches_survive_a_kill(tmp_path: Path) -> None:
    """Senders are killed at many moments; each continues where the previous one stopped."""
    folder, size = tmp_path / "run", 2000
    for moment_s in (0.005, 0.03):
        sender = subprocess.Popen(
            [sys.executable, "-c", SENDER, folder, str(size)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
        assert sender.stdout is not None
        acknowledged = [int(sender.stdout.readline())]
        try:
            sender.wait(moment_s)
        except subprocess.TimeoutExpired:
            sender.kill()
        acknowledged += map(int, sender.stdout.read().split())
        assert sender.wait() == -signal.SIGKILL
        sender.stdout.close()
        store = Store(folder)
        # Whole batches only: those that were acknowledged, and possibly the one in progress.
        assert store.batches - 1 - acknowledged[-1] in (0, 1)
        result = store.sql(
            "SELECT count(*) AS n, count(DISTINCT time_ns) AS times, max(time_ns) AS last FROM reports"
        )
        total = store.batches * size
        assert result == [{"n": total, "times": total, "last": total - 1}]
        assert store.sql("SELECT count(*) AS n FROM hops") == [{"n": 3 * total}]
    store.compact()
    assert not list(folder.glob(".*.partial"))


def test_the_same_reports_give_the_same_bytes(tmp_path: Path) -> None:
    results = []
    for name in ("one", "two"):
        store, chance = Store(tmp_path / name), random.Random(9)
        for _ in range(3):
            store.add([random_payload(chance) for _ in range(300)] + [b"?"], times(301))
        files = [path.read_bytes() for path in sorted(store.folder.rglob("*.parquet"))]
        store.compact()
        files += [path.read_bytes() for path in sorted(store.folder.rglob("*.parquet"))]
        results.append(files + [path.read_bytes() for path in store.export(tmp_path / f"{name}-tables")])
    assert results[0] == results[1] and len(results[0]) == 9 + 3 + 3


def test_the_reference_describes_each_column() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "telemetry.md"
    parts = re.split(r"^## Table `(\w+)`$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    described = {
        table: re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)))
        for table, text in zip(parts[::2], parts[1::2], strict=True)
    }
    assert described == {table: list(tables.columns(table)) for table in ("reports", "hops", "bad")}


def test_two_senders_and_a_question_at_the_same_time(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "run"), Store(tmp_path / "run")
    numbers = [store.add(reports(3), times(3)).number for store in (one, two, one, one, two)]
    assert numbers == [0, 1, 2, 3, 4]
    with one.connection() as connection:
        two.add(reports(5), times(5))
        assert connection.execute("SELECT count(*) FROM reports").fetchone() == (15,)
    assert one.sql("SELECT count(*) AS n FROM reports") == [{"n": 20}]


def test_mistakes_are_reported(tmp_path: Path) -> None:
    with pytest.raises(weir.FileError, match=r"no telemetry store: there is no file store.json"):
        Store(tmp_path / "none").sql("SELECT 1")
    assert not (tmp_path / "none").exists()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(weir.FileError, match="is not empty and no telemetry store"):
        Store(tmp_path).add(reports(1), times(1))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    store = Store(tmp_path / "run")
    store.add(reports(1), times(1))
    with pytest.raises(weir.FileError, match=r"Catalog Error: Table with name nothing does not exist"):
        store.sql("SELECT * FROM nothing")
    with pytest.raises(weir.FileError, match=r'report does not exist! Did you mean "reports"\?$'):
        store.sql("SELECT * FROM report")
    with pytest.raises(ValueError, match="1 payloads with 2 times"):
        store.add(reports(1), times(2))
    about = tmp_path / "run" / "store.json"
    about.write_text(json.dumps({"version": 2, "origin_ns": 0}))
    with pytest.raises(weir.FileError, match=r"store.json: telemetry store of format 1, but"):
        store.sql("SELECT 1")
    about.write_text("{")
    with pytest.raises(weir.FileError, match=r"is damaged, or not the description of a telemetry store"):
        Store(tmp_path / "run").add(reports(1), times(1))


def test_questions_survive_a_merge(tmp_path: Path) -> None:
    """The files of a question are merged and removed after it has begun."""
    store = Store(tmp_path / "run")
    for number in range(3):
        store.add(reports(4, 4 * number), times(4))
    asked = 0

    def question(connection: duckdb.DuckDBPyConnection) -> object:
        nonlocal asked
        asked += 1
        Store(tmp_path / "run").compact()
        return connection.execute("SELECT count(*) FROM hops").fetchone()

    assert store._ask(question) == (36,) and asked == 2
    (store.folder / "000000000-000000002" / "reports.parquet").write_bytes(b"damaged")
    with pytest.raises(weir.FileError, match=r"reports\.parquet"):
        store.overview()


def test_a_merge_removes_no_batch_that_is_added_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process adds a batch whenever the merging one has read the folder."""
    store, other = Store(tmp_path / "run"), Store(tmp_path / "run")
    for _ in range(3):
        store.add(reports(1), times(1))
    read = Path.iterdir
    adding, added = False, 3

    def reading(path: Path) -> list[Path]:
        nonlocal adding, added
        batches = list(read(path))
        if path == store.folder and not adding and added < 9:
            adding = True
            other.add(reports(1), times(1))
            added, adding = added + 1, False
        return batches

    monkeypatch.setattr(Path, "iterdir", reading)
    store.compact()
    monkeypatch.undo()
    assert added == 9
    assert store.sql("SELECT count(*) AS n FROM reports") == [{"n": added}] and store.batches == added


def test_a_process_that_has_not_looked_for_long_adds_after_a_merge(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "run"), Store(tmp_path / "run")
    one.add(reports(1), times(1))
    for _ in range(4):
        two.add(reports(1), times(1))
    two.compact()
    assert one.add(reports(1), times(1)).number == 5
    two.compact()
    assert one.batches == 6 and one.sql("SELECT count(*) AS n FROM reports") == [{"n": 6}]


def test_a_listing_during_a_merge_misses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process merges: the first reading of the folder sees neither old nor new files."""
    store = Store(tmp_path / "run")
    for _ in range(3):
        store.add(reports(1), times(1))
    read, first = Path.iterdir, True

    def reading(path: Path) -> list[Path]:
        nonlocal first
        batches = list(read(path))
        if path == store.folder and first:
            first = False
            return [one for one in batches if one.name == "store.json"]
        return batches

    monkeypatch.setattr(Path, "iterdir", reading)
    assert store.batches == 3


def test_one_process_merges_at_a_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    for _ in range(2):
        store.add(reports(1), times(1))
    with store._segments.merging_alone() as alone:
        assert alone
        Store(tmp_path / "run").compact()
        assert (store.folder / "000000001").exists()
    store.compact()
    assert not (store.folder / "000000001").exists()


FULL = """
import resource, sys
import weir
from handmade_reports import path_report
from weir.telemetry import Store

store = Store(sys.argv[1])
store.add([path_report([1])], [0])
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    store.add([path_report([number], latencies=[number * 7919 % 10007]) for number in range(5000)], range(5000))
except weir.FileError as error:
    print(error)
print(store.batches, sorted(path.name for path in store.folder.iterdir()))
"""


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk. The store stays unchanged."""
    folder = tmp_path / "run"
    ended = subprocess.run(
        [sys.executable, "-c", FULL, folder],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines() == [
        f"{folder}: cannot be written: File too large",
        "1 ['.adding', '000000000', 'store.json']",
    ]


def test_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(weir.FileError, match="cannot be written"):
        Store(tmp_path / "file" / "run").add(reports(1), times(1))

"""The parts of the comparison with the kernel's TCP that need neither root nor the kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PEER = ROOT / "peers" / "linux"


def compare(*arguments: str | Path) -> str:
    ended = subprocess.run(
        [sys.executable, PEER / "compare.py", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout


def results(file: Path, **cells: list[dict[str, Any]]) -> Path:
    """Writes a file of results; names have `_` for a space and `q` for 0.25."""
    with file.open("w") as out:
        for name, runs in cells.items():
            full = name.strip("_").replace("_", " ").replace("q", "0.25")
            for number, run in enumerate(runs, 1):
                out.write(json.dumps({"name": full, "repetition": number, **run}) + "\n")
    return file


def run(goodput: float, queue: float, retransmits: int) -> dict[str, Any]:
    return {"goodput": [goodput], "queue_ms": queue, "retransmits": [retransmits]}


@pytest.fixture
def linux(tmp_path: Path) -> Path:
    return results(
        tmp_path / "linux.jsonl",
        _10_50_1_bbr=[run(9.0, 10.0, 90), run(9.1, 11.5, 100), run(9.2, 10.5, 110)],
        _10_10_q_reno=[run(4.0, 1.0, 100), run(4.1, 1.05, 130)],
        _10_10_1_reno=[run(9.0, 5.0, 0), run(9.0, 5.0, 0)],
        two_reno=[{"goodput": [5.0, 4.0], "queue_ms": 20.0, "retransmits": [10, 20]}],
    )


def test_the_table_marks_differences(linux: Path, tmp_path: Path) -> None:
    weir = results(
        tmp_path / "weir.jsonl",
        _10_50_1_bbr=[run(9.1, 14.0, 100)],
        _10_10_q_reno=[run(8.0, 1.0, 100)],
        _10_10_1_reno=[run(9.5, 5.4, 0)],
        two_reno=[{"goodput": [4.0, 4.2], "queue_ms": 21.0, "retransmits": [12, 18]}],
    )
    lines = compare("table", linux, weir).splitlines()
    assert lines == [
        "| cell | goodput | queue_ms | retransmits | |",
        "|---|---|---|---|---|",
        "| 10 10 0.25 reno | 4.05 / 8 = 1.98 | 1.025 / 1 = 0.98 | 115 / 100 = 0.87 | differs |",
        "| 10 10 1 reno | 9 / 9.5 = 1.06 | 5 / 5.4 = 1.08 | 0 / 0 | same |",
        "| 10 50 1 bbr | 9.1 / 9.1 = 1.00 | 10.5 (10 to 11.5) / 14 = 1.33 | 100 / 100 = 1.00 | Linux varies |",
        "| two reno | 5 / 4 = 0.80, 4 / 4.2 = 1.05 | 20 / 21 = 1.05 | 10 / 12 = 1.20, 20 / 18 = 0.90 "
        "| differs from one run |",
    ]
    assert len(compare("table", linux, weir, "--only", "^two").splitlines()) == 3


def test_records_cells_with_one_flow(linux: Path, tmp_path: Path) -> None:
    csv = tmp_path / "linux.csv"
    compare("record", linux, csv)
    assert csv.read_text().splitlines() == [
        "name,goodput,goodput_range,queue_ms,queue_ms_range,retransmits,retransmits_range",
        "10 10 0.25 reno,4.050,0.100,1.025,0.050,115.000,30.000",
        "10 10 1 reno,9.000,0.000,5.000,0.000,0.000,0.000",
        "10 50 1 bbr,9.100,0.200,10.500,1.500,100.000,20.000",
    ]


def test_missing_cells_run_in_weir(tmp_path: Path) -> None:
    out = tmp_path / "weir.jsonl"
    only = ("--only", "^(10 10 1 reno|short 10 bbr|tbf bbr|udp 12)$", "--repeat", "1")
    compare("weir", out, *only)
    runs = {entry["name"]: entry for entry in map(json.loads, out.read_text().splitlines())}
    assert set(runs) == {"10 10 1 reno", "short 10 bbr", "tbf bbr", "udp 12"}
    assert 9 < runs["10 10 1 reno"]["goodput"][0] < 9.57
    # Two round trips of 40 ms, and the time of nine frames at 10 Mbit/s.
    assert 88 < runs["short 10 bbr"]["completion_ms"] < 90
    assert 9.3 < runs["tbf bbr"]["goodput"][0] < 9.57
    # A sixth does not pass, and the small datagrams.
    assert 16.5 < runs["udp 12"]["loss_percent"] < 17.5
    before = out.read_text()
    compare("weir", out, *only)
    assert out.read_text() == before

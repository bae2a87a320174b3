"""The delay lab on the real thing: compiler, switch, hosts and links."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from weir.labs import LABS, Options, copy_lab

DELAY = LABS["delay"]


def run(out: Path, **options: Any) -> Path:
    with Path(os.devnull).open("w") as nowhere:
        DELAY.run(Options(out=out, console=Console(file=nowhere), quiet=True, **options))
    return out


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Quick results by profile, each made once."""
    return functools.cache(
        lambda profile: run(tmp_path_factory.mktemp(profile) / "delay", quick=True, profile=profile)
    )


@pytest.fixture(params=DELAY.profiles)
def quick(request: pytest.FixtureRequest, results: Callable[[str], Path]) -> Path:
    return results(request.param)


@pytest.fixture
def default(results: Callable[[str], Path]) -> Path:
    return results("default")


def summary(out: Path) -> dict[str, Any]:
    return json.loads((out / "summary.json").read_text())


def test_no_ping_is_lost(quick: Path) -> None:
    cells = summary(quick)["cells"]
    assert len(cells) == 25
    assert all(cell["sent"] == cell["received"] == 40 for cell in cells)


def test_unlimited_links_give_the_predicted_line(quick: Path) -> None:
    found = summary(quick)
    fit = next(fit for fit in found["fits"] if fit["rate_bps"] is None)
    passes = 2 * found["pass_latency_ms"]
    assert fit["r2"] >= 0.9999
    assert fit["b_ms"] == pytest.approx(passes, rel=1e-3)
    assert fit["a_ms"] == pytest.approx(passes + found["host_processing_ms"], rel=1e-3)


def test_slow_links_give_the_theory(quick: Path) -> None:
    slow = [cell for cell in summary(quick)["cells"] if cell["rate_bps"] and cell["rate_bps"] <= 10**6]
    assert len(slow) == 15
    for cell in slow:
        transmissions = 4 * 1242 * 8 * 1e3 / cell["rate_bps"]
        assert cell["rtt_theory_ms"] > transmissions
        assert cell["rtt_min_ms"] == pytest.approx(cell["rtt_theory_ms"], rel=5e-3)


def test_every_rate_has_the_same_step(quick: Path) -> None:
    found = summary(quick)
    assert len(found["fits"]) == 5
    for fit in found["fits"]:
        assert fit["b_ms"] == pytest.approx(2 * found["pass_latency_ms"], rel=1e-3)
        assert fit["r2"] >= 0.9999


def test_replies_pass_one_router(quick: Path) -> None:
    assert pl.read_parquet(quick / "results.parquet")["ttl"].unique().to_list() == [63]


@pytest.mark.parametrize("executor", [None, "interp"])
def test_the_same_seed_gives_the_same_bytes(default: Path, tmp_path: Path, executor: str | None) -> None:
    def digests(out: Path) -> dict[str, str]:
        files = (path for path in out.rglob("*") if path.is_file())
        return {str(f.relative_to(out)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    first, second = digests(default), digests(run(tmp_path / "again", quick=True, executor=executor))
    assert first == second
    assert sum(name.endswith(".pcapng") for name in first) == 2


def test_the_lab_takes_less_than_a_minute(tmp_path: Path) -> None:
    began = time.monotonic()
    cells = summary(run(tmp_path / "whole"))["cells"]
    assert time.monotonic() - began < 60
    assert len(cells) == 25
    assert all(cell["sent"] == cell["received"] == 1000 for cell in cells)
    assert all(cell["rtt_min_ms"] == cell["rtt_max_ms"] for cell in cells)
    assert "minimum, average and maximum are one" in (tmp_path / "whole" / "report.html").read_text()


def test_a_copied_lab_runs(tmp_path: Path) -> None:
    copy_lab(DELAY, tmp_path / "mine")
    ran = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tmp_path / "mine",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    head, *rows = ran.stdout.splitlines()
    assert head.split()[:2] == ["X", "received"]
    assert [row.split()[:2] for row in rows] == [[str(x), "100/100"] for x in (0, 1, 3, 7, 15)]
    assert {row.split()[-1] for row in rows} == {"63"}


@pytest.fixture(scope="module")
def tshark() -> str:
    found = shutil.which("tshark")
    if found is None:
        if os.environ.get("WEIR_REQUIRE_TSHARK"):
            pytest.fail("tshark is not installed, but WEIR_REQUIRE_TSHARK is set")
        pytest.skip("tshark is not installed: captures are not checked (Debian: apt-get install tshark)")
    return found


VERIFY = ("-o", "ip.check_checksum:TRUE")  # ICMP's is always verified
WRONG = (
    "_ws.malformed || _ws.expert.severity == error || ip.checksum.status == 0 || icmp.checksum.status == 0"
)
VERIFIED = "ip.checksum.status == 1 && icmp.checksum.status == 1"


def read(tshark: str, capture: Path, *arguments: str) -> list[list[str]]:
    """What tshark prints, split at tabs."""
    command = [tshark, "-n", *VERIFY, "-r", str(capture), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return [line.split("\t") for line in ran.stdout.splitlines()]


def capture(out: Path, end: str) -> Path:
    (found,) = (path for path in (out / "captures").iterdir() if end in path.name)
    return found


@pytest.mark.parametrize("end", ["h1", "h2"])
def test_tshark_finds_nothing_wrong(tshark: str, default: Path, end: str) -> None:
    assert len(read(tshark, capture(default, end), "-Y", VERIFIED)) == 80
    assert read(tshark, capture(default, end), "-Y", WRONG) == []


def test_tshark_would_find_a_wrong_byte(tshark: str, default: Path, tmp_path: Path) -> None:
    whole = capture(default, "h1").read_bytes()
    address = bytes((10, 0, 1, 1, 10, 0, 2, 2))
    assert address in whole
    broken = tmp_path / "broken.pcapng"
    broken.write_bytes(whole.replace(address, bytes((10, 0, 1, 9, 10, 0, 2, 2)), 1))
    assert len(read(tshark, broken, "-Y", WRONG)) == 1


def test_packets_are_routed_once_on_the_wire(tshark: str, default: Path) -> None:
    columns = ("eth.src", "eth.dst", "ip.ttl", "frame.len")
    fields = ("-T", "fields", *(part for column in columns for part in ("-e", column)))
    h1, s1p1 = "08:00:00:00:01:11", "08:00:00:00:01:00"
    h2, s1p2 = "08:00:00:00:02:22", "08:00:00:00:02:00"
    expected = {
        ("h1", 8): [h1, s1p1, "64", "1242"],
        ("h2", 8): [s1p2, h2, "63", "1242"],
        ("h2", 0): [h2, s1p2, "64", "1242"],
        ("h1", 0): [s1p1, h1, "63", "1242"],
    }
    for (end, kind), row in expected.items():
        seen = f"icmp.type == {kind}"
        assert read(tshark, capture(default, end), "-Y", seen, *fields) == [row] * 40


def test_captures_and_results_agree(tshark: str, default: Path) -> None:
    fields = ("-T", "fields", "-e", "icmp.type", "-e", "frame.time_epoch")
    rows = read(tshark, capture(default, "h1"), *fields)
    assert [kind for kind, _ in rows] == ["8", "0"] * 40
    times = [round(float(time) * 1e9) for _, time in rows]
    results = pl.read_parquet(default / "results.parquet")
    cell = results.filter((pl.col("recirculations") == 3) & (pl.col("rate_bps") == 10**6))
    assert [round(1e9 * time) for time in cell["time_s"]] == times[0::2]
    rtts = [back - out for out, back in zip(times[0::2], times[1::2], strict=True)]
    assert [round(1e6 * rtt) for rtt in cell["rtt_ms"]] == rtts

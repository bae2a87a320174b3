"""The lab compare-worlds: one part in both worlds, and its answer about limits."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import needed
import weir
from weir.lab import run_lab
from weir.lab.worlds import Pair, difference_percent
from weir_labs.compare_worlds.network import network
from weir_labs.compare_worlds.processor import Processors
from weir_labs.compare_worlds.report.limits import answer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def linux() -> None:
    """Skips if this computer has no Linux world."""
    try:
        network("linux", seed=1).close()
    except weir.NetworkError as error:
        if "allows no network namespaces" not in str(error) and "needs the program" not in str(error):
            raise
        needed.skip(f"a Linux world: {error}", "WEIR_REQUIRE_NAMESPACES")


def test_both_worlds_run_side_by_side(linux: None, tmp_path: Path) -> None:
    outcome = run_lab("compare-worlds", tmp_path / "out", quick=True, only=["round-trips", "datagrams"])
    assert not outcome.failures and set(outcome.findings) == {"round-trips", "datagrams"}
    trips = pl.read_parquet(tmp_path / "out" / "round-trips" / "runs.parquet")
    virtual, real = (
        trips.filter(pl.col("world") == world).row(0, named=True) for world in ("virtual", "linux")
    )
    # Nothing in the real world is faster than the delay: one way and back.
    assert virtual["rtt_min_ms"] > 2 and real["rtt_min_ms"] >= 2
    loads = pl.read_parquet(tmp_path / "out" / "datagrams" / "runs.parquet")
    assert loads["sent"].min() > 100
    # The link cannot carry more than its rate in either world; the rest waits or is lost.
    assert loads["loss_percent"].min() > 0
    page = outcome.report.read_text()
    assert "differ each time" in page and "byte for byte" not in page
    assert {"round-trips.svg", "datagram-loss.svg"} <= {
        path.name for path in (tmp_path / "out" / "plots").iterdir()
    }


def test_the_routers_of_the_linux_world_can_be_bmv2(linux: None, tmp_path: Path) -> None:
    for program in ("simple_switch", "p4c-bm2-ss"):
        needed.need(program)
    if "weir shims install" in Path(shutil.which("simple_switch") or "").read_bytes()[:4096].decode(
        "latin-1"
    ):
        needed.skip("simple_switch of p4lang: the PATH has Weir's stand-in")
    values = {"switch": ["simple_switch"], "count": ["5"], "delay": ["1ms"]}
    outcome = run_lab("compare-worlds", tmp_path / "out", only=["round-trips"], values=values, seeds=1)
    assert not outcome.failures
    trips = pl.read_parquet(tmp_path / "out" / "round-trips" / "runs.parquet")
    assert trips["lost"].sum() == 0 and trips["rtt_min_ms"].min() >= 2


def row(goodput: float, busy: float = 50.0, drops: float = 0.0) -> dict[str, float]:
    return {
        "goodput_mbps": goodput,
        "busy_percent": busy,
        "before_percent": 5.0,
        "softirq_percent": 20.0,
        "kernel_percent": 10.0,
        "backlog_drops": drops,
    }


@pytest.mark.parametrize(
    ("linux_row", "expected"),
    [
        (row(95.0), "keeps up to the fastest link, 100Mbit: processors busy for 50 %"),
        (
            row(50.0, busy=99.0),
            "falls behind at 100Mbit: 50 Mbit/s instead of 96. The processors have no time left",
        ),
        (row(50.0, drops=7.0), "The kernel dropped 7 packets between interfaces"),
        (
            row(50.0),
            "The cause was not measured: no packet was dropped between interfaces, and processors are",
        ),
        (None, "One of the worlds has no runs."),
    ],
)
def test_limits_are_explained(linux_row: dict[str, float] | None, expected: str) -> None:
    pairs_of_rates: list[tuple[str, Pair]] = [
        ("10Mbit", (row(9.6), row(9.6))),
        ("100Mbit", (row(96.0), linux_row)),
    ]
    assert expected in answer(pairs_of_rates[-1:] if linux_row is None else pairs_of_rates)


def test_differences_need_both_worlds() -> None:
    assert difference_percent(({"x": 10.0}, {"x": 9.0}), "x") == pytest.approx(-10)
    for pair in [
        ({"x": 10.0}, None),
        (None, {"x": 1.0}),
        ({"x": 0.0}, {"x": 1.0}),
        ({"x": 1.0}, {"x": None}),
    ]:
        assert difference_percent(pair, "x") is None


def test_the_processors_are_busy_at_most_all_the_time() -> None:
    processors = Processors()
    sum(range(3_000_000))
    usage = processors.usage()
    assert 0 <= usage.softirq_percent <= usage.busy_percent <= 100
    assert usage.backlog_drops >= 0 and usage.squeezed >= 0

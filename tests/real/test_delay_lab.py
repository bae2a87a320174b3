"""The delay lab on real hosts, next to the virtual world."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from weir.lab import run_lab

pytestmark = pytest.mark.usefixtures("namespaces")

VALUES = {
    "rate": ["1Mbit"],
    "link": ["10Mbit"],
    "x": ["7"],
    "mbps": ["5.0"],
    "switches": ["1"],
    "pings": ["15"],
}


@pytest.fixture(scope="module")
def lab(namespaces: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a few points."""
    out = tmp_path_factory.mktemp("delay") / "out"
    outcome = run_lab("delay", out, quick=True, values=VALUES, world="linux")
    assert outcome.failures == []
    assert list(outcome.findings) == ["rtt", "custom", "udp-throughput", "tcp-throughput"]
    return out


def both(lab: Path, part: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The run of a point in each world."""
    runs = {row["world"]: row for row in pl.read_parquet(lab / part / "runs.parquet").to_dicts()}
    return runs["virtual"], runs["linux"]


def test_round_trips_take_the_links_time(lab: Path):
    virtual, linux = both(lab, "rtt")
    assert linux["ttl"] == virtual["ttl"] == 63
    assert linux["received"] == virtual["received"] == 15
    # Four times 1242 bytes at 1 Mbit/s, on idle links too; the rest is the computer's own time.
    assert 39.744 <= virtual["rtt_min_ms"] - 0.016 < 39.75
    assert 39.744 <= linux["rtt_min_ms"] < 500


def test_custom_packets_count_the_same_passes(lab: Path):
    virtual, linux = both(lab, "custom")
    for name in ("received", "answered", "ingress_num", "egress_num", "ping_received", "ping_ttl"):
        assert linux[name] == virtual[name], name
    assert linux["ingress_num"] == 8


def test_datagrams_and_tcp_are_limited_by_the_link(lab: Path):
    virtual, linux = both(lab, "udp-throughput")
    assert virtual["loss_percent"] == 0
    assert linux["loss_percent"] < 1
    assert linux["goodput_mbps"] == pytest.approx(virtual["goodput_mbps"], rel=0.05)
    virtual, linux = both(lab, "tcp-throughput")
    # A busy computer may give TCP less, and never more.
    assert 0.5 * virtual["goodput_mbps"] < linux["goodput_mbps"] < 1.02 * virtual["goodput_mbps"]


def test_the_report_has_both_worlds(lab: Path):
    page = (lab / "report.html").read_text(encoding="utf-8")
    assert "weir lab run delay --world linux --quick" in page
    # Matplotlib draws text as paths, and notes it.
    plot = (lab / "plots" / "rtt-worlds.svg").read_text(encoding="utf-8")
    for world in ("virtual", "linux"):
        assert f"<!-- {world}, 1 Mbit/s -->" in plot

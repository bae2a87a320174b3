"""Round trips of the delay lab, and packets on the wire."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.image import imread

from needed import need
from weir import Network
from weir_labs.delay.chain import chain, program, recirculate
from weir_labs.delay.machines import MACHINES


@pytest.fixture(scope="module")
def runs(delay: Path) -> pl.DataFrame:
    return pl.read_parquet(delay / "rtt" / "runs.parquet")


def test_no_ping_is_lost_and_ttl_is_that_of_one_router(runs: pl.DataFrame) -> None:
    assert runs.height == 75
    assert runs.filter(pl.col("sent") != pl.col("received")).is_empty()
    assert runs["ttl"].unique().to_list() == [63]


@pytest.mark.parametrize(
    ("profile", "a", "b"),
    [("bmv2-vm", 1.023, 0.624), ("bmv2-server", 2.242, 1.990), ("modern", 0.002, 0.002)],
)
@pytest.mark.parametrize("rate", [None, 10**9, 10**6, 10**5, 10**4])
def test_the_line_is_that_through_all_round_trips_of_the_thesis(
    runs: pl.DataFrame, profile: str, a: float, b: float, rate: int | None
) -> None:
    name = {None: "unlimited", 10**9: "1Gbit", 10**6: "1Mbit", 10**5: "100kbit", 10**4: "10kbit"}[rate]
    cells = runs.filter(pl.col("profile") == profile, pl.col("rate") == name)
    slope, start = np.polyfit(cells["x"].to_numpy(), cells["rtt_min_ms"].to_numpy(), 1)
    sent = 0.0 if rate is None else 4 * 1242 * 8 * 1e3 / rate
    assert slope == pytest.approx(b, rel=1e-2)
    assert start == pytest.approx(a + sent, rel=1e-2)


def test_the_picture_of_the_readme_is_that_of_the_lab(delay: Path) -> None:
    drawn = imread(delay / "plots" / "rtt-rates.png")
    picture = imread(Path(__file__).parents[2] / "docs" / "images" / "delay-rtt.png")
    assert drawn.shape == picture.shape
    # Other versions of Matplotlib may draw some edges differently.
    assert np.abs(drawn - picture).mean() < 0.005, "copy plots/rtt-rates.png of the lab's results"


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The captures of all links during 40 pings at X = 3, for tshark."""
    need("tshark", required="WEIR_REQUIRE_TSHARK")
    folder = tmp_path_factory.mktemp("captures")
    machine = MACHINES["bmv2-vm"]
    with Network(chain(1, machine, "1Mbit"), program("delay"), profile=machine.profile, pcap=folder) as net:
        recirculate(net, 3)
        assert net.host("h1").ping("h2", count=40, size=1200, interval="100ms").received == 40
    return folder


WRONG = (
    "_ws.malformed || _ws.expert.severity == error || ip.checksum.status == 0 || icmp.checksum.status == 0"
)


def read(folder: Path, end: str, *arguments: str) -> list[list[str]]:
    (capture,) = (path for path in folder.iterdir() if end in path.name)
    command = ["tshark", "-n", "-o", "ip.check_checksum:TRUE", "-r", str(capture), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return [line.split("\t") for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("end", ["h1", "h2"])
def test_tshark_finds_nothing_wrong(captures: Path, end: str) -> None:
    assert len(read(captures, end, "-Y", "ip.checksum.status == 1 && icmp.checksum.status == 1")) == 80
    assert read(captures, end, "-Y", WRONG) == []


def test_packets_are_routed_once_on_the_wire(captures: Path) -> None:
    columns = ("eth.src", "eth.dst", "ip.ttl", "frame.len")
    fields = ("-T", "fields", *(part for column in columns for part in ("-e", column)))
    h1, s1p1 = "08:00:00:00:01:11", "08:00:00:01:01:01"
    h2, s1p2 = "08:00:00:00:02:22", "08:00:00:01:01:02"
    expected = {
        ("h1", 8): [h1, s1p1, "64", "1242"],
        ("h2", 8): [s1p2, h2, "63", "1242"],
        ("h2", 0): [h2, s1p2, "64", "1242"],
        ("h1", 0): [s1p1, h1, "63", "1242"],
    }
    for (end, kind), row in expected.items():
        assert read(captures, end, "-Y", f"icmp.type == {kind}", *fields) == [row] * 40

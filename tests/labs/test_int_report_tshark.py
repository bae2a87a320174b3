"""tshark reads the frames of the lab int-report on all links, and reports no errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from tshark import require_tshark, tshark

import weir
from weir_labs.int_report.chain import chain, program
from weir_labs.int_report.reader import read_reports

CHECKED = ("ip.check_checksum:TRUE", "udp.check_checksum:TRUE", "tcp.check_checksum:TRUE")
RIGHT = "ip.checksum.status == 1 && (udp.checksum.status == 1 || tcp.checksum.status == 1)"


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The captures of all links during 30 datagrams and a TCP transfer."""
    require_tshark()
    folder = tmp_path_factory.mktemp("captures")
    with weir.Network(chain(3, tcp=True), program(), pcap=folder) as net:
        read_reports(net)
        assert net.host("h1").iperf("h2", udp=True, count=30, length="501B").received == 30
        assert net.host("h1").iperf("h2", size="30kB", mss="1001B").bytes == 30_000
        net.run_for("100ms")
    return folder


def read(folder: Path, end: str, filter: str) -> int:
    """The number of frames at a link end that match a filter of tshark."""
    return len(tshark(folder, end, *(part for option in CHECKED for part in ("-o", option)), "-Y", filter))


@pytest.mark.parametrize("end", ["h1", "s1-p2", "s2-p2", "h2"])
def test_lengths_and_checksums_of_all_frames_are_right(captures: Path, end: str) -> None:
    frames = read(captures, end, "ip")
    assert frames > 80 and read(captures, end, RIGHT) == frames
    assert read(captures, end, "_ws.malformed || _ws.expert.severity == error") == 0


def test_telemetry_and_reports_appear_on_the_right_links(captures: Path) -> None:
    for end in ("s1-p2", "s2-p2"):
        assert read(captures, end, "udp.dstport == 1337 && ip.src == 10.0.1.1") == 30
        assert read(captures, end, "udp.dstport == 1338 && ip.src == 10.0.2.2") == 30
        assert read(captures, end, "tcp.dstport == 1337") >= 30
    for end in ("h1", "h2"):
        assert read(captures, end, "udp.dstport == 1337 || tcp.dstport == 1337") == 0
    assert read(captures, "h2", "udp.dstport == 1338 || udp.dstport == 1339") == 0
    assert read(captures, "h1", "udp.dstport == 1339") >= 30

"""tshark reads the labs' own headers with the dissectors that come with Weir."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from needed import need
from weir.wireshark import FOLDER
from weir_labs.firewall.office import Office
from weir_labs.int_report.chain import network as int_network
from weir_labs.int_report.reader import read_reports
from weir_labs.queue_occupancy.chain import network as queue_network
from weir_labs.queue_occupancy.probes import start_probes
from weir_labs.shorternet.hybrid_network import hybrid_network
from weir_labs.shorternet.node import Node


@pytest.fixture(autouse=True)
def tshark() -> None:
    need("tshark", required="WEIR_REQUIRE_TSHARK")


def fields(capture: Path, filter: str, *names: str) -> list[list[str]]:
    """The values of some fields of each frame that matches a filter."""
    scripts = [part for file in sorted(FOLDER.glob("*.lua")) for part in ("-X", f"lua_script:{file}")]
    options = [part for name in names for part in ("-e", name)]
    command = ["tshark", "-n", *scripts, "-r", str(capture), "-Y", filter, "-T", "fields", *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0 and "Lua" not in ran.stderr, ran.stderr
    return [line.split("\t") for line in ran.stdout.splitlines()]


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Pings, a damaged datagram, an undamaged one, and TCP, on links of both kinds."""
    with hybrid_network() as net:
        n3 = net.host("n3").run(Node(), frames=True)
        net.host("n4").run(Node(), frames=True)
        capture = net.capture(tmp_path_factory.mktemp("captures") / "hybrid.pcapng", ["s1-p1", "h1"])
        assert net.host("h1").ping("10.0.3.1", count=2).received == 2
        n3.send_datagram(1, 5000, b"whole")
        net.host("n3").send(bytes.fromhex("01 03 11 40 0fa0 1388 000d 1234 7765697264"))
        net.host("n3").send(bytes.fromhex("01 03 11 40 0fa0 1388 000d 0000 7765697264"))
        net.run_for("1ms")
        net.host("h1").iperf("h5", size="3kB")
        yield capture.close()


def test_shorternet_is_told_from_ethernet(hybrid: Path) -> None:
    frames = fields(
        hybrid, "shorternet", "shorternet.dst", "shorternet.src", "shorternet.protocol", "shorternet.ttl"
    )
    assert frames[:4] == [["3", "1", "1", "63"], ["1", "3", "1", "63"]] * 2
    assert frames[4:7] == [["1", "3", "17", "63"]] * 3 and {frame[2] for frame in frames[7:]} == {"6"}
    # Behind the header is what Wireshark knows.
    assert len(fields(hybrid, "shorternet && icmp.type == 8", "icmp.seq")) == 2
    assert fields(hybrid, "shorternet && tcp.flags.syn == 1 && tcp.flags.ack == 0", "tcp.dstport") == [
        ["5201"]
    ]
    # All other frames are Ethernet's, and none is malformed.
    all_frames = len(fields(hybrid, "frame", "frame.number"))
    assert all_frames == len(frames) + len(fields(hybrid, "eth && ip", "frame.number"))
    assert fields(hybrid, "_ws.malformed", "frame.number") == []


def test_damaged_datagrams_are_shown(hybrid: Path) -> None:
    checksums = fields(hybrid, "shorternet && udp", "shorternet.checksum")
    assert checksums == [["right"], ["wrong"], ["none"]]
    assert {tuple(one) for one in fields(hybrid, "shorternet && !udp", "shorternet.checksum")} == {("right",)}


def test_reports_are_read(tmp_path: Path) -> None:
    with int_network(3, tcp=True) as net:
        reader = read_reports(net)
        capture = net.capture(tmp_path / "int.pcapng", ["h1", "s2-p2"])
        net.host("h1").iperf("h2", udp=True, count=2, length="100B")
        net.host("h1").iperf("h2", size="3kB", mss="1001B")
        net.run_for("10ms")
        path = capture.close()
    names = ["weir_int.hops", "weir_int.dstport", "weir_int.switch", "weir_int.sent", "weir_int.time"]
    values = fields(path, "weir_int && udp.dstport == 1338 && eth.dst == 08:00:00:00:01:01", *names)
    expected = [
        [
            f"{len(report.hops)}",
            f"{report.dst_port}",
            *(
                ",".join(f"{getattr(hop, name)}" for hop in reversed(report.hops))
                for name in ("switch_id", "tx_bytes", "timestamp_us")
            ),
        ]
        for _, datagram, report in reader.reports
        if datagram.port == 1338
    ]
    assert len(expected) == 2 and values == expected
    # Two hops on the last link, and the payload after them.
    there = fields(path, "weir_int && udp.dstport == 1337", "weir_int.hops", "data.len")
    assert there == [["2", "100"]] * 2
    assert fields(path, "weir_int && tcp.dstport == 1337", "weir_int.switch")[0] == ["2,1"]
    assert fields(path, "weir_int && udp.dstport == 1339", "weir_int.hops")[0] == ["3"]


def test_probes_are_read(tmp_path: Path) -> None:
    with queue_network() as net:
        _, reader = start_probes(net, "50ms")
        capture = net.capture(tmp_path / "queue.pcapng", ["h3"])
        for source, target in (("h1", "h3"), ("h2", "h4")):
            net.host(source).start_iperf(target, duration="300ms")
        net.run_for("1s")
        path = capture.close()
        depths = [probe.depth for probe in reader.probes]
    values = fields(
        path, "weir_telemetry && tcp.dstport == 7777", "weir_telemetry.depth", "weir_telemetry.type"
    )
    assert values == [[f"{depth}", "0x0800"] for depth in depths] and max(depths) > 0


def test_custom_packets_and_feedback_are_read(tmp_path: Path) -> None:
    ethernet = "080000000202 080000000111"
    ip = "4500 0014 0000 4000 40 01 0000 0a000101 0a000202"
    topology = weir.Topology()
    for number in (1, 2):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24")
    topology.add_link("h1", "h2")
    with weir.Network(topology) as net:
        capture = net.capture(tmp_path / "custom.pcapng", ["h1"])
        for header in ("1313 0800 0065 03 04", "7778 0015 0800", "1313 0800 00", "7777 00"):
            net.host("h1").send(bytes.fromhex(ethernet + header + (ip if len(header) > 12 else "")))
        net.run_for("1ms")
        path = capture.close()
    names = ["weir_passes.content", "weir_passes.ingress", "weir_passes.egress", "ip.dst"]
    assert fields(path, "weir_passes.content", *names) == [["101", "3", "4", "10.0.2.2"]]
    assert fields(path, "weir_telemetry.depth && eth.type == 0x7778", "weir_telemetry.depth", "ip.dst") == [
        ["21", "10.0.2.2"]
    ]
    assert len(fields(path, "frame", "frame.number")) == 4


def test_a_handshake_is_read(tmp_path: Path) -> None:
    with Office(seed=1) as office:
        capture = office.net.capture(tmp_path / "join.pcapng", ["h1"])
        office.join("h1")
        office.net.host("h1").send(bytes(12) + bytes.fromhex("88b5 01"))
        office.agents["h1"].leave()
        office.net.run_for("10ms")
        path = capture.close()
        nonce = office.agents["h1"].sent[-1][19:35].hex()
    values = fields(
        path, "weir_admission", "weir_admission.kind", "weir_admission.address", "weir_admission.nonce"
    )
    assert [row[:2] for row in values] == [[f"{kind}", "10.0.0.1"] for kind in (1, 2, 3, 4, 5)]
    assert [row[2] for row in values[1:]] == [nonce] * 4
    assert len(fields(path, "frame", "frame.number")) == 6

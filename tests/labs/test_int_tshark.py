"""tshark with the lab's int.lua shows the same as the decoder in Python, in all modes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from handmade import Listener, tcp_frame, udp_frame
from int_chain import FROM_H1, embed_data, embed_instructions, export_data
from tshark import require_tshark, tshark

import weir
from weir.telemetry import Hop, Report, read_embedded
from weir_labs.int.chain import FOLDER, chain, drop_entries, program
from weir_labs.int.collector import collect

MODES = {
    "MD": embed_data(0xFF81, by_port=1),
    "MX": embed_instructions(0xFF81, by_port=1),
    "XD": export_data(0xFF81),
}
SCRIPT = ("-X", f"lua_script:{FOLDER / 'int.lua'}")
VALUES = {
    "node": "node",
    "ingress_port": "ingress",
    "egress_port": "egress",
    "latency_us": "latency",
    "queue": "queue",
    "queue_packets": "queue.occupancy",
    "ingress_time_us": "ingress_time",
    "egress_time_us": "egress_time",
    "logical_ingress": "logical_ingress",
    "logical_egress": "logical_egress",
    "utilization_ppm": "utilization",
    "complement": "complement",
}
"""Fields of a hop, and their names in tshark."""

Run = tuple[Path, list[bytes], list[Report]]


@pytest.fixture(scope="module", params=MODES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Captures of datagrams and a connection; the frames from s2 to s3; the reports."""
    require_tshark()
    folder = tmp_path_factory.mktemp("captures")
    watch = [MODES[request.param], *drop_entries(FROM_H1, 0)]
    with weir.Network(chain(3, "10Mbit", watch=watch, logical=True), program(), pcap=folder) as net:
        collector, end = collect(net), net.sniff("s2-p2")
        net.host("h1").start_iperf("h2", udp=True, count=9, length="501B", rate="9Mbit")
        assert net.host("h1").iperf("h2", size="4kB", mss="1001B").bytes == 4000
        net.run_for("100ms")
        net.switch("s3").table("ipv4_lpm").clear()
        net.host("h2").run(Listener(), udp=5000)
        net.switch("s3").table("ipv4_lpm").insert(
            {"hdr.packet.ipv4.dstAddr": ["10.0.3.3", 32]},
            "ipv4_forward",
            {"dstAddr": "08:00:00:00:03:01", "port": 3},
        )
        for frame in (udp_frame(b"dropped"), tcp_frame(b"dropped")):
            net.host("h1").send(frame)
        net.run_for("100ms")
    assert not collector.bad and sum(report.dropped for _, report in collector.reports) == 2
    return folder, [bytes(frame) for frame in end.frames], [report for _, report in collector.reports]


def shown(folder: Path, end: str, *fields: str) -> list[dict[str, list[str]]]:
    """The fields of all frames, each with all its values."""
    options = [part for field in fields for part in ("-e", field)]
    lines = tshark(folder, end, *SCRIPT, "-T", "fields", "-E", "separator=;", *options)
    return [
        {name: value.split(",") if value else [] for name, value in zip(fields, line.split(";"), strict=True)}
        for line in lines
    ]


def columns(hops: Sequence[Hop]) -> dict[str, list[str]]:
    """The values of hops as tshark shows them: only available values, the newest node's first."""
    found = {}
    for name, field in VALUES.items():
        values = [getattr(hop, name) for hop in hops]
        form = "0x{:08x}" if name == "complement" else "{}"
        found[f"int.hop.{field}"] = [form.format(value) for value in values if value is not None]
    return found


def test_frames_between_switches(run: Run) -> None:
    folder, frames, _ = run
    headers = ("int.type", "int.remaining_hops", "int.instructions", "int.original.port", "int.original.dscp")
    text = shown(
        folder, "s2-p2", *headers, *(f"int.hop.{field}" for field in VALUES.values()), "telemetry_report.node"
    )
    assert len(text) == len(frames) > 20
    seen = 0
    for line, frame in zip(text, frames, strict=True):
        if line.pop("telemetry_report.node"):
            assert frame[26:28] == b"\x0a\x01"
            continue
        inside = read_embedded(frame[14:])
        if inside is None:
            assert not any(line.values())
            continue
        seen += 1
        datagram = frame[23] == 17
        expected = {
            "int.type": ["1" if inside.mode == "MD" else "3"],
            "int.remaining_hops": [] if inside.remaining_hops is None else [f"{inside.remaining_hops}"],
            "int.instructions": ["0xff81"],
            "int.original.port": [f"{inside.original}"] if datagram else [],
            "int.original.dscp": [] if datagram else [f"0x{inside.original:02x}"],
            **columns(inside.hops[::-1]),
        }
        assert line == expected
    assert (seen > 10) == any(read_embedded(frame[14:]) for frame in frames)


def test_reports_at_the_collector(run: Run) -> None:
    folder, _, reports = run
    names = ("node", "sequence", "dropped", "tracked", "bits", "packet.src", "packet.srcport")
    text = shown(
        folder,
        "h3",
        *(f"telemetry_report.{name}" for name in names),
        "int.hop.drop_reason",
        *(f"int.hop.{field}" for field in VALUES.values()),
    )
    assert len(text) == len(reports) > 10
    for line, report in zip(text, reports, strict=True):
        local = {name: value for name, value in vars(report.local).items() if name != "node"}
        hops = [Hop(**local), *(reversed(report.embedded.hops) if report.embedded else ())]
        expected: dict[str, Any] = {
            "telemetry_report.node": [f"{report.node}"],
            "telemetry_report.sequence": [f"{report.sequence}"],
            "telemetry_report.dropped": [f"{int(report.dropped)}"],
            "telemetry_report.tracked": [f"{int(report.tracked)}"],
            "telemetry_report.bits": [f"0x{report.bits:04x}"],
            "telemetry_report.packet.src": ["10.0.1.1"],
            "telemetry_report.packet.srcport": [f"{int.from_bytes(report.packet[20:22])}"],
            "int.hop.drop_reason": ["29"] if report.dropped else [],
            **columns(hops),
        }
        assert line == expected


def test_nothing_is_malformed_and_checksums_are_right(run: Run) -> None:
    folder, frames, _ = run
    bad = "_ws.malformed || _ws.lua.error || _ws.expert.severity == error"
    for end in ("s2-p2", "h3"):
        assert tshark(folder, end, *SCRIPT, "-Y", bad) == []
    checked = [
        part
        for option in ("ip.check_checksum:TRUE", "udp.check_checksum:TRUE", "tcp.check_checksum:TRUE")
        for part in ("-o", option)
    ]
    # Reports have no UDP checksum: status 3 is "not present".
    right = "ip.checksum.status == 1 && (udp.checksum.status in {1, 3} || tcp.checksum.status == 1)"
    assert len(tshark(folder, "s2-p2", *checked, "-Y", right)) == len(frames)


def test_headers_that_make_no_sense_are_marked(tmp_path: Path) -> None:
    """A shim header that announces too many words, and metadata with an incomplete hop."""
    require_tshark()
    short = udp_frame(bytes.fromhex("14ff 1388 2000"), port=5555)
    ragged = udp_frame(bytes.fromhex("1404 1388 2000 0208 9000 0000 0000 0000 00000001"), port=5555)
    with weir.Network(chain(2, None), program(), pcap=tmp_path) as net:
        for frame in (short, ragged):
            net.host("h1").send(frame)
        net.run_for("1ms")
    assert len(tshark(tmp_path, "h1", *SCRIPT, "-Y", "int.malformed.expert")) == 2

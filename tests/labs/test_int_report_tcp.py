"""Telemetry over TCP and on every n-th packet in the lab int-report."""

from __future__ import annotations

import struct
from pathlib import Path

import polars as pl
import pytest
from handmade import checksums_are_right, internet_checksum

from weir_labs.int_report.chain import network
from weir_labs.int_report.frames import telemetry_bytes
from weir_labs.int_report.reader import read_reports

MSS = 1000


def tcp_checksum_is_right(frame: bytes) -> bool:
    segment = frame[34 : 14 + struct.unpack_from("!H", frame, 16)[0]]
    pseudo = frame[26:34] + struct.pack("!BBH", 0, 6, len(segment))
    return internet_checksum(pseudo + segment) == 0 and internet_checksum(frame[14:34]) == 0


def payload_bytes(frame: bytes) -> int:
    """The fields of a TCP segment."""
    return struct.unpack_from("!H", frame, 16)[0] - 20 - 4 * (frame[46] >> 4)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("switches", [1, 2, 4])
def test_segments_pass_bit_identical_and_make_reports(switches: int, every: int) -> None:
    with network(switches, every=every, tcp=True) as net:
        ends = [net.sniff(end) for end in ("h1", "s1-p2", f"s{switches}-p2")]
        reader = read_reports(net)
        result = net.host("h1").iperf("h2", size="40kB", mss=f"{MSS}B", port=80)
        net.run_for("100ms")
    sent, first, last = (
        [
            bytes(frame)
            for frame in end.frames
            if bytes(frame)[12:14] == b"\x08\x00"
            and bytes(frame)[23] == 6
            and bytes(frame)[26:30] == b"\x0a\0\x01\x01"
        ]
        for end in ends
    )
    assert result.bytes == 40_000 and len(sent) > 40
    # From the transport header on, h2 gets the bytes that h1 sent.
    assert [frame[34:] for frame in last] == [frame[34:] for frame in sent]
    assert all(tcp_checksum_is_right(frame) for frame in sent + first + last)
    data = [place for place, frame in enumerate(sent) if payload_bytes(frame) > 0]
    chosen = data[::every] if switches > 1 else []
    assert [place for place, frame in enumerate(first) if frame[36:38] == b"\x05\x39"] == chosen
    for place, (before, after) in enumerate(zip(sent, first, strict=True)):
        assert len(after) == len(before) + (telemetry_bytes(1) if place in chosen else 0)
    assert len(reader.reports) == len(data[::every]) and reader.bad_reports == 0
    for _, datagram, report in reader.reports:
        assert datagram.port == 1339 and report.dst_port == 80
        assert [hop.switch_id for hop in report.hops] == list(range(1, switches + 1))


def test_reports_on_segments_are_valid_datagrams() -> None:
    with network(3, tcp=True) as net:
        back = net.sniff("h1", "udp port 1339")
        read_reports(net)
        net.host("h1").iperf("h2", size="20kB", mss=f"{MSS}B")
        frames = [bytes(frame) for frame in back.frames]
    assert len(frames) >= 20
    assert all(checksums_are_right(frame) and len(frame) == 42 + telemetry_bytes(3) for frame in frames)


def test_without_tcp_segments_are_plain() -> None:
    with network(3) as net:
        reader = read_reports(net)
        net.host("h1").iperf("h2", size="20kB", mss=f"{MSS}B")
        assert reader.reports == []


@pytest.mark.parametrize("every", [1, 2, 7])
def test_every_nth_datagram_of_each_flow_has_telemetry(every: int) -> None:
    with network(3, pairs=2, every=every) as net:
        end = net.sniff("s1-p2")
        for source in ("h1", "h3"):
            read_reports(net, source)
        flows = [
            net.host(source).start_iperf(
                "h2", udp=True, count=30, length="100B", rate="500kbit", source_port=port, port=5000 + port
            )
            for source, port in (("h1", 4000), ("h1", 4001), ("h3", 4000))
        ]
        net.run_for("1s")
        assert all(flow.result().received == 30 for flow in flows)
        frames = [bytes(frame) for frame in end.frames]
    for address, port in ((b"\x0a\0\x01\x01", 4000), (b"\x0a\0\x01\x01", 4001), (b"\x0a\0\x03\x03", 4000)):
        mine = [
            struct.unpack_from("!H", frame, 36)[0] == 1337
            for frame in frames
            if frame[26:30] == address and frame[34:36] == port.to_bytes(2, "big") and frame[23] == 17
        ]
        assert mine[:30] == [place % every == 0 for place in range(30)]


def runs(int_report: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(int_report / part / "runs.parquet")


def test_tcp_gets_what_the_lengths_of_segments_allow(int_report: Path) -> None:
    rows = runs(int_report, "tcp")
    assert set(rows["congestion"]) == {"cubic", "bbr"} and set(rows["every"]) == {0, 1, 8}
    for row in rows.iter_rows(named=True):
        # 14 + 20 + 20 + 1400 bytes of a segment, of which 12 are options.
        frame = 1454 + (39 / row["every"] if row["every"] else 0)
        assert row["predicted_mbps"] == pytest.approx(6 * 1388 / frame)
        assert row["goodput_mbps"] == pytest.approx(row["predicted_mbps"], rel=0.01)


def test_segments_received_make_reports(int_report: Path) -> None:
    for row in runs(int_report, "tcp").iter_rows(named=True):
        expected = row["segments"] / row["every"] if row["every"] else 0
        # A segment that arrives twice makes two reports; a lost segment makes none.
        assert expected * 0.98 - 2 <= row["reports"] <= expected * 1.02 + row["retransmits"] + 2
        assert row["bad_reports"] == 0
        if row["every"]:
            assert 0 <= row["longest_queue"] - row["reported_longest"] <= 3


def test_reports_follow_the_queue_over_time(int_report: Path) -> None:
    series = pl.read_parquet(int_report / "tcp" / "frames" / "series.parquet")
    for (_,), cells in series.filter(pl.col("every") == 1).partition_by("congestion", as_dict=True).items():
        assert cells.select(pl.corr("queue", "reported")).item() > 0.98


def test_telemetry_on_fewer_packets_costs_less_and_tells_less(int_report: Path) -> None:
    rows = runs(int_report, "every-nth")
    for row in rows.iter_rows(named=True):
        assert row["reports"] == pytest.approx(row["sent"] / row["every"], abs=5)
        assert row["telemetry_percent"] == pytest.approx(100 * 51 / 1400 / row["every"])
        assert row["fitting_mbps"] == pytest.approx(6 * 1400 / (1442 + 51 / row["every"]))
        assert row["reported_longest"] <= row["longest_queue"]
        # Loss begins where the mean length of frames says.
        assert (row["alone_lost"] > 0) == (row["predicted_lost"] >= 1)
        assert row["alone_lost"] == pytest.approx(row["predicted_lost"], abs=3)
    means = rows.group_by("every").agg(pl.mean("error_packets")).sort("every")
    assert means["error_packets"].is_sorted() and means["error_packets"][-1] > 2 * means["error_packets"][0]
    assert rows.filter(pl.col("every") == 1)["alone_lost"].min() > 0
    assert rows.filter(pl.col("every") >= 4)["alone_lost"].sum() == 0

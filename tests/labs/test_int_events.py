"""Event detection in the lab int: packets with and without a report, and reports of drops."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from handmade import Listener, checksums_are_right, ipv4_frame, tcp_frame, udp_frame
from int_chain import FROM_H1, crossing, embed_data, embed_instructions, export_data

import weir
from weir.telemetry import Report
from weir_labs.int.chain import PATH, bypass_hop, chain, drop_entries, event_entry, program
from weir_labs.int.collector import collect
from weir_labs.int.events import PLANTED, WATCHED
from weir_labs.int.known import Packet
from weir_labs.int.oracle import Thresholds, expected_events
from weir_labs.int.record import Passage

SYN, ACK, FIN, RST = 0x02, 0x10, 0x11, 0x04


def reported(frames: list[bytes], watch: dict[str, Any], switches: int = 3, **thresholds: int) -> list[int]:
    """The places of the frames, sent every 100 µs, that the last switch reports."""
    _, collector = crossing(frames, [watch, event_entry(**thresholds)], switches, detect=True)
    assert not collector.bad
    return [time // 100_000 for time, report in collector.reports if report.node == switches]


def segment(flags: int, port: int = 0) -> bytes:
    return tcp_frame(b"data", flags=flags, options=bytes([1, 1, 1, port]) if port else b"")


@pytest.mark.parametrize("watch", [embed_data(PATH), embed_instructions(PATH, by_port=1), export_data(PATH)])
def test_flows_of_datagrams_are_reported_once(watch: dict[str, Any]) -> None:
    """Two flows in turn: each is reported once, in all modes."""
    one, other = udp_frame(b"weir"), udp_frame(b"weir", port=5001)
    assert reported([one, one, other, one, other, other], watch) == [0, 2]


def slot(port: int) -> int:
    """The cell in which a switch keeps a flow of datagrams to a port of h2: CRC-16/ARC, bit by
    bit."""
    crc = 0
    for byte in bytes.fromhex("0a000101 0a000202 11 0fa0") + port.to_bytes(2):
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc % 1024


def test_flows_in_one_slot_are_reported_too_often_but_not_too_rarely() -> None:
    other = next(port for port in range(5001, 65536) if slot(port) == slot(5000))
    free = next(port for port in range(5001, 65536) if slot(port) != slot(5000))
    one, same, apart = (udp_frame(b"weir", port=port) for port in (5000, other, free))
    assert reported([one, same, same, one, same], export_data(PATH)) == [0, 1, 3, 4]
    assert reported([one, apart, apart, one, apart], export_data(PATH)) == [0, 1]


def test_tcp_connections_are_reported_at_both_ends() -> None:
    """SYN and FIN are reported.

    Segments after FIN, and a second FIN, are not. A new SYN starts again.
    """
    flags = [SYN, ACK, ACK, FIN, ACK, FIN, ACK, SYN, ACK, RST, RST]
    assert reported([segment(one) for one in flags], embed_data(PATH)) == [0, 3, 7, 9]


def test_the_end_of_an_unknown_connection_is_reported() -> None:
    assert reported([segment(FIN), segment(ACK)], embed_data(PATH)) == [0]


def test_flows_that_paused_start_again() -> None:
    frame = udp_frame(b"weir")
    others = [udp_frame(b"weir", port=5001)] * 4
    assert reported([frame, frame, *others, frame], embed_data(PATH), idle_us=450) == [0, 2, 6]
    assert reported([frame, frame, *others, frame], embed_data(PATH), idle_us=550) == [0, 2]


def test_everything_is_news_again_after_a_reset() -> None:
    assert reported([udp_frame(b"weir")] * 10, embed_data(PATH), reset_us=300) == [0, 3, 6, 9]


def test_long_packets_take_no_other_path() -> None:
    """The metadata of s2 do not fit the MTU with a long packet.

    The missing hops are not an event.
    """
    short, long = udp_frame(bytes(100)), udp_frame(bytes(1000))
    options: dict[str, Any] = {"mtu": {2: 1028 + 32}, "detect": True}
    watch = [embed_data(PATH), event_entry(latency_us=1, queue_packets=1)]
    _, collector = crossing([short, long, short, long, long, short], watch, 4, **options)
    assert [time // 100_000 for time, _ in collector.reports] == [0]
    _, collector = crossing([long, long, short, short], watch, 4, **options)
    assert [(time // 100_000, len(report.hops)) for time, report in collector.reports] == [(0, 3), (2, 4)]


@pytest.mark.parametrize("mode", [embed_data(PATH, by_port=1), export_data(PATH)])
def test_paths_are_news(mode: dict[str, Any]) -> None:
    """s2 sends over the bypass for a while. With XD s4 sees another port, and s5 sees nothing."""
    topology = chain(5, None, watch=[mode, event_entry()], bypass=True, detect=True)
    with weir.Network(topology, program()) as net:
        collector = collect(net)
        net.host("h2").run(Listener(), udp=5000)
        routes = net.switch("s2").table("ipv4_lpm")
        (entry,) = [one for one in routes.entries() if "10.0.2.2" in one.match["hdr.packet.ipv4.dstAddr"]]
        usual = dict(entry.params)
        for number in range(9):
            net.at(f"{100 * number}us", lambda: net.host("h1").send(udp_frame(b"weir")))
        net.at("250us", lambda: routes.modify(entry, "ipv4_forward", bypass_hop(5)))
        net.at("550us", lambda: routes.modify(entry, "ipv4_forward", usual))
        net.run_for("2ms")
    seen = [(time // 100_000, report.node) for time, report in collector.reports]
    if mode["action_name"].endswith("export_data"):
        assert sorted(seen) == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (3, 2), (3, 4), (6, 2), (6, 4)]
    else:
        assert seen == [(0, 5), (3, 5), (6, 5)]
        nodes = [[hop.node for hop in report.hops] for _, report in collector.reports]
        assert nodes == [[1, 2, 3, 4, 5], [1, 2, 4, 5], [1, 2, 3, 4, 5]]


@pytest.mark.parametrize(("latency_us", "packets"), [(0, 0), (2500, 0), (0, 3), (10**6, 1000)])
def test_only_changes_beyond_thresholds_are_news(latency_us: int, packets: int) -> None:
    """Two bursts meet at s2: each report differs by the threshold from the one before."""
    events = event_entry(latency_us=latency_us, queue_packets=packets)
    topology = chain(4, "10Mbit", watch=[embed_data(PATH), events], detect=True, cross=True)
    with weir.Network(topology, program()) as net:
        collector, reference = collect(net), net.sniff("s2-p2")
        net.host("h2").run(Listener(), udp=5000)
        net.host("h4").start_iperf("h5", udp=True, rate="9Mbit", length="400B", duration="20ms")
        for number in range(30):
            net.at(f"{400 * number}us", lambda: net.host("h1").send(udp_frame(bytes(400))))
        net.run_for("100ms")
    assert len([frame for frame in reference.frames if frame.outbound]) > 70
    values = [
        [(hop.latency_us or 0) if latency_us else (hop.queue_packets or 0) for hop in report.hops]
        for _, report in collector.reports
    ]
    step = latency_us or packets
    if step in (0, 10**6):
        assert len(values) == 1
    else:
        assert 2 <= len(values) <= 12
        for one, two in pairwise(values):
            assert max(abs(a - b) for a, b in zip(one, two, strict=True)) >= step


BITMAPS = [0x0001, 0x8000, 0xF001, 0xFF81, 0x3000, 0xFFFF]


@pytest.mark.parametrize("bitmap", BITMAPS)
@pytest.mark.parametrize("switches", [2, 5, 12])
def test_hosts_see_what_was_sent_by_sinks_that_look(bitmap: int, switches: int) -> None:
    """Stacks of up to 64 words, and longer ones, are removed and reported whole."""
    sent = [udp_frame(b"weir"), tcp_frame(b"odd"), udp_frame(b"none", checksum=0)]
    for by_port in (0, 1):
        watch = [embed_data(bitmap, by_port=by_port, max_hops=255)]
        mtu = dict.fromkeys(range(1, switches + 1), 9000)
        links, collector = crossing(sent, watch, switches, detect=True, mtu=mtu)
        assert [frame[34:] for frame in links[-1]] == [frame[34:] for frame in sent]
        assert [frame[15] for frame in links[-1]] == [0, 0, 0]
        assert all(checksums_are_right(frame) for frames in links for frame in frames)
        assert [report.packet[20:] for _, report in collector.reports] == [
            frame[34 : len(frame) - size] for frame, size in zip(links[-2], (4, 3, 4), strict=True)
        ]
        assert {len(report.hops) for _, report in collector.reports} == {switches}


def test_long_stacks_are_judged_by_the_nearest_hops() -> None:
    assert reported([udp_frame(b"weir")] * 4, embed_data(0xFFFF, max_hops=255), 14, latency_us=50) == [0]


def dropped(frames: list[bytes], change: Any, watch: list[dict[str, Any]] | None = None) -> list[Report]:
    """The reports of drops by three switches, one per flow and ms."""
    entries = [*(watch or []), *drop_entries(FROM_H1, 1000)]
    _, collector = crossing(frames, entries, 3, change=change, detect=True)
    assert not collector.bad
    return [report for _, report in collector.reports if report.dropped]


def no_route(net: weir.Network) -> None:
    net.switch("s2").table("ipv4_lpm").clear()
    net.switch("s2").table("ipv4_lpm").insert(
        {"hdr.packet.ipv4.dstAddr": ["10.0.3.3", 32]},
        "ipv4_forward",
        {"dstAddr": "08:00:00:01:03:01", "port": 2},
    )


def test_a_worked_example_of_a_drop_report() -> None:
    """s2 has no route for a datagram with INT, which arrived at 1 µs at port 1.

    RepMdBits 0x4801: interfaces, ingress time, drop, 1 + 2 + 1 words. The packet: 5 words of IPv4,
    2 of UDP, 1 of the shim header, 3 of INT-MD, 2 of metadata. So the report has 2 + 4 + 13 words
    after its first. D and F are set. Without a route there is no egress port; 29 says why.
    """
    with weir.Network(
        chain(3, None, watch=[embed_data(0x9000, by_port=1), *drop_entries(FROM_H1, 0)]), program()
    ) as net:
        no_route(net)
        end = net.sniff("s2-p2")
        collect(net)
        net.host("h1").send(udp_frame(b"weir"))
        net.run_for("1ms")
        (frame,) = [bytes(frame) for frame in end.frames if frame.outbound]
    ethernet = "080000010301 080000010202 0800"
    ipv4 = "4500 0074 0000 4000 40 11 2175 0a010201 0a000303"
    udp = "1770 1770 0060 0000"
    individual = "14 13 04 a0 4801 0000 0000 0000 0001 0000 0000000000000001 00 1d 0000"
    packet = "4500 0038 1234 4000 3f 11 127f 0a000101 0a000202 0fa0 15b3 0024 08e3"
    int_md = "1405 1388 2000 0207 9000 0000 0000 0000 00000001 00000000"
    expected = f"{ethernet}{ipv4}{udp}20000000 00000002{individual}{packet}{int_md}".replace(" ", "")
    assert frame.hex() == expected


def test_each_reason_of_a_drop() -> None:
    old = ipv4_frame(17, udp_frame(b"weir")[34:], ttl=1)
    (report,) = dropped([old], None)
    assert (report.node, report.local.drop_reason, report.packet[8]) == (1, 31, 1)
    damaged = bytearray(udp_frame(b"weir"))
    damaged[24] ^= 1
    (report,) = dropped([bytes(damaged)], None)
    assert (report.node, report.local.drop_reason, report.local.ingress_port) == (1, 0, 1)
    (report,) = dropped([udp_frame(b"weir")], no_route)
    assert (report.node, report.local.drop_reason, report.tracked) == (2, 29, False)


def test_drops_of_a_flow_are_reported_once_in_a_period() -> None:
    frames = [udp_frame(b"weir")] * 25 + [tcp_frame(b"weir")]
    reports = dropped(frames, no_route, [export_data(PATH)])
    assert [(report.packet[9], report.tracked) for report in reports] == [
        (17, True), (17, True), (17, True), (6, True),
    ]  # fmt: skip


def test_a_full_queue_is_reported_before_it_overflows() -> None:
    entries = drop_entries(FROM_H1, 10**6, limit=20)
    with weir.Network(chain(4, "10Mbit", watch=entries, cross=True), program()) as net:
        collector = collect(net)
        net.host("h2").run(Listener(), udp=5000)
        for source, target, rate in (("h1", "h2", "9Mbit"), ("h4", "h5", "9.7Mbit")):
            net.host(source).start_iperf(target, udp=True, rate=rate, length="1000B", duration="100ms")
        sampler = net.sample("s2-p2", "1ms")
        net.run_for("500ms")
        longest = max(sampler.switch_queue().values)
        silent = [drop for drop in net.audit().drops if drop.place[0] == "s" and "full" in drop.reason]
    ((_, report),) = collector.reports
    assert (report.node, report.local.drop_reason, report.dropped, report.congested) == (2, 51, True, True)
    assert (report.local.ingress_port, report.local.egress_port) == (1, 2)
    assert 19 <= longest <= 21 and silent == []


def test_nothing_is_detected_or_dropped_without_entries() -> None:
    links, collector = crossing([udp_frame(b"weir")] * 5, [embed_data(PATH)], 3, detect=True)
    assert len(links[2]) == len(collector.reports) == 5


def test_all_planted_events_are_reported_and_nothing_else(int_lab: Path) -> None:
    runs = pl.read_parquet(int_lab / "events" / "runs.parquet")
    reported = pl.read_parquet(int_lab / "events" / "frames" / "told.parquet")
    for name in ("news_missing", "news_unexpected", "drop_missing", "drop_unexpected", "silent_drops"):
        assert runs[name].sum() == 0, name
    assert runs["bad_reports"].sum() == 0 and runs["drop_reports"].min() == 2
    counts = {
        (row["mode"], row["detection"]): (row["reports"], row["news_expected"]) for row in runs.to_dicts()
    }
    for (_, detection), (reports, expected) in counts.items():
        assert (reports == expected) == (detection != "off")
    assert counts["MD", "on"][0] < counts["MD", "reset"][0] < counts["MD", "off"][0] / 15
    on = reported.filter(pl.col("detection") == "on", pl.col("mode") == "MD")
    for planted in PLANTED:
        row = on.filter(pl.col("time_s") >= planted.at_s, pl.col("kind").is_in(planted.kinds)).row(
            0, named=True
        )
        # A packet of the flow comes every 4 ms; a full queue takes a while to fill, and to leave.
        slow = "full" in planted.what
        assert row["time_s"] - planted.at_s < (0.3 if slow or planted.kinds[0] == "latency" else 0.04)
        assert row["arrived_s"] - row["time_s"] < (0.06 if slow else 0.001)


def test_the_rules_in_python_notice_each_kind() -> None:
    """One changed value in a record of constant packets is an event of its kind."""

    def way(number: int, **changes: Any) -> dict[tuple[int, Packet], Passage]:
        start = 10_000_000 * number
        passages = [
            Passage(switch, 1, 2, start + 10**6 * switch, start + 10**6 * switch + 1000, (0, 0), 0)
            for switch in (1, 2, 3)
        ]
        passages[1] = replace(passages[1], **changes)
        key = WATCHED + bytes([17, 1, 1]) + bytes([1, 2]) + b"|" + bytes([number])
        return {(passage.switch, (key, 0)): passage for passage in passages}

    def kinds(**changes: Any) -> list[str]:
        record = {**way(1), **way(2, **changes), **way(3)}
        thresholds = Thresholds(500, 4, 0, 0)
        return [event.kind for event in expected_events(record, WATCHED, thresholds, 3)]

    assert kinds() == ["start"]
    assert kinds(egress_port=5) == ["start", "path", "path"]
    assert kinds(waiting=(4, 4)) == ["start", "queue", "queue"]
    assert kinds(waiting=(3, 3)) == ["start"]
    assert kinds(left_ns=22_501_000) == ["start", "latency", "latency"]

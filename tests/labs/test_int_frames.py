"""The frames of the lab int on every link: worked examples, all instructions, the hosts' frames."""

from __future__ import annotations

import random

import pytest
from handmade import checksums_are_right, internet_checksum, ipv4_frame, tcp_frame, udp_frame
from int_chain import crossing, embed_data, embed_instructions, export_data

import weir
from weir.telemetry import Hop, Instruction, read_embedded, words_of
from weir_labs.int import chain
from weir_labs.int.chain import program
from weir_labs.int.collector import collect

TIMES = bytes.fromhex("0101 080a 00000001 00000002")
"""TCP options: two no-operations, and timestamps (RFC 7323)."""


def hexes(frames: list[bytes]) -> list[str]:
    return [frame.hex() for frame in frames]


def plain(*texts: str) -> list[str]:
    return [text.replace(" ", "") for text in texts]


def test_the_program_has_no_warnings() -> None:
    assert weir.check(chain.FOLDER / "int.p4") == []


def test_int_md_over_udp() -> None:
    """The specification's example: node id and queue occupancy, at most 8 hops, NPT 1.

    Under the UDP checksum, s1 adds 2 · 0x18 for the lengths, 0x15b3 − 0x1388 for the port, and the
    words of INT, 0xd995: 0xdbf0 in all, so the checksum falls from 0xe4d3 to 0x08e3. s2 adds 2 · 8
    for the lengths, 2 for the shim's length, −1 for the hops, and its id: 0x13.
    """
    ip = "0a000101 0a000202"
    ports = "0fa0 15b3"
    (one, two, three), collector = crossing([udp_frame(b"weir")], [embed_data(0x9000, by_port=1)])
    hop1, hop2 = "00000001 00000000", "00000002 00000000"
    assert hexes(one) == plain(
        f"080000010201 080000010102 0800 4500 0038 1234 4000 3f 11 127f {ip}"
        f"{ports} 0024 08e3 1405 1388 2000 0207 9000 0000 0000 0000 {hop1} 77656972"
    )
    assert hexes(two) == plain(
        f"080000010301 080000010202 0800 4500 0040 1234 4000 3e 11 1377 {ip}"
        f"{ports} 002c 08d0 1407 1388 2000 0206 9000 0000 0000 0000 {hop2} {hop1} 77656972"
    )
    assert three[0][34:] == udp_frame(b"weir")[34:]
    ((time_ns, report),) = collector.reports
    assert time_ns == 3000 and report.hops == tuple(
        Hop(node=number, queue=0, queue_packets=0) if number < 3 else report.local for number in (1, 2, 3)
    )
    assert report.packet == two[0][14:-4]


def test_int_md_over_tcp() -> None:
    """The specification's example: DSCP 0x17 marks the packet; its own DSCP, 10, is in the shim.

    Under the TCP checksum, s1 adds 0x18 for the length, and the words of INT:
    0x1005 + 0x0028 + 0x2000 + 0x0207 + 0x9000 + 1.
    """
    sent = tcp_frame(b"weir", options=TIMES, dscp=10)
    (one, two, three), _ = crossing([sent], [embed_data(0x9000)])
    int1 = "1005 0028 2000 0207 9000 0000 0000 0000 00000001 00000000"
    int2 = "1007 0028 2000 0206 9000 0000 0000 0000 00000002 00000000 00000001 00000000"
    for (frame,), text, added in ((one, int1, 0xC24D), (two, int2, 0xC24D + 8 + 2 - 1 + 2)):
        inserted = bytes.fromhex(text)
        assert frame[15] == 0x17 << 2 and frame[66:] == inserted + b"weir"
        assert frame[34:50] + frame[52:66] == sent[34:50] + sent[52:66]
        (before, after) = (int.from_bytes(packet[50:52]) for packet in (sent, frame))
        assert (before - after - added) % 0xFFFF == 0 and checksums_are_right(frame)
    assert three[0][34:] == sent[34:] and three[0][15] == 10 << 2


def test_int_mx_over_udp() -> None:
    """The specification's example: instructions only, type 3; every switch reports."""
    watch = embed_instructions(0x9000, by_port=1)
    (one, two, three), collector = crossing([udp_frame(b"weir")], [watch])
    for (frame,), time_to_live in ((one, 63), (two, 62)):
        assert frame[42:].hex() == "".join(plain("3403 1388 2000 0000 9000 0000 0000 0000 77656972"))
        assert frame[36:38] == (5555).to_bytes(2) and frame[22] == time_to_live
        assert checksums_are_right(frame)
    assert three[0][34:] == udp_frame(b"weir")[34:]
    reports = sorted((report.node, report) for _, report in collector.reports)
    assert [node for node, _ in reports] == [1, 2, 3]
    assert [report.bits for _, report in reports] == [Instruction.QUEUE] * 3
    # Each report repeats the packet with its instructions; the source's, before it has decreased
    # the TTL.
    first, second, third = [report.packet for _, report in reports]
    assert (second, third) == (one[0][14:-4], two[0][14:-4])
    assert first[8] == 64 and internet_checksum(first[:20]) == 0
    assert first[:8] + first[12:] == second[:8] + second[12:]


def test_int_mx_over_tcp() -> None:
    """Type 3, NPT 0; three words. Under the checksum: 0x10 + 0x3003 + 0x28 + 0x2000 + 0x9000."""
    sent = tcp_frame(b"weir", options=TIMES, dscp=10)
    (one, two, three), _ = crossing([sent], [embed_instructions(0x9000)])
    for (frame,) in (one, two):
        assert frame[66:].hex() == "".join(plain("3003 0028 2000 0000 9000 0000 0000 0000 77656972"))
        before, after = (int.from_bytes(packet[50:52]) for packet in (sent, frame))
        assert (before - after - 0xE03B) % 0xFFFF == 0 and frame[15] == 0x17 << 2
    assert three[0][34:] == sent[34:] and three[0][15] == 10 << 2


def test_int_xd_leaves_packets_alone() -> None:
    sent = [udp_frame(b"weir"), tcp_frame(b"weir"), ipv4_frame(253, b"what protocol?")]
    links, collector = crossing(sent, [export_data(Instruction.NODE | Instruction.INTERFACES)])
    for frames in links:
        assert [frame[34:] for frame in frames] == [frame[34:] for frame in sent]
        assert [frame[14:22] for frame in frames] == [frame[14:22] for frame in sent]
    assert sorted(
        (report.node, report.local.ingress_port, report.local.egress_port) for _, report in collector.reports
    ) == [(node, 1, 2) for node in (1, 2, 3) for _ in sent]
    assert not collector.bad


@pytest.mark.parametrize("bit", [*range(9), 15])
def test_each_instruction(bit: int) -> None:
    """The metadata that s2 adds for an instruction, for a packet that arrives at 1 and leaves at 2
    µs."""

    def logical(net: weir.Network) -> None:
        net.switch("s2").table("logical_ingress").insert(
            {"standard_metadata.ingress_port": 1}, "set_logical_ingress", {"id": 101}
        )
        net.switch("s2").table("logical_egress").insert(
            {"standard_metadata.egress_port": 2}, "set_logical_egress", {"id": 102}
        )

    added = {
        0: "00000002",
        1: "0001 0002",
        2: "00000001",
        3: "00 000000",
        4: "0000000000000001",
        5: "0000000000000002",
        6: "00000065 00000066",
        7: "ffffffff",  # a link without a rate has no utilization
        8: "ffffffff",  # v1model has no shared buffer
    }
    bitmap = 0x8000 >> bit
    links, collector = crossing([udp_frame(b"weir")], [embed_data(bitmap)], change=logical)
    (frame,) = links[1]
    size = words_of(bitmap) * 4
    assert frame[43] == 3 + 2 * size // 4 and checksums_are_right(frame)
    assert frame[46:58].hex() == "".join(plain(f"2000 {size // 4:02x}06 {bitmap:04x} 0000 0000 0000"))
    if bit == 15:
        assert frame[58:60] == b"\0\0" and frame[40:42] == udp_frame(b"weir")[40:42]
    else:
        assert frame[58 : 58 + size].hex() == "".join(plain(added[bit]))
    ((_, report),) = collector.reports
    known = bitmap if bit in (1, 2, 3, 4, 5) else 0
    assert report.bits == known and report.embedded and len(report.embedded.hops) == 2


FLOWS = [
    (udp_frame, {}, 0),
    (udp_frame, {}, 1),
    (udp_frame, {"dscp": 0x17}, 0),
    (udp_frame, {"dscp": 0x17}, 1),
    (udp_frame, {"port": 5555}, 1),
    (udp_frame, {"checksum": 0}, 1),
    (tcp_frame, {}, 0),
    (tcp_frame, {"options": TIMES, "dscp": 46}, 0),
]


@pytest.mark.parametrize("bitmap", [0x0001, 0x8000, 0xF001, 0xFF80, 0xFF81, 0xFFFF, 0x007E])
@pytest.mark.parametrize(("make", "options", "by_port"), FLOWS)
def test_hosts_see_what_was_sent(make: object, options: dict[str, object], by_port: int, bitmap: int) -> None:
    """Checks that lengths and checksums are right on all links, and that h2 gets the bytes that h1
    sent."""
    chance = random.Random(bitmap)
    sizes = (0, 1, 2, 3, 17, 500, 1001)
    sent = [make(chance.randbytes(size), **options) for size in sizes]  # type: ignore[operator]
    for watch in (
        embed_data(bitmap, by_port=by_port),
        embed_instructions(bitmap, by_port=by_port),
    ):
        links, collector = crossing(sent, [watch], 4)
        assert [[frame[34:] for frame in links[3]], [frame[14:22] for frame in links[3]]] == [
            [frame[34:] for frame in sent],
            [frame[14:22] for frame in sent],
        ]
        assert all(checksums_are_right(frame) for frames in links for frame in frames)
        assert all(len(frame) > len(first) for first, frame in zip(sent, links[0], strict=True))
        assert not collector.bad
        assert all(report.embedded for _, report in collector.reports)
        assert len(collector.reports) == len(sent) * (1 if watch["action_name"].endswith("data") else 4)


def special(wanted: int) -> bytes:
    """A datagram whose computed checksum has a given value, because of the last word of its
    payload."""
    for last in range(0x10000):
        frame = udp_frame(b"x" * 6 + last.to_bytes(2))
        if frame[40:42] == wanted.to_bytes(2):
            return frame
    raise AssertionError(hex(wanted))


@pytest.mark.parametrize("bitmap", [0x9000, 0x9001])
def test_odd_checksums_survive(bitmap: int) -> None:
    # 0xffff stands for a computed 0 (RFC 768), and 0 for no checksum.
    sent = [special(0xFFFF), special(1), special(0xFFFE), udp_frame(b"none", checksum=0)]
    (one, two, three), _ = crossing(sent, [embed_data(bitmap)])
    assert [frame[34:] for frame in three] == [frame[34:] for frame in sent]
    assert all(checksums_are_right(frame) for frame in one + two)
    assert [frame[40:42] == b"\0\0" for frame in one] == [False, False, False, True]
    if bitmap & 1:
        assert [frame[40:42] for frame in one + two] == [frame[40:42] for frame in sent] * 2
        assert one[3][66:70] == two[3][66:70] == b"\xff" * 4  # the reserved value of a missing value


def test_damage_stays_visible() -> None:
    damaged = udp_frame(b"damaged", checksum=0x1234)
    for bitmap in (0x9000, 0x9001):
        links, _ = crossing([damaged], [embed_data(bitmap)])
        assert not any(checksums_are_right(frame) for frames in links for frame in frames)
        assert links[2][0][34:] == damaged[34:]


def test_other_flows_are_untouched() -> None:
    watch = embed_data(0x9000)
    watch["match"] = {
        "hdr.packet.ipv4.dstAddr": ["10.0.2.2", "255.255.255.255"],
        "meta.dst_port": [5001, 65535],
    }
    sent = [udp_frame(b"off", port=5000), udp_frame(b"on", port=5001), tcp_frame(b"off")]
    links, collector = crossing(sent, [watch])
    for frames in links[:2]:
        assert [frame[34:] == first[34:] for frame, first in zip(frames, sent, strict=True)] == [
            True,
            False,
            True,
        ]
    assert len(collector.reports) == 1


def test_fragments_pass_unchanged() -> None:
    first = bytearray(udp_frame(b"first fragment"))
    first[20:22] = b"\x20\x00"
    first[24:26] = (int.from_bytes(first[24:26]) + 0x2000).to_bytes(2)
    sent = [bytes(first), ipv4_frame(253, b"what protocol?")]
    links, collector = crossing(sent, [embed_data(0x9000)])
    for frames in links:
        assert [frame[34:] for frame in frames] == [frame[34:] for frame in sent]
    assert collector.reports == []


def test_padding_stays_at_the_end() -> None:
    padded = udp_frame(b"short").ljust(60, b"\0")
    (one, _, three), _ = crossing([padded], [embed_data(0x9000)])
    assert three[0][34:] == padded[34:] and len(one[0]) == 60 + 24
    embedded = read_embedded(one[0][14:])
    assert embedded is not None and embedded.hops == (Hop(node=1, queue=0, queue_packets=0),)


def test_sender_and_receiver_at_one_switch() -> None:
    sent = [udp_frame(b"near")]
    links, collector = crossing(sent, [embed_data(0xF000)], 1)
    assert links[0][0][34:] == sent[0][34:]
    assert [report.local for _, report in collector.reports] == [
        Hop(node=1, ingress_port=1, egress_port=2, latency_us=1, queue=0, queue_packets=0)
    ]


def test_hosts_cannot_send_int() -> None:
    """Datagrams from hosts to INT's port are dropped, and INT's DSCP becomes 0."""
    forged = udp_frame(bytes.fromhex("1403 1388 2000 0008 8000 0000 0000 0000"), port=5555)
    marked = udp_frame(b"", dscp=0x17)
    links, collector = crossing([forged, marked], [])
    assert [len(frames) for frames in links] == [1, 1, 1] and links[2][0][15] == 0
    assert links[2][0][34:] == marked[34:] and collector.reports == []


def test_tcp_connections_and_pings_work() -> None:
    watch = [embed_data(0xFF81, max_hops=255)]
    with weir.Network(chain.chain(4, watch=watch, mtu=dict.fromkeys(range(1, 5), 2000)), program()) as net:
        collector = collect(net)
        assert net.host("h1").iperf("h2", size="50kB").bytes == 50_000
        assert net.host("h1").ping("h2", count=2, interval="10ms").received == 2
        net.run_for("500ms")
    assert not collector.bad and len(collector.reports) > 34
    assert {len(report.hops) for _, report in collector.reports} == {4}

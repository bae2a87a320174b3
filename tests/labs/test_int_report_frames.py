"""The frames of the lab int-report on every link: an example, checksums, frames without
telemetry."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from handmade import Listener, checksums_are_right, internet_checksum, udp_frame

import weir
from weir_labs.int_report.chain import network
from weir_labs.int_report.frames import Hop, Report, frame_bytes, read_report, report_bytes
from weir_labs.int_report.reader import read_reports


def crossing(
    frames: Sequence[bytes], ends: Sequence[str], switches: int = 3, **options: object
) -> list[list[bytes]]:
    """The frames that leave each of these link ends if h1 sends frames over unlimited links."""
    with network(switches, None, **options) as net:  # type: ignore[arg-type]
        sniffers = [net.sniff(end) for end in ends]
        read_reports(net)
        net.host("h2").run(Listener(), udp=5000)
        for number, frame in enumerate(frames):
            net.at(f"{100 * number}us", lambda frame=frame: net.host("h1").send(frame))
        net.run_for(f"{100 * len(frames) + 1000}us")
        return [[bytes(frame) for frame in sniffer.frames if frame.outbound] for sniffer in sniffers]


def test_a_worked_example() -> None:
    """h1 sends the payload "weir" from port 4000 to port 5000 of h2, over three switches.

    Links take no time and a pass takes 1 us, so egress begins at 1, 2 and 3 us. The plain frame has
    46 bytes, and 61 and 73 with the data of one and two hops; each is the first at its port. The
    UDP checksums are 0xffff minus the folded sums: 0x1b2c plain, 0xcd18 after s1, 0x1b33 after s2,
    and 0x7766 in the report.
    """
    ip = "0a000101 0a000202"
    back = "0a000202 0a000101"
    hop1, hop2, hop3 = (
        "00000001 0000003d 0000 01 02",
        "00000002 00000049 0000 02 02",
        "00000003 0000002e 0000 03 02",
    )
    sent = f"080000010101 080000000101 0800 4500 0020 1234 4000 40 11 1197 {ip} 0fa0 1388 000c e4d3 77656972"
    report = f"0fa0 053a 002f 8899 03 1388 {hop3} {hop2} {hop1}"
    expected = {
        "s1-p2": f"080000010201 080000010102 0800 4500 002f 1234 4000 3f 11 1288 {ip} "
        f"0fa0 0539 001b 32e7 01 1388 {hop1} 77656972",
        "s2-p2": f"080000010301 080000010202 0800 4500 003b 1234 4000 3e 11 137c {ip} "
        f"0fa0 0539 0027 e4cc 02 1388 {hop2} {hop1} 77656972",
        "s3-p2": f"080000000201 080000010302 0800 4500 0020 1234 4000 3d 11 1497 {ip} 0fa0 1388 000c e4d3 77656972",
        "s3-p1": f"080000010202 080000010301 0800 4500 0043 1234 4000 40 11 1174 {back} {report}",
        "s2-p1": f"080000010102 080000010201 0800 4500 0043 1234 4000 3f 11 1274 {back} {report}",
        "s1-p1": f"080000000101 080000010101 0800 4500 0043 1234 4000 3e 11 1374 {back} {report}",
    }
    found = crossing([bytes.fromhex(sent)], list(expected))
    for (end, text), frames in zip(expected.items(), found, strict=True):
        assert [frame.hex() for frame in frames] == [bytes.fromhex(text).hex()], end
    assert udp_frame(b"weir") == bytes.fromhex(sent)


def test_the_reader_decodes_a_report() -> None:
    hops = bytes.fromhex("00000003 0000002e 0000 03 02  00000002 00000049 0001 02 02")
    assert read_report(b"\x02\x13\x88" + hops) == Report(5000, [Hop(2, 73, 1, 2, 2), Hop(3, 46, 0, 3, 2)])
    for bad in (b"", b"\x02\x13", b"\x02\x13\x88" + hops[1:], b"\x01\x13\x88" + hops):
        with pytest.raises(ValueError, match="a report "):
            read_report(bad)


@pytest.mark.parametrize("switches", [1, 2, 3, 20])
def test_lengths_and_checksums_are_right_on_every_link(switches: int) -> None:
    chance = random.Random(switches)
    sent = [udp_frame(chance.randbytes(size)) for size in (0, 1, 2, 3, 17, 18, 500, 1001, 1200)]
    ends = [f"s{number}-p2" for number in range(1, switches + 1)]
    back = [f"s{number}-p1" for number in range(1, switches + 1)]
    found = crossing(sent, ends + back, switches)
    for hops, frames in enumerate(found[: switches - 1], start=1):
        assert [len(frame) for frame in frames] == [len(frame) + 3 + 12 * hops for frame in sent]
        assert all(frame[36:38] == (1337).to_bytes(2, "big") and frame[42] == hops for frame in frames)
    for frames in found[switches:]:
        assert [len(frame) for frame in frames] == [report_bytes(switches)] * len(sent)
        assert all(frame[36:38] == (1338).to_bytes(2, "big") for frame in frames)
    assert all(checksums_are_right(frame) for frames in found for frame in frames)
    # h2 gets the frame that h1 sent, with the changes of routers: addresses, TTL and header
    # checksum.
    assert [frame[34:] for frame in found[switches - 1]] == [frame[34:] for frame in sent]
    assert [frame[14:22] for frame in found[switches - 1]] == [frame[14:22] for frame in sent]


def special(wanted: int) -> bytes:
    """A datagram whose computed checksum has a given value, because of the last word of its
    payload."""
    for last in range(0x10000):
        frame = udp_frame(b"x" * 6 + last.to_bytes(2, "big"))
        if frame[40:42] == wanted.to_bytes(2, "big"):
            return frame
    raise AssertionError(hex(wanted))


def test_h2_gets_checksums_unchanged() -> None:
    # 0xffff stands for a computed 0 (RFC 768), and 0 for no checksum.
    sent = [special(0xFFFF), special(1), special(0xFFFE), udp_frame(b"none", checksum=0)]
    first, second, third, reports = crossing(sent, ["s1-p2", "s2-p2", "s3-p2", "s1-p1"])
    assert [frame[34:] for frame in third] == [frame[34:] for frame in sent]
    assert all(checksums_are_right(frame) for frame in first + second + reports)
    assert first[3][40:42] == second[3][40:42] == b"\0\0"
    assert all(frame[40:42] != b"\0\0" for frame in first[:3] + second[:3] + reports)


def test_damaged_datagrams_make_no_report() -> None:
    wrong = udp_frame(b"damaged", checksum=0x1234)
    first, last, reports = crossing([wrong, udp_frame(b"whole")], ["s1-p2", "s3-p2", "s1-p1"])
    assert len(first) == 2 and not checksums_are_right(first[0])
    assert [frame[42:] for frame in last] == [b"whole"] and len(reports) == 1


def test_hosts_cannot_send_telemetry_or_reports() -> None:
    sent = [udp_frame(b"\x01" * 15, port=port) for port in (1337, 1338)]
    for every in (1, 0):
        assert crossing(sent, ["s1-p2"], every=every) == [[]]


def test_fragments_and_padded_frames_pass_unchanged() -> None:
    fragment = bytearray(udp_frame(b"first fragment"))
    fragment[20:22] = b"\x20\x00"
    fragment[24:26] = b"\0\0"
    fragment[24:26] = internet_checksum(bytes(fragment[14:34])).to_bytes(2, "big")
    padded = udp_frame(b"short").ljust(60, b"\0")
    found = crossing([bytes(fragment), padded], ["s1-p2", "s3-p2", "s1-p1"])
    for frames in found[:2]:
        assert [frame[34:] for frame in frames] == [bytes(fragment[34:]), padded[34:]]
    assert found[2] == []


def test_without_sources_frames_are_plain() -> None:
    sent = [udp_frame(b"plain")]
    first, last, reports = crossing(sent, ["s1-p2", "s3-p2", "s1-p1"], every=0)
    assert first[0][34:] == last[0][34:] == sent[0][34:] and reports == []


def test_other_protocols_pass_unchanged() -> None:
    with network(3) as net:
        ends = [net.sniff(end) for end in ("h1", "s1-p2", "s3-p2")]
        assert net.host("h1").ping("h2", count=2, interval="10ms").received == 2
        requests = [[bytes(frame) for frame in end.frames if frame.outbound] for end in ends]
        assert [[frame[34:] for frame in frames] for frames in requests[1:]] == [
            [frame[34:] for frame in requests[0]]
        ] * 2
        assert net.host("h1").iperf("h2", size="20kB").bytes == 20_000


def test_forged_telemetry_between_switches_is_dropped() -> None:
    """The hop count announces more hops than there are bytes."""
    with network(3, None) as net:
        out = net.sniff("s3-p2")
        frame = bytearray(udp_frame(b"\xff\x13\x88" + bytes(24), port=1337))
        net.switch("s1").table("edge_ports").clear()
        net.host("h1").send(bytes(frame))
        net.run_for("1ms")
        assert out.frames == [] and net.audit().dropped == 1


def test_lengths_of_the_theory() -> None:
    assert frame_bytes(1400) == 1442 and frame_bytes(1400, 4) == 1493 and report_bytes(5) == 105


def test_the_program_has_no_warnings() -> None:
    from weir_labs.int_report import chain

    assert weir.check(chain.FOLDER / "int.p4") == []


@pytest.mark.parametrize("count", [0, 1, 252, 253, 254, 255])
def test_hop_counts_up_to_the_last(count: int) -> None:
    """A datagram that has passed this many switches comes to the last two.

    The hop count has 8 bits, and one count is kept for the sink. A switch that cannot increase the
    count adds nothing, and a sink that cannot makes no report. h2 gets the datagram in any case.
    """
    hops = random.Random(count).randbytes(12 * count)
    telemetry = count.to_bytes(1, "big") + (5000).to_bytes(2, "big") + hops
    with network(2, None) as net:
        ends = [net.sniff(end) for end in ("s1-p2", "s2-p2", "s2-p1")]
        reader = read_reports(net)
        net.host("h2").run(Listener(), udp=5000)
        net.switch("s1").table("edge_ports").clear()
        net.host("h1").send(udp_frame(telemetry + b"odd", port=1337))
        net.run_for("1ms")
        between, last, back = ([bytes(frame) for frame in end.frames if frame.outbound] for end in ends)
    added = 1 if count < 254 else 0
    assert [(frame[42], len(frame)) for frame in between] == [
        (count + added, 42 + len(telemetry) + 12 * added + 3)
    ]
    assert [frame[42:] for frame in last] == [b"odd"] and last[0][36:38] == (5000).to_bytes(2, "big")
    assert all(checksums_are_right(frame) for frame in between + last + back)
    expected = [] if count == 255 else [count + added + 1]
    assert [len(report.hops) for _, _, report in reader.reports] == expected
    assert [frame[45 + 12 * (added + 1) :] for frame in back] == [hops] * len(expected)

"""Telemetry reports of the lab int: their bytes, and the decoder."""

from __future__ import annotations

import random
from typing import Any

import pytest
from handmade import tcp_frame, udp_frame
from int_chain import crossing, embed_data, embed_instructions, export_data

import weir
from weir.telemetry import Hop, read_embedded, read_reports
from weir_labs.int.chain import chain, program
from weir_labs.int.collector import collect


def test_a_worked_example() -> None:
    """The specification's example of a stacked report, with INT over UDP instead of before TCP.

    Its node id is in the group header, so one word of metadata, the queue, is left. Report length:
    2 fixed + 1 metadata + 5 IPv4 + 2 UDP + 1 shim + 3 INT-MD + 4 of the stack = 18 words.
    """
    with weir.Network(chain(3, None, watch=[embed_data(0x9000, by_port=1)]), program()) as net:
        end = net.sniff("s3-p3")
        net.host("h1").send(udp_frame(b"weir"))
        net.run_for("1ms")
        (frame,) = [bytes(frame) for frame in end.frames if frame.outbound]
    ethernet = "080000000301 080000010303 0800"
    ipv4 = "4500 0070 0000 4000 40 11 2079 0a010301 0a000303"
    udp = "1770 1770 005c 0000"
    group = "2 000000 0 00000003".replace(" ", "").rjust(16, "0")
    individual = "1 4 12 01 20 1000 0000 0000 0000 00000000"
    packet = "4500 0040 1234 4000 3e 11 1377 0a000101 0a000202 0fa0 15b3 002c 08d0"
    int_md = "1407 1388 2000 0206 9000 0000 0000 0000 00000002 00000000 00000001 00000000"
    expected = f"{ethernet}{ipv4}{udp}{group}{individual}{packet}{int_md}".replace(" ", "")
    assert frame.hex() == expected


@pytest.mark.parametrize(
    ("watch", "inner", "int_headers", "length", "total", "checksum"),
    [
        (export_data(0x9000), "4500 0020 1234 4000 40 11 1197", "", "0a", "0050", "2299"),
        (
            embed_instructions(0x9000, by_port=1),
            "4500 0030 1234 4000 40 11 1187",
            "3403 1388 2000 0000 9000 0000 0000 0000",
            "0e",
            "0060",
            "2289",
        ),
    ],
)
def test_worked_examples_of_reports_of_one_hop(
    watch: dict[str, Any], inner: str, int_headers: str, length: str, total: str, checksum: str
) -> None:
    """s1 reports its queue; its id is in the group header. XD: the headers of the packet as it
    arrived: 2 + 1 + 5 + 2 = 10 words. MX: the packet with its new headers, 4 words more, and with
    the TTL with which it arrived.
    """
    with weir.Network(chain(3, None, watch=[watch]), program()) as net:
        end = net.sniff("s1-p2")
        net.host("h1").send(udp_frame(b"weir"))
        net.run_for("1ms")
        (frame,) = [bytes(frame) for frame in end.frames if frame.outbound and bytes(frame)[27] == 1]
    udp = udp_frame(b"weir")
    ports = f"0fa0 {'15b3 001c' if int_headers else '1388 000c'}"
    # MX adds 0x10 twice for the lengths, 0x15b3 - 0x1388 for the port, and 0xf78b of INT headers.
    sum_under = int.from_bytes(udp[40:42]) - (0x20 + 0x22B + 0xF78B if int_headers else 0)
    udp_checksum = f"{(sum_under - 1) % 0xFFFF + 1:04x}"
    expected = (
        f"080000010201 080000010102 0800 4500 {total} 0000 4000 40 11 {checksum} 0a010101 0a000303"
        f"1770 1770 {int(total, 16) - 20:04x} 0000 20000000 00000001"
        f"14 {length} 01 20 1000 0000 0000 0000 00000000"
        f"{inner} 0a000101 0a000202 {ports} {udp_checksum} {int_headers}"
    )
    assert frame.hex() == expected.replace(" ", "")


def test_reports_are_numbered() -> None:
    _, collector = crossing([udp_frame(b"weir")] * 5, [embed_instructions(0x9000)])
    for node in (1, 2, 3):
        numbers = [report.sequence for _, report in collector.reports if report.node == node]
        assert numbers == [0, 1, 2, 3, 4]


def test_sequence_numbers_begin_again_at_two_to_the_22() -> None:
    def advance(net: weir.Network) -> None:
        net.switch("s3").register("sequence_number").write(0, 2**22 - 1)

    _, collector = crossing([udp_frame(b"weir")] * 2, [embed_data(0x9000)], change=advance)
    assert [report.sequence for _, report in collector.reports] == [2**22 - 1, 0]
    assert [report.hw_id for _, report in collector.reports] == [0, 0]


@pytest.mark.parametrize("payload", [0, 4, 64, 1000])
@pytest.mark.parametrize("make", [udp_frame, tcp_frame])
def test_reports_repeat_so_much_payload(make: object, payload: int) -> None:
    """Reports have whole words, and right lengths, also from 255 words on."""
    sizes = (0, 1, 3, 4, 5, 63, 64, 65, 800, 1000, 1003, 1200)
    sent = [make(random.Random(size).randbytes(size)) for size in sizes]  # type: ignore[operator]
    links, collector = crossing(sent, [embed_data(0xFFFF)], payload=payload)
    assert not collector.bad and len(collector.reports) == len(sent)
    for size, frame, (_, report) in zip(sizes, links[1], collector.reports, strict=True):
        repeated = min(payload, size) & ~3
        assert report.packet == frame[14 : len(frame) - size + repeated]


def test_reports_carry_no_int() -> None:
    """Reports cross watchlists that match everything, in all modes."""
    for action in ("embed_data", "embed_instructions", "export_data"):
        watch = embed_data(0x9000) if action == "embed_data" else embed_instructions(0x9000)
        if action == "export_data":
            watch |= {"action_name": "MyIngress.export_data", "action_params": {"instructions": 0x9000}}
        watch["match"] = {}
        with weir.Network(chain(4, None, watch=[watch]), program()) as net:
            collector = collect(net)
            net.host("h1").send(udp_frame(b"weir", target="h2"))
            net.run_for("2ms")
        about_reports = [report for _, report in collector.reports if report.packet[12:14] == b"\x0a\x01"]
        assert collector.reports and not collector.bad and about_reports == []


GROUP = "20000005 00000007"
INNER = "4500 001c 0000 0000 40 11 0000 0a000101 0a000202 0fa0 1388 0008 0000"
ONE = f"14 0a 01 a0 1000 0000 0000 0000 03000010 {INNER}"


def test_the_decoder_reads_groups_of_reports() -> None:
    data = bytes.fromhex(f"{GROUP} {ONE} 14 0b 02 a0 2001 0000 0000 0000 00000009 00120000 {INNER}")
    first, second = read_reports(data)
    assert (first.node, first.sequence, first.hw_id) == (7, 5, 0)
    assert first.local == Hop(node=7, queue=3, queue_packets=16)
    assert second.local == Hop(node=7, latency_us=9, drop_reason=0x12)
    assert (first.dropped, first.congested, first.tracked, first.intermediate) == (True, False, True, False)
    assert first.packet == second.packet == bytes.fromhex(INNER) and first.embedded is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "at least 12 bytes, found 0"),
        ("20000005 00000007", "at least 12 bytes, found 8"),
        (f"10000005 00000007 {ONE}", "version 1: expected 2"),
        (f"{GROUP} {ONE} 1400", "2 bytes after the last report"),
        (f"{GROUP} 24{ONE[2:]}", "report type 2 with inner type 4"),
        (f"{GROUP} 15{ONE[2:]}", "report type 1 with inner type 5"),
        (f"{GROUP} 14 20{ONE[5:]}", "a report of 32 words does not fit 44 bytes"),
        (f"{GROUP} 14 0a 09{ONE[8:]}", "a report of 10 words does not fit 44 bytes"),
        (f"{GROUP} 14 0a 02{ONE[8:]}", "2 words of metadata, but RepMdBits 0x1000"),
        (f"{GROUP} 14 0a 00{ONE[8:]}", "0 words of metadata, but RepMdBits 0x1000"),
    ],
)
def test_the_decoder_says_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_reports(bytes.fromhex(text))


def test_the_decoder_survives_random_bytes() -> None:
    """The decoder returns reports or raises a ValueError, also for nearly right bytes."""
    chance = random.Random(1)
    whole = bytes.fromhex(f"{GROUP} {ONE}")
    inner = crossing([udp_frame(b"weir")], [embed_data(0xFFFF, by_port=1)])[0][1][0][14:]
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        packet = bytearray(inner)
        packet[chance.randrange(len(packet))] = chance.randrange(256)
        for read, given in (
            (read_reports, bytes(data[: chance.randint(0, len(data))])),
            (read_embedded, bytes(packet[: chance.randint(0, len(packet))])),
        ):
            try:
                read(given)
            except ValueError:
                continue


def test_the_collector_keeps_bad_reports_apart() -> None:
    with weir.Network(chain(2, None), program()) as net:
        collector = collect(net)
        net.host("h1").send(udp_frame(b"no report", port=6000, target="h3"))
        net.run_for("1ms")
    assert collector.reports == []
    ((_, problem),) = collector.bad
    assert problem == "a telemetry report has at least 12 bytes, found 9"

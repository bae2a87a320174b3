"""Decoding many datagrams at once has the same results as decoding one after another."""

from __future__ import annotations

import random

import pytest
from both_readers import assert_the_same, column, flows_of, hops_of
from handmade_reports import group, individual, int_md, ipv4, path_report, random_payload, tcp, udp

from weir.telemetry import Hop, read_hop


@pytest.mark.parametrize("seed", range(8))
def test_any_reports(seed: int) -> None:
    chance = random.Random(seed)
    batch = assert_the_same([random_payload(chance) for _ in range(150)])
    assert len(batch) > 200 and not batch.bad


@pytest.mark.parametrize("seed", range(8))
def test_damaged_reports(seed: int) -> None:
    chance = random.Random(seed)
    payloads = []
    for _ in range(200):
        payload = bytearray(random_payload(chance))
        for _ in range(chance.randint(1, 3)):
            payload[chance.randrange(min(len(payload), 100))] = chance.randrange(256)
        payloads.append(bytes(payload[: chance.choice([len(payload), chance.randint(0, len(payload))])]))
    batch = assert_the_same(payloads)
    assert len(batch.bad) > 20 and len(batch) > 20


@pytest.mark.parametrize("payloads", [[], [b""], [b"x"] * 3, [path_report([1, 2, 3])]])
def test_small_batches(payloads: list[bytes]) -> None:
    assert_the_same(payloads)


def test_batches_contain_fields_of_the_packet() -> None:
    """Batches contain the length without INT, time to live, identification and TCP's sequence
    number."""
    hops = [b"\0\0\0\x02" + bytes(4), b"\0\0\0\x01" + bytes(4)]
    over_tcp = tcp(4000, 80, int_md(0x9000, hops, 10, npt=0) + bytes(12), sequence=77)
    inner = udp(4000, 5555, int_md(0x9000, hops, 6, npt=2) + tcp(4001, 81, sequence=78))
    batch = assert_the_same(
        [
            group(individual(ipv4(over_tcp, 6, dscp=0x17, ttl=61, identification=9))),
            group(individual(ipv4(inner))),
            group(individual(ipv4(udp(1, 2), length=1500))),
            group(individual(b"\x45")),
        ]
    )
    assert column(batch.reports, "bytes") == [52, 40, 1500, None]
    assert column(batch.reports, "ttl") == [61, 64, 64, None]
    assert column(batch.reports, "identification") == [9, 0, 0, None]
    assert column(batch.reports, "tcp_sequence") == [77, 78, 0, None]
    assert [str(flow) for flow in flows_of(batch)] == [
        "tcp 10.0.1.1:4000 > 10.0.2.2:80",
        "tcp 10.0.1.1:4001 > 10.0.2.2:81",
        "udp 10.0.1.1:1 > 10.0.2.2:2",
        "None",
    ]


def test_packets_that_begin_with_ethernet() -> None:
    """Reports of packets with zero to three VLAN tags, with IPv6, truncated, and without
    Ethernet."""
    packet = ipv4(udp(4000, 5555, int_md(0x9000, [b"\0\0\0\x07\0\0\0\x05"])))
    tag, ip = b"\x81\0\0\x01", b"\x08\0"
    frames = [bytes(12) + tag * count + ip + packet for count in range(4)]
    frames += [bytes(12) + b"\x86\xdd" + packet, frames[1][:16], bytes(13)]
    reports = [group(individual(frame, kinds=0x13), node=9) for frame in frames]
    batch = assert_the_same([*reports, group(individual(packet), node=9)])
    whole = [True, True, True, False, False, False, False, True]
    assert [flow is not None for flow in flows_of(batch)] == whole
    assert [len(hops) for hops in hops_of(batch)] == [1 + one for one in whole]


def test_metadata_that_is_cut_off_is_refused() -> None:
    assert read_hop(bytes(8), 0xC000) == Hop(node=0, ingress_port=0, egress_port=0)
    with pytest.raises(ValueError, match="7 bytes of metadata, but instructions 0xc000"):
        read_hop(bytes(7), 0xC000)


def test_flows_without_ports() -> None:
    icmp, other = ipv4(bytes(8), 1), ipv4(b"", 253)
    batch = assert_the_same([group(individual(icmp)), group(individual(other))])
    assert [str(flow) for flow in flows_of(batch)] == [
        "icmp 10.0.1.1 > 10.0.2.2",
        "ip253 10.0.1.1 > 10.0.2.2",
    ]

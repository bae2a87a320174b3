"""Decoding many datagrams at once finds what decoding one after another finds."""

from __future__ import annotations

import ipaddress
import random
from typing import Any

import pytest
from handmade_reports import group, individual, int_md, ipv4, path_report, random_payload, tcp, udp

from weir.telemetry import Batch, Flow, Hop, Report, decode, read_reports

NOT_STORED = {"complement", "drop_reason"}


def one_by_one(payloads: list[bytes]) -> tuple[list[tuple[int, int, Report]], list[tuple[int, str]]]:
    """Reports with their time and place in their datagram; what is wrong with other datagrams."""
    found, bad = [], []
    for time, payload in enumerate(payloads):
        try:
            found += [(time, place, report) for place, report in enumerate(read_reports(payload))]
        except ValueError as problem:
            bad.append((time, str(problem)))
    return found, bad


def column(batch: dict[str, Any], name: str) -> list[Any]:
    """A column as Python's numbers, None where it is masked."""
    return batch[name].tolist()


def hops_of(batch: Batch) -> list[list[Hop]]:
    """The hops of each report."""
    names = [name for name in Hop.__dataclass_fields__ if name not in NOT_STORED]
    hops: list[list[Hop]] = [[] for _ in range(len(batch))]
    rows = zip(*(column(batch.hops, name) for name in ("report", "place", *names)), strict=True)
    for report, place, *values in rows:
        assert len(hops[report]) == place
        hops[report].append(Hop(**dict(zip(names, values, strict=True))))
    return hops


def flows_of(batch: Batch) -> list[Flow | None]:
    """The flow of each report."""
    rows = zip(*(column(batch.reports, name) for name in Flow._fields), strict=True)
    return [
        None
        if source is None
        else Flow(*(str(ipaddress.IPv4Address(one)) for one in (source, target)), *rest)
        for source, target, *rest in rows
    ]


def without_what_is_not_stored(hop: Hop) -> Hop:
    return Hop(**{name: None if name in NOT_STORED else value for name, value in vars(hop).items()})


def assert_the_same(payloads: list[bytes]) -> Batch:
    found, bad = one_by_one(payloads)
    batch = decode(payloads, range(len(payloads)))
    assert [(one.time_ns, one.reason, one.payload) for one in batch.bad] == [
        (time, reason, payloads[time]) for time, reason in bad
    ]
    reports = [report for _, _, report in found]
    assert column(batch.reports, "time_ns") == [time for time, _, _ in found]
    assert column(batch.reports, "first_in_datagram") == [place == 0 for _, place, _ in found]
    for name in ("node", "hw_id", "sequence", "dropped", "congested", "tracked", "intermediate"):
        assert column(batch.reports, name) == [getattr(report, name) for report in reports], name
    assert column(batch.reports, "drop_reason") == [report.local.drop_reason for report in reports]
    kinds = {None: 0, "MD": 1, "MX": 3}
    modes = [kinds[report.embedded.mode if report.embedded else None] for report in reports]
    assert column(batch.reports, "mode") == modes
    for name in ("hops_exceeded", "mtu_exceeded"):
        flags = [bool(report.embedded and getattr(report.embedded, name)) for report in reports]
        assert column(batch.reports, name) == flags
    assert flows_of(batch) == [report.flow for report in reports]
    assert hops_of(batch) == [[without_what_is_not_stored(hop) for hop in report.hops] for report in reports]
    return batch


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
def test_few(payloads: list[bytes]) -> None:
    assert_the_same(payloads)


def test_what_the_packet_says() -> None:
    """Bytes without what INT inserted, time to live, identification and TCP's sequence number."""
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
    """With no to three VLAN tags, with IPv6, cut off; and one without Ethernet."""
    packet = ipv4(udp(4000, 5555, int_md(0x9000, [b"\0\0\0\x07\0\0\0\x05"])))
    tag, ip = b"\x81\0\0\x01", b"\x08\0"
    frames = [bytes(12) + tag * count + ip + packet for count in range(4)]
    frames += [bytes(12) + b"\x86\xdd" + packet, frames[1][:16], bytes(13)]
    reports = [group(individual(frame, kinds=0x13), node=9) for frame in frames]
    batch = assert_the_same([*reports, group(individual(packet), node=9)])
    whole = [True, True, True, False, False, False, False, True]
    assert [flow is not None for flow in flows_of(batch)] == whole
    assert [len(hops) for hops in hops_of(batch)] == [1 + one for one in whole]


def test_flows_without_ports() -> None:
    icmp, other = ipv4(bytes(8), 1), ipv4(b"", 253)
    batch = assert_the_same([group(individual(icmp)), group(individual(other))])
    assert [str(flow) for flow in flows_of(batch)] == [
        "icmp 10.0.1.1 > 10.0.2.2",
        "ip253 10.0.1.1 > 10.0.2.2",
    ]

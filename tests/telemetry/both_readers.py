"""Reads datagrams with Weir and with :mod:`struct_reader`, and compares the results."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

import struct_reader

from weir.telemetry import Batch, Flow, Hop, Report, decode, read_embedded, read_flow, read_hop, read_reports
from weir.telemetry.report import records

NOT_STORED = {"complement", "drop_reason"}


def one_by_one(payloads: list[bytes]) -> tuple[list[tuple[int, int, Report]], list[tuple[int, str]]]:
    """The reports with their time and their place in the datagram; and what is wrong with other
    datagrams."""
    good, bad = [], []
    for time, payload in enumerate(payloads):
        try:
            good += [
                (time, place, report) for place, report in enumerate(struct_reader.read_reports(payload))
            ]
        except ValueError as problem:
            bad.append((time, str(problem)))
    return good, bad


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


def outcome(read: Callable[[bytes], object], data: bytes) -> object:
    """The result of a reader, or its error message."""
    try:
        return read(data)
    except ValueError as problem:
        return str(problem)


def assert_objects_are_the_same(payloads: list[bytes], reports: list[Report]) -> None:
    """Reads reports, and the headers in their packets."""
    for payload in payloads:
        assert outcome(read_reports, payload) == outcome(struct_reader.read_reports, payload)
    for report in reports:
        packet, embedded = report.packet, report.embedded
        assert outcome(read_embedded, packet) == outcome(struct_reader.read_embedded, packet)
        assert read_flow(packet) == struct_reader.read_flow(packet)
        assert report.flow == struct_reader.read_flow(packet, embedded)
        data = packet.ljust(76, b"\1")
        assert read_hop(data, report.bits) == struct_reader.read_hop(data, report.bits)


def assert_the_same(payloads: list[bytes]) -> Batch:
    good, bad = one_by_one(payloads)
    # One after another takes much longer than together, so only the first ones.
    assert_objects_are_the_same(payloads[:20], [report for _, _, report in good[:20]])
    together, problems = records(payloads)
    assert together == [(time, report) for time, _, report in good]
    assert sorted(problems.items()) == bad
    batch = decode(payloads, range(len(payloads)))
    assert [(one.time_ns, one.reason, one.payload) for one in batch.bad] == [
        (time, reason, payloads[time]) for time, reason in bad
    ]
    reports = [report for _, _, report in good]
    assert column(batch.reports, "time_ns") == [time for time, _, _ in good]
    assert column(batch.reports, "first_in_datagram") == [place == 0 for _, place, _ in good]
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

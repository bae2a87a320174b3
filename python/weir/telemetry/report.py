"""Telemetry reports v2.0 as Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from weir.telemetry.datagrams import Datagrams
from weir.telemetry.embedded import Embedded, embedded
from weir.telemetry.flow import Flow, read_flow
from weir.telemetry.hop import Hop


@dataclass(frozen=True)
class Report:
    """An individual report (Telemetry Report v2.0, section 3.3), with the data of its group header.

    Attributes:
        node: the node that reports.
        sequence: the number of the telemetry report packet, 22 bits.
        hw_id: the node's hardware subsystem.
        bits: the field RepMdBits, which selects the node's own metadata.
        local: the node's own metadata.
        packet: the reported packet from its IPv4 header on, truncated; empty if it is not IPv4.
        embedded: the INT headers in the packet; ``None`` if there are none, or they are not valid.
        dropped: the flag D, which is set if the packet was dropped.
        congested: the flag Q, which is set if the packet met a congested queue.
        tracked: the flag F, which is set if the flow is on a watchlist.
        intermediate: the flag I, which is set if a transit node reports metadata that did not fit
            the packet.
    """

    node: int
    sequence: int
    hw_id: int
    bits: int
    local: Hop
    packet: bytes
    embedded: Embedded | None
    dropped: bool
    congested: bool
    tracked: bool
    intermediate: bool

    @property
    def flow(self) -> Flow | None:
        """The packet's flow; ``None`` if the report does not contain the complete IPv4 header."""
        return read_flow(self.packet, self.embedded)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The metadata of all nodes on the path: earlier nodes first, then the reporting node."""
        return (*(self.embedded.hops if self.embedded else ()), self.local)


def read_reports(payload: bytes) -> list[Report]:
    """Reads the reports in the UDP payload of a telemetry report packet.

    :func:`decode` and :class:`Store` read many datagrams faster.

    Raises:
        ValueError: the payload is not a telemetry report packet. The message describes the problem.
    """
    reports, problems = records([payload])
    if problems:
        raise ValueError(problems[0])
    return [report for _, report in reports]


def records(payloads: Sequence[bytes]) -> tuple[list[tuple[int, Report]], dict[int, str]]:
    """Reads the reports in many datagrams.

    Returns:
        The reports, each with the index of its datagram; and the problem of each datagram that is
        not a report, by index.
    """
    datagrams = Datagrams(payloads)
    columns = datagrams.reports(np.zeros(len(payloads), np.int64))
    values = {name: column.tolist() for name, column in columns.items()} | {
        "bits": datagrams.bitmap.tolist(),
        "local": datagrams.local(columns),
        "packet": datagrams.packets.contents(),
        "embedded": embedded(datagrams.packets),
    }
    rows = zip(*(values[field.name] for field in fields(Report)), strict=True)
    return list(
        zip(datagrams.owner.tolist(), (Report(*row) for row in rows), strict=True)
    ), datagrams.problems

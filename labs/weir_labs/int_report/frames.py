"""The frames of the lab: their headers, their lengths in bytes, and the reports' content."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

PORT_INT: Final = 1337
"""The destination port of datagrams and segments with telemetry."""

PORT_REPORT: Final = 1338
"""The UDP destination port of reports about UDP datagrams."""

PORT_TCP_REPORT: Final = 1339
"""The UDP destination port of reports about TCP segments."""

HEADERS_BYTES: Final = 14 + 20 + 8
"""The bytes of the Ethernet, IPv4 and UDP headers."""

INT_BYTES: Final = 3
HOP_BYTES: Final = 12

_INT: Final = struct.Struct("!BH")
_HOP: Final = struct.Struct("!IIHBB")


class Hop(NamedTuple):
    """The telemetry that one switch added (thesis, figure 3.5).

    Attributes:
        timestamp_us: when egress began, the lower 32 bits of the virtual microseconds.
        tx_bytes: bytes that the egress port has sent, including this packet, modulo 2^32.
        queue_length: the packets that were still in the port's queue when this packet left it.
        switch_id: the number of the switch: N for ``sN``.
        port: the egress port.
    """

    timestamp_us: int
    tx_bytes: int
    queue_length: int
    switch_id: int
    port: int


@dataclass(frozen=True)
class Report:
    """A report to the sender about one packet.

    Attributes:
        dst_port: the packet's destination port.
        hops: the telemetry that the switches added, the source's first.
    """

    dst_port: int
    hops: Sequence[Hop]


def read_report(payload: bytes) -> Report:
    """Reads the UDP payload of a report.

    Raises:
        ValueError: the payload is not a report: its length does not fit its number of hops.
    """
    if len(payload) < INT_BYTES:
        raise ValueError(f"a report has at least {INT_BYTES} bytes, found {len(payload)}")
    count, dst_port = _INT.unpack_from(payload)
    expected = INT_BYTES + count * HOP_BYTES
    if len(payload) != expected:
        raise ValueError(f"a report of {count} hops has {expected} bytes, found {len(payload)}")
    newest_first = [*map(Hop._make, _HOP.iter_unpack(payload[INT_BYTES:]))]
    return Report(dst_port, newest_first[::-1])


def telemetry_bytes(hops: int) -> int:
    """Computes the bytes that telemetry of ``hops`` switches adds to a datagram; 0 without
    telemetry."""
    return INT_BYTES + hops * HOP_BYTES if hops else 0


def frame_bytes(data_bytes: int, hops: int = 0) -> int:
    """Computes the bytes of a datagram's frame with the telemetry of ``hops`` switches."""
    return HEADERS_BYTES + telemetry_bytes(hops) + data_bytes


def mean_frame_bytes(data_bytes: int, hops: int = 0, every: int = 1) -> float:
    """Computes the mean bytes of a frame if every n-th frame has the telemetry of ``hops``
    switches, and none for n = 0."""
    return frame_bytes(data_bytes) + (telemetry_bytes(hops) / every if every else 0.0)


def report_bytes(hops: int) -> int:
    """Computes the bytes of a report's frame."""
    return HEADERS_BYTES + telemetry_bytes(hops)

"""Computes the path that the data plane's hash chooses for a flow, and finds the path that its
packets took."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import weir

TELEMETRY_TYPE: Final = 0x7777
"""The EtherType of packets between switches."""

FEEDBACK_TYPE: Final = 0x7778
"""The EtherType of feedback packets."""

_TELEMETRY_TYPE: Final = TELEMETRY_TYPE.to_bytes(2, "big")
_FIELDS: Final = struct.Struct("!HH12xIIHH")  # telemetry, addresses, ports
_IP_OFFSET: Final = 14
_OPTIONS_OFFSET: Final = 14 + 4 + 20 + 20
_PROTOCOL_TCP: Final = 6
_TIMESTAMPS: Final = b"\x01\x01\x08\x0a"  # two options without effect, then timestamps (RFC 7323)


class Flow(NamedTuple):
    """A TCP flow.

    Attributes:
        source: the source's IPv4 address as a number.
        target: the destination's IPv4 address as a number.
        source_port: the source's TCP port.
        port: the destination's TCP port.
    """

    source: int
    target: int
    source_port: int
    port: int


def hashed_path(flow: Flow, paths: int, identifier: int = 0) -> int:
    """Computes the path that paths.p4 chooses for a TCP flow, by a CRC-32 of the flow's 5-tuple and
    id.

    Args:
        flow: the flow.
        paths: the number of paths.
        identifier: the flow's id, which is 0 until the first feedback.
    """
    source, target, source_port, port = flow
    data = struct.pack("!IIBHHH", source, target, _PROTOCOL_TCP, source_port, port, identifier)
    return zlib.crc32(data) % paths


class Arrival(NamedTuple):
    """A data packet that arrived at the last switch of its path.

    Attributes:
        time_ns: the time of arrival.
        flow: the flow of the packet.
        end: the link end at which the packet arrived.
        depth: the longest queue on its path in packets, from its telemetry.
        sent_ms: the packet's TCP timestamp, in ms of the sender's clock.
    """

    time_ns: int
    flow: Flow
    end: str
    depth: int
    sent_ms: int


class Notice(NamedTuple):
    """A feedback packet about a flow.

    Attributes:
        time_ns: the time of arrival at the flow's first switch.
        flow: the flow.
        depth: the length in packets of the queue that caused the feedback.
    """

    time_ns: int
    flow: Flow
    depth: int


def read_arrival(frame: weir.Frame) -> Arrival | None:
    """Reads a frame with telemetry and TCP timestamps; returns ``None`` for other frames."""
    octets = frame.data
    if octets[12:14] != _TELEMETRY_TYPE or octets[_OPTIONS_OFFSET : _OPTIONS_OFFSET + 4] != _TIMESTAMPS:
        return None
    depth, _, *flow = _FIELDS.unpack_from(octets, _IP_OFFSET)
    sent_ms = int.from_bytes(octets[_OPTIONS_OFFSET + 4 : _OPTIONS_OFFSET + 8], "big")
    return Arrival(frame.time_ns, Flow(*flow), frame.end, depth, sent_ms)


def read_notice(frame: weir.Frame) -> Notice:
    """Reads a feedback packet, whose addresses and ports are those of the flow, swapped."""
    depth, _, target, source, port, source_port = _FIELDS.unpack_from(frame.data, _IP_OFFSET)
    return Notice(frame.time_ns, Flow(source, target, source_port, port), depth)


def overtaken_packets(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Finds packets that a later packet of the same flow overtook.

    Args:
        arrivals: the arrivals of any flows, in order.
    """
    newest: dict[Flow, int] = {}
    overtaken = []
    for arrival in arrivals:
        if arrival.sent_ms < newest.get(arrival.flow, 0):
            overtaken.append(arrival)
        else:
            newest[arrival.flow] = arrival.sent_ms
    return overtaken

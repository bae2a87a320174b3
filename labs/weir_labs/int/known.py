"""Recognizes a packet at the next link, with or without telemetry in the packet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from weir.telemetry import DSCP_INT, PORT_INT, Report

PAYLOAD: Final = 16
"""The number of bytes of payload that identify a packet. Reports must repeat that many bytes."""

Packet = tuple[bytes, int]
"""The identity of a packet: its identifying bytes, and its place among packets with the same
bytes."""

_TCP, _UDP = 6, 17
_ETHERNET, _IPV4 = 14, 20
_REPORT_OFFSET = _ETHERNET + _IPV4 + 8 + 8
"""The offset in bytes of the individual report in a frame."""


def identifying_bytes(frame: bytes) -> bytes:
    """Returns the bytes that identify a frame when it is seen again.

    These bytes are those of its flow, the rest of the TCP header without its checksum, and the
    beginning of the payload.
    """
    protocol, dscp = frame[23], frame[15] >> 2
    if protocol == _UDP:
        end = _ETHERNET + _IPV4 + 8
        marked = dscp == DSCP_INT or frame[36:38] == PORT_INT.to_bytes(2)
        # The shim header contains the original port if its Next Protocol Type says so.
        by_port = marked and frame[end] >> 2 & 3 == 1
        header = frame[34:36] + (frame[end + 2 : end + 4] if by_port else frame[36:38])
    elif protocol == _TCP:
        end = _ETHERNET + _IPV4 + (frame[46] >> 4) * 4
        header = frame[34:50] + frame[54:end]
        marked = dscp == DSCP_INT
    else:
        end, header, marked = _ETHERNET + _IPV4, b"", False
    if marked:
        end += 4 + frame[end + 1] * 4
    return frame[26:34] + frame[23:24] + header + b"|" + frame[end : end + PAYLOAD]


def flow_of(packet: Packet) -> bytes:
    """Returns the bytes that identify the flow of a packet: addresses, protocol, and ports."""
    return packet[0][:13]


def packets_of(reports: Iterable[Report]) -> list[Packet]:
    """Identifies the packets that reports are about. The reports must be in the order of
    sending."""
    counts: dict[tuple[int, bytes], int] = defaultdict(int)
    packets = []
    for report in reports:
        key = identifying_bytes(bytes(_ETHERNET) + report.packet)
        packets.append((key, counts[report.node, key]))
        counts[report.node, key] += 1
    return packets


def reported_packet(frame: bytes) -> tuple[bytes, bool]:
    """Returns the identifying bytes of the packet that a frame reports, and whether the packet was
    dropped."""
    packet = frame[_REPORT_OFFSET + 12 + frame[_REPORT_OFFSET + 2] * 4 :]
    return identifying_bytes(bytes(_ETHERNET) + packet), bool(frame[_REPORT_OFFSET + 3] & 0x80)


def is_right(frame: bytes) -> bool:
    """Returns whether lengths and checksums of a frame are correct.

    A sum of 16-bit words must be 0 modulo 0xffff.
    """
    total, protocol = int.from_bytes(frame[16:18]), frame[23]
    if total != len(frame) - _ETHERNET or int.from_bytes(frame[14:34]) % 0xFFFF:
        return False
    transport = frame[34:]
    if protocol == _UDP:
        if int.from_bytes(transport[4:6]) != len(transport):
            return False
        if transport[6:8] == b"\0\0":
            return True
    elif protocol != _TCP:
        return True
    pseudo = int.from_bytes(frame[26:34]) + protocol + len(transport)
    padded = transport + bytes(len(transport) % 2)
    return (pseudo + int.from_bytes(padded)) % 0xFFFF == 0

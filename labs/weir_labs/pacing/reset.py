"""Builds the reset that a host sends when a program with a TCP connection is killed."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

from weir.packets import TCP, TCP_BYTES, internet_checksum, ipv4_header, pseudo_header, tcp_header

_TCP_OFFSET = 14 + 20
_RST_ACK = 0x14


def reset_after(frame: bytes) -> bytes:
    """Builds a frame with RST whose sequence number follows a segment.

    Args:
        frame: the last segment that was sent, in IPv4 without options.

    Raises:
        ValueError: the frame is not a TCP segment in IPv4 without options.
    """
    if len(frame) < _TCP_OFFSET + 20 or frame[12:15] != b"\x08\x00\x45" or frame[23] != 6:
        raise ValueError("expected a TCP segment in IPv4 without options")
    total = int.from_bytes(frame[16:18])
    payload = total - 20 - 4 * (frame[_TCP_OFFSET + 12] >> 4)
    source, target, sequence, acknowledged = struct.unpack_from("!HHII", frame, _TCP_OFFSET)
    addresses = str(IPv4Address(frame[26:30])), str(IPv4Address(frame[30:34]))
    ends = source, target, (sequence + payload) % (1 << 32), acknowledged
    begin = pseudo_header(*addresses, TCP, TCP_BYTES) + tcp_header(*ends, flags=_RST_ACK)
    return (
        frame[:14]
        + ipv4_header(*addresses, TCP_BYTES, TCP)
        + tcp_header(*ends, flags=_RST_ACK, checksum=internet_checksum(begin))
    )

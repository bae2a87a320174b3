"""Builds frames from their fields, including invalid frames for the attacks."""

from __future__ import annotations

import struct
from typing import Final

from weir.packets import UDP, internet_checksum

SYN: Final = 0x02
ACK: Final = 0x10

_IPV4: Final = struct.Struct("!BBHHHBBH4s4s")


def ethernet(target: bytes, source: bytes, data: bytes, kind: int = 0x0800) -> bytes:
    """Builds an Ethernet frame; MAC addresses are 6 bytes."""
    return target + source + kind.to_bytes(2, "big") + data


def ipv4(
    source: bytes,
    target: bytes,
    data: bytes,
    protocol: int = UDP,
    *,
    first: int = 0x45,
    length: int | None = None,
    flags: int = 2,
    offset: int = 0,
    ttl: int = 64,
    damage: int = 0,
) -> bytes:
    """Builds an IPv4 packet, which is valid unless the caller passes other values.

    Args:
        source: the source's IPv4 address, 4 bytes.
        target: the destination's IPv4 address, 4 bytes.
        data: the bytes after the header.
        protocol: the protocol of the data.
        first: the first byte, with the version and the header's length in words.
        length: the length of the whole packet.
        flags: the sum of 4 (reserved), 2 (don't fragment) and 1 (more fragments).
        offset: the offset of a fragment, in units of 8 bytes.
        ttl: time to live.
        damage: a number that is exclusive-ored with the header checksum.
    """
    total = _IPV4.size + len(data) if length is None else length

    def header(checksum: int) -> bytes:
        return _IPV4.pack(first, 0, total, 0, flags << 13 | offset, ttl, protocol, checksum, source, target)

    return header(internet_checksum(header(0)) ^ damage) + data


def udp(source_port: int, port: int, payload: bytes = b"", *, length: int | None = None) -> bytes:
    """Builds a UDP datagram without checksum, which is valid over IPv4."""
    return (
        struct.pack("!HHHH", source_port, port, 8 + len(payload) if length is None else length, 0) + payload
    )


def tcp(source_port: int, port: int, flags: int = SYN, *, words: int = 5) -> bytes:
    """Builds a TCP header with a wrong checksum, which switches do not check.

    Args:
        source_port: the sender's port.
        port: the receiver's port.
        flags: the flags from CWR to FIN, in the lowest 8 bits.
        words: the value of the header's length field, in units of 4 bytes.
    """
    return struct.pack("!HHIIBBHHH", source_port, port, 0, 0, words << 4, flags, 1000, 0, 0)


def icmp(kind: int = 8) -> bytes:
    """Builds an ICMP message: an echo request by default."""
    unsummed = struct.pack("!BBHHH", kind, 0, 0, 1, 1)
    return struct.pack("!BBHHH", kind, 0, internet_checksum(unsummed), 1, 1)

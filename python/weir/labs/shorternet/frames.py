"""The frames of the lab, in both stacks."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address
from typing import Final

SHORTERNET_BYTES: Final = 4
ETHERNET_BYTES: Final = 14
IPV4_BYTES: Final = 20
UDP_BYTES: Final = 8

STACKS: Final = ("shorternet", "standard")
"""Shorternet, and Ethernet with IPv4; UDP follows in both."""

HEADERS_BYTES: Final = {
    "shorternet": SHORTERNET_BYTES + UDP_BYTES,
    "standard": ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES,
}
"""Bytes of all headers of a datagram, by stack: 12 and 42."""

ICMP: Final = 1
TCP: Final = 6
UDP: Final = 17
TTL: Final = 64

_SHORTERNET: Final = struct.Struct("!BBBB")
_ETHERNET: Final = struct.Struct("!6s6sH")
_IPV4: Final = struct.Struct("!BBHHHBBH4s4s")
_UDP: Final = struct.Struct("!HHHH")
_DONT_FRAGMENT: Final = 0x4000


def payload_bytes(stack: str, length: int) -> int:
    """The UDP payload of a packet.

    Args:
        stack: one of :data:`STACKS`.
        length: bytes of the packet, with all headers.

    Raises:
        ValueError: the headers alone are longer.
    """
    payload = length - HEADERS_BYTES[stack]
    if payload < 0:
        raise ValueError(f"length={length}: the headers of {stack} have {HEADERS_BYTES[stack]} bytes")
    return payload


def shorternet_header(source: int, target: int, protocol: int = UDP, ttl: int = TTL) -> bytes:
    """The header in front of everything else.

    Args:
        source: id of the sender, 0 to 255.
        target: id of the receiver.
        protocol: as in IPv4.
        ttl: how many switches may forward the packet, plus 1.
    """
    return _SHORTERNET.pack(target, source, protocol, ttl)


def ethernet_header(source: str, target: str) -> bytes:
    """An Ethernet header in front of IPv4, from MAC addresses."""
    return _ETHERNET.pack(_mac(target), _mac(source), 0x0800)


def ipv4_header(source: str, target: str, data_bytes: int, protocol: int = UDP, ttl: int = TTL) -> bytes:
    """An IPv4 header without options.

    Args:
        source: IPv4 address.
        target: IPv4 address.
        data_bytes: what follows.
        protocol: of what follows.
        ttl: time to live.
    """

    def packed(checksum: int) -> bytes:
        addresses = IPv4Address(source).packed, IPv4Address(target).packed
        total = IPV4_BYTES + data_bytes
        return _IPV4.pack(0x45, 0, total, 0, _DONT_FRAGMENT, ttl, protocol, checksum, *addresses)

    return packed(internet_checksum(packed(0)))


def udp_header(source_port: int, port: int, payload: int, checksum: int = 0) -> bytes:
    """A UDP header; the checksum 0 says that there is none.

    Args:
        source_port: the sender's port.
        port: the receiver's port.
        payload: bytes that follow.
        checksum: over pseudo-header, header and payload.
    """
    return _UDP.pack(source_port, port, UDP_BYTES + payload, checksum)


def internet_checksum(data: bytes) -> int:
    """The checksum of IPv4, ICMP, UDP and TCP (RFC 1071); 0 for data that contain their own."""
    padded = data + bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))

"""Headers of packets as bytes, and the Internet checksum, for programs that send frames.

>>> data = b"hello"
>>> frame = (
...     ethernet_header("08:00:00:00:01:11", "08:00:00:00:02:22")
...     + ipv4_header("10.0.1.1", "10.0.2.2", 8 + len(data))
...     + udp_header(1000, 7, len(data))
...     + data
... )
>>> len(frame)
47

Numbers are unsigned and packed in network byte order.
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address
from typing import Final

ICMP: Final = 1
"""The protocol number of ICMP in an IPv4 header."""

TCP: Final = 6
"""The protocol number of TCP in an IPv4 header."""

UDP: Final = 17
"""The protocol number of UDP in an IPv4 header."""

ETHERNET_BYTES: Final = 14
"""The number of bytes of an Ethernet header."""

IPV4_BYTES: Final = 20
"""The number of bytes of an IPv4 header without options."""

UDP_BYTES: Final = 8
"""The number of bytes of a UDP header."""

TCP_BYTES: Final = 20
"""The number of bytes of a TCP header without options."""

_ETHERNET: Final = struct.Struct("!6s6sH")
_IPV4: Final = struct.Struct("!BBHHHBBH4s4s")
_UDP: Final = struct.Struct("!HHHH")
_TCP: Final = struct.Struct("!HHIIBBHHH")
_DONT_FRAGMENT: Final = 0x4000


def internet_checksum(data: bytes) -> int:
    """Computes the checksum of IPv4, ICMP, UDP and TCP (RFC 1071), 16 bits.

    The checksum of data that already contain their correct checksum is 0. If the number of bytes is
    odd, a zero byte is added.
    """
    padded = data + bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def pseudo_header(source: str, target: str, protocol: int, length: int) -> bytes:
    """Builds the pseudo-header of UDP and TCP over IPv4, which the checksum covers (RFC 768, RFC
    9293).

    Args:
        source: IPv4 address.
        target: IPv4 address.
        protocol: 8 bits, such as :data:`TCP`.
        length: bytes of the segment, with its header.
    """
    return _address(source) + _address(target) + struct.pack("!HH", protocol, length)


def ethernet_header(source: str, target: str, kind: int = 0x0800) -> bytes:
    """Builds an Ethernet header.

    Args:
        source: MAC address, such as ``08:00:00:00:01:11``.
        target: MAC address.
        kind: the EtherType, 16 bits; IPv4 by default.
    """
    return _ETHERNET.pack(_mac(target), _mac(source), kind)


def ipv4_header(
    source: str,
    target: str,
    data_bytes: int,
    protocol: int = UDP,
    ttl: int = 64,
    *,
    number: int = 0,
    may_fragment: bool = False,
) -> bytes:
    """Builds an IPv4 header without options, with its checksum (RFC 791).

    Args:
        source: IPv4 address.
        target: IPv4 address.
        data_bytes: bytes that follow.
        protocol: the protocol of the data that follows, 8 bits.
        ttl: time to live, 8 bits.
        number: the identification, 16 bits.
        may_fragment: whether routers may fragment the packet: the flag "don't fragment" is 0.
    """
    flags = 0 if may_fragment else _DONT_FRAGMENT

    def packed(checksum: int) -> bytes:
        total, addresses = IPV4_BYTES + data_bytes, (_address(source), _address(target))
        return _IPV4.pack(0x45, 0, total, number, flags, ttl, protocol, checksum, *addresses)

    return packed(internet_checksum(packed(0)))


def udp_header(source_port: int, port: int, data_bytes: int, checksum: int = 0) -> bytes:
    """Builds a UDP header (RFC 768).

    Args:
        source_port: the sender's port.
        port: the receiver's port.
        data_bytes: bytes that follow.
        checksum: the checksum over pseudo-header, header and data; 0 says that there is none.
    """
    return _UDP.pack(source_port, port, UDP_BYTES + data_bytes, checksum)


def tcp_header(
    source_port: int,
    port: int,
    sequence: int,
    acknowledged: int = 0,
    *,
    flags: int,
    window: int = 0,
    checksum: int = 0,
) -> bytes:
    """Builds a TCP header without options (RFC 9293).

    Args:
        source_port: the sender's port.
        port: the receiver's port.
        sequence: the sequence number, 32 bits.
        acknowledged: the acknowledgement number, 32 bits.
        flags: CWR to FIN, 8 bits: SYN is 0x02, RST 0x04, ACK 0x10.
        window: the window as it is sent, 16 bits.
        checksum: the checksum over pseudo-header, header and data.
    """
    return _TCP.pack(source_port, port, sequence, acknowledged, 5 << 4, flags, window, checksum, 0)


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def _address(text: str) -> bytes:
    return IPv4Address(text).packed

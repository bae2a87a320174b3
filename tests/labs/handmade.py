"""Makes and checks frames from h1 at s1 byte by byte, for tests of labs with telemetry."""

from __future__ import annotations

import struct

import weir

IP = {"h1": "0a000101", "h2": "0a000202", "h3": "0a000303", "h4": "0a000404"}
_ETHERNET = bytes.fromhex("080000010101 080000000101 0800")
_TCP, _UDP = 6, 17


class Listener(weir.HostProgram):
    """Has a host accept datagrams, so that it sends no ICMP error."""


def internet_checksum(data: bytes) -> int:
    """The checksum of RFC 1071, computed byte by byte."""
    total = 0
    for place, byte in enumerate(data):
        total += byte << (0 if place % 2 else 8)
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ipv4_frame(protocol: int, data: bytes, *, target: str = "h2", dscp: int = 0, ttl: int = 64) -> bytes:
    """An IPv4 packet of h1."""
    header = struct.pack("!BBHHHBBH", 0x45, dscp << 2, 20 + len(data), 0x1234, 0x4000, ttl, protocol, 0)
    header += bytes.fromhex(IP["h1"] + IP[target])
    header = header[:10] + struct.pack("!H", internet_checksum(header)) + header[12:]
    return _ETHERNET + header + data


def udp_frame(
    payload: bytes, *, port: int = 5000, target: str = "h2", checksum: int | None = None, dscp: int = 0
) -> bytes:
    """A datagram of h1; its checksum is computed unless one is given."""
    length = 8 + len(payload)
    udp = struct.pack("!HHHH", 4000, port, length, 0) + payload
    pseudo = bytes.fromhex(IP["h1"] + IP[target]) + struct.pack("!BBH", 0, _UDP, length)
    if checksum is None:
        checksum = internet_checksum(pseudo + udp) or 0xFFFF
    return ipv4_frame(_UDP, udp[:6] + struct.pack("!H", checksum) + payload, target=target, dscp=dscp)


def tcp_frame(
    payload: bytes, *, options: bytes = b"", target: str = "h2", dscp: int = 0, flags: int = 0x18
) -> bytes:
    """A segment of h1 from port 4000 to port 5000."""
    offset = (20 + len(options)) // 4 << 4
    tcp = struct.pack("!HHIIBBHHH", 4000, 5000, 1, 2, offset, flags, 0x1000, 0, 0) + options + payload
    pseudo = bytes.fromhex(IP["h1"] + IP[target]) + struct.pack("!BBH", 0, _TCP, len(tcp))
    checksum = struct.pack("!H", internet_checksum(pseudo + tcp))
    return ipv4_frame(_TCP, tcp[:16] + checksum + tcp[18:], target=target, dscp=dscp)


def checksums_are_right(frame: bytes) -> bool:
    """Whether the lengths match the frame, and both checksums match its bytes."""
    (total,), protocol = struct.unpack_from("!H", frame, 16), frame[23]
    if protocol == _UDP:
        length, checksum = struct.unpack_from("!HH", frame, 38)
    else:
        length, checksum = len(frame) - 34, 1
    pseudo = frame[26:34] + struct.pack("!BBH", 0, protocol, length)
    return (
        (total, length) == (len(frame) - 14, len(frame) - 34)
        and internet_checksum(frame[14:34]) == 0
        and (checksum == 0 or internet_checksum(pseudo + frame[34:]) == 0)
    )

"""Describes a dropped frame by its first bytes."""

from __future__ import annotations

from ipaddress import ip_address

_TAGS = (0x8100, 0x88A8)
_ARP, _IPV4, _IPV6 = 0x0806, 0x0800, 0x86DD
_PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 58: "ICMPv6"}


def time_to_live(frame: bytes) -> int | None:
    """Reads the time to live or the hop limit of a frame; returns ``None`` if the frame is not an
    IP packet."""
    kind, packet = _inside_vlan_tags(frame)
    if kind == _IPV4 and len(packet) >= 20:
        return packet[8]
    return packet[7] if kind == _IPV6 and len(packet) >= 40 else None


def is_address_resolution(frame: bytes) -> bool:
    """Returns whether a frame resolves an address: ARP, or neighbour discovery of ICMPv6 (RFC
    4861)."""
    kind, packet = _inside_vlan_tags(frame)
    if kind == _IPV6 and len(packet) > 40:
        return packet[6] == 58 and packet[40] in (135, 136)
    return kind == _ARP


def describe(frame: bytes) -> str:
    """Describes a frame in a few words, such as ``UDP from 10.0.0.1 to 10.0.0.2``."""
    kind, packet = _inside_vlan_tags(frame)
    if kind == _ARP and len(packet) >= 28:
        operation = "request for" if packet[7] == 1 else "reply to"
        return f"an ARP {operation} {ip_address(packet[24:28])} from {ip_address(packet[14:18])}"
    if kind == _IPV4 and len(packet) >= 20:
        return _flow(packet[9], packet[12:16], packet[16:20])
    if kind == _IPV6 and len(packet) >= 40:
        return _flow(packet[6], packet[8:24], packet[24:40])
    return "a frame too short for Ethernet" if kind is None else f"a frame of EtherType 0x{kind:04x}"


def _flow(protocol: int, source: bytes, target: bytes) -> str:
    name = _PROTOCOLS.get(protocol, f"protocol {protocol}")
    return f"{name} from {ip_address(source)} to {ip_address(target)}"


def _inside_vlan_tags(frame: bytes) -> tuple[int | None, bytes]:
    """Returns the EtherType after the VLAN tags, and the bytes after it; the EtherType is ``None``
    if the frame is too short."""
    place = 12
    while len(frame) >= place + 2:
        kind = int.from_bytes(frame[place : place + 2], "big")
        if kind not in _TAGS:
            return kind, frame[place + 2 :]
        place += 4
    return None, b""

"""Packets in reports that begin with their Ethernet header."""

from __future__ import annotations

from typing import Final

HEADER_BYTES: Final = 14
TYPE_IPV4: Final = 0x0800
TYPES_VLAN: Final = (0x8100, 0x88A8)
"""Ethernet types of VLAN tags (IEEE 802.1Q), each of 4 bytes."""

MAX_TAGS: Final = 2


def without_ethernet(frame: bytes) -> bytes:
    """The IPv4 packet in a frame, with up to two VLAN tags; nothing if there is no IPv4 packet."""
    for place in range(12, 13 + 4 * MAX_TAGS, 4):
        found = int.from_bytes(frame[place : place + 2])
        if len(frame) >= place + 2 and found == TYPE_IPV4:
            return frame[place + 2 :]
        if found not in TYPES_VLAN:
            break
    return b""

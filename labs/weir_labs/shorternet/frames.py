"""The frames of the lab, in both stacks; :mod:`weir.packets` has the standard headers."""

from __future__ import annotations

import struct
from typing import Final

from weir.packets import ETHERNET_BYTES, IPV4_BYTES, UDP, UDP_BYTES

SHORTERNET_BYTES: Final = 4

STACKS: Final = ("shorternet", "standard")
"""The two stacks: Shorternet, and Ethernet with IPv4; UDP follows in both."""

HEADERS_BYTES: Final = {
    "shorternet": SHORTERNET_BYTES + UDP_BYTES,
    "standard": ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES,
}
"""The bytes of all headers of a datagram, by stack: 12 and 42."""

TTL: Final = 64

_SHORTERNET: Final = struct.Struct("!BBBB")


def payload_bytes(stack: str, length: int) -> int:
    """Computes the UDP payload of a packet in bytes.

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
    """Builds the Shorternet header, with which a frame begins.

    Args:
        source: id of the sender, 0 to 255.
        target: id of the receiver.
        protocol: the protocol number, as in IPv4.
        ttl: the number of switches that may forward the packet, plus 1.
    """
    return _SHORTERNET.pack(target, source, protocol, ttl)

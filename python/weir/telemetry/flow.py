"""The flow of a packet that a report is about."""

from __future__ import annotations

import ipaddress
import struct
from typing import Final, NamedTuple

from weir.telemetry.embedded import Embedded

TCP: Final = 6
UDP: Final = 17
PROTOCOLS: Final = {1: "icmp", TCP: "tcp", UDP: "udp"}
"""The names of protocols in the texts of flows, by IP's number."""

NPT_PORT: Final = 1
"""Next Protocol Type of a shim (INT v2.1, section 5.5): the UDP port is changed."""

NPT_PROTOCOL: Final = 2
"""Next Protocol Type of a shim: INT follows a UDP header of its own."""


class Flow(NamedTuple):
    """The packets of one direction of a connection: two IPv4 addresses, a protocol, two ports.

    ``str(flow)`` is such as ``udp 10.0.1.1:4000 > 10.0.2.2:5000``.

    Attributes:
        source: the source address, such as ``"10.0.1.1"``.
        target: the destination address.
        protocol: IP's number of the protocol, 17 for UDP.
        source_port: the source port of UDP or TCP; 0 for other protocols, for fragments after the
            first, and if the report contains too little of the packet.
        target_port: the destination port, before the source of INT changed it; 0 as above.
    """

    source: str
    target: str
    protocol: int
    source_port: int = 0
    target_port: int = 0

    def __str__(self) -> str:
        protocol = protocol_name(self.protocol)
        if self.source_port or self.target_port:
            return f"{protocol} {self.source}:{self.source_port} > {self.target}:{self.target_port}"
        return f"{protocol} {self.source} > {self.target}"


def protocol_name(number: int) -> str:
    """The name of an IP protocol number in texts: ``udp``, ``tcp``, ``icmp``, ``ip253``."""
    return PROTOCOLS.get(number, f"ip{number}")


def read_flow(packet: bytes, embedded: Embedded | None = None) -> Flow | None:
    """The flow of an IPv4 packet that may be cut off; None without a whole IPv4 header.

    Args:
        packet: the packet from its IPv4 header on.
        embedded: its INT headers, as :func:`read_embedded` finds them.
    """
    start = (packet[0] & 15) * 4 if packet else 0
    if len(packet) < 20 or packet[0] >> 4 != 4 or start < 20:
        return None
    source, target = (str(ipaddress.IPv4Address(packet[place : place + 4])) for place in (12, 16))
    protocol, fragment = packet[9], int.from_bytes(packet[6:8]) & 0x1FFF
    if embedded is not None and embedded.next_protocol == NPT_PROTOCOL and protocol == UDP:
        # The packet's own TCP or UDP header follows the UDP header and the rest that INT inserted.
        protocol = embedded.original & 0xFF
        start += 8 + embedded.inserted_bytes
    if protocol not in (TCP, UDP) or fragment or len(packet) < start + 4:
        return Flow(source, target, protocol)
    ports = struct.unpack_from("!HH", packet, start)
    restored = embedded is not None and embedded.next_protocol == NPT_PORT
    return Flow(source, target, protocol, ports[0], embedded.original if embedded and restored else ports[1])

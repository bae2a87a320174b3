"""Numbers of the formats and protocols that reports consist of."""

from __future__ import annotations

from typing import Final

PORT_INT: Final = 5555
"""The UDP destination port of datagrams with INT; IANA has not assigned one yet."""

DSCP_INT: Final = 0x17
"""The DSCP of other packets with INT."""

MD: Final = 1
MX: Final = 3
"""Types of the INT header."""

NPT_PORT: Final = 1
"""Next Protocol Type of a shim (INT v2.1, section 5.5): the UDP port is changed."""

NPT_PROTOCOL: Final = 2
"""Next Protocol Type of a shim: INT follows a UDP header of its own."""

TCP: Final = 6
UDP: Final = 17
PROTOCOLS: Final = {1: "icmp", TCP: "tcp", UDP: "udp"}
"""The names of protocols in the texts of flows, by IP's number."""

FIXED_BYTES: Final = 12
"""Bytes of the headers of an individual report with INT; a datagram has no fewer."""

ETHERNET: Final = 0x13
"""RepType and InType of INT about a packet from its Ethernet header on."""

INNER_TYPES: Final = (0x14, ETHERNET, 0x10)
"""RepType and InType that are understood: INT with IPv4, with Ethernet, with nothing."""

SEQUENCE_RANGE: Final = 1 << 22
"""Numbers of datagrams (Telemetry Report v2.0, section 3.2) have 22 bits; they start again at 0."""

RESTART: Final = 1000
"""A number that is smaller by more than this shows that the node has restarted."""

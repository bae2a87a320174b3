"""The numbers in the formats and protocols of reports."""

from __future__ import annotations

from typing import Final

PORT_INT: Final = 5555
"""The UDP destination port of datagrams with INT; IANA has not assigned one yet."""

DSCP_INT: Final = 0x17
"""The DSCP of packets with INT that do not have this UDP port."""

MD: Final = 1
MX: Final = 3
"""The types of the INT header: INT-MD and INT-MX."""

NPT_PORT: Final = 1
"""The shim's Next Protocol Type (INT v2.1, section 5.5) for packets whose UDP port was changed."""

NPT_PROTOCOL: Final = 2
"""The shim's Next Protocol Type for packets with an inserted UDP header before INT."""

TCP: Final = 6
UDP: Final = 17
PROTOCOLS: Final = {1: "icmp", TCP: "tcp", UDP: "udp"}
"""The names of protocols as flows show them, by IP's protocol number."""

FIXED_BYTES: Final = 12
"""The bytes of the headers of an individual report with INT, which is the minimum size of a
datagram."""

ETHERNET: Final = 0x13
"""The RepType and InType of INT reports that contain a packet from its Ethernet header on."""

INNER_TYPES: Final = (0x14, ETHERNET, 0x10)
"""The supported values of RepType and InType: INT with IPv4, with Ethernet, without a packet."""

SEQUENCE_RANGE: Final = 1 << 22
"""The range of sequence numbers of datagrams, which have 22 bits and start again at 0 (Telemetry
Report v2.0, section 3.2)."""

RESTART: Final = 1000
"""The decrease of sequence numbers from which a node is considered restarted."""

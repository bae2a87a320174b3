"""Reads the flow of a packet that a report describes."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any, NamedTuple

from weir.telemetry.embedded import Embedded
from weir.telemetry.headers import Packets
from weir.telemetry.protocol import MD, PROTOCOLS


class Flow(NamedTuple):
    """The flow of packets in one direction of a connection, with two IPv4 addresses, a protocol and
    two ports.

    ``str(flow)`` is, for example, ``udp 10.0.1.1:4000 > 10.0.2.2:5000``.

    Attributes:
        source: the source address, such as ``"10.0.1.1"``.
        target: the destination address.
        protocol: the protocol number of IP, such as 17 for UDP.
        source_port: the source port of UDP or TCP; 0 for other protocols, for fragments after the
            first, and if the report contains too little of the packet.
        target_port: the destination port before the INT source changed it; 0 in the same cases.
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
    """Returns the name of an IP protocol number, such as ``udp``, ``tcp``, ``icmp`` or
    ``ip253``."""
    return PROTOCOLS.get(number, f"ip{number}")


def flow_of(row: Sequence[Any]) -> Flow | None:
    """Reads the flow from a row with a column for each field of :class:`Flow`; returns ``None`` if
    the columns are null."""
    source, target, *rest = row
    if source is None:
        return None
    return Flow(str(ipaddress.IPv4Address(source)), str(ipaddress.IPv4Address(target)), *rest)


def read_flow(packet: bytes, embedded: Embedded | None = None) -> Flow | None:
    """Reads the flow of an IPv4 packet, which may be truncated; returns ``None`` if the IPv4 header
    is not complete.

    Args:
        packet: the packet from its IPv4 header on.
        embedded: the packet's INT headers from :func:`read_embedded`.
    """
    packets = Packets.single(packet)
    packets.mode[:] = 0
    if embedded is not None:
        packets.mode[:], packets.npt[:] = MD, embedded.next_protocol
        packets.original[:], packets.inserted[:] = embedded.original, embedded.inserted_bytes
    columns = packets.columns()
    return flow_of([columns[name].tolist()[0] for name in Flow._fields])

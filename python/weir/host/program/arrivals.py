"""Arrivals for programs on hosts: datagrams and ICMP errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Datagram:
    """A UDP datagram that arrived.

    Attributes:
        time_ns: the time of arrival, in nanoseconds since the network's start.
        source: the sender's IP address.
        source_port: the sender's port.
        target: the destination IP address.
        port: the destination port.
        payload: the bytes after the UDP header.
    """

    time_ns: int
    source: str
    source_port: int
    target: str
    port: int
    payload: bytes


@dataclass(frozen=True)
class IcmpError:
    """An ICMP error about a datagram that the program sent.

    Attributes:
        time_ns: the time of arrival, in nanoseconds since the network's start.
        source: the IP address of the node that reports the error.
        icmp_type: the ICMP type; in ICMP for IPv4, 3 is destination unreachable.
        code: the ICMP code; for type 3, code 3 is port unreachable.
        port: the program's port that the datagram was sent from.
        original: the beginning of the datagram, from its UDP header on.
    """

    time_ns: int
    source: str
    icmp_type: int
    code: int
    port: int
    original: bytes

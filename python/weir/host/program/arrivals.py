"""Arrivals for programs on hosts: datagrams and ICMP errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Datagram:
    """A UDP datagram that arrived.

    Attributes:
        time_ns: the arrival, in nanoseconds since the network's start.
        source: the sender's IP address.
        source_port: the port it came from.
        target: the IP address it was sent to.
        port: the port it was sent to.
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
        time_ns: the arrival, in nanoseconds since the network's start.
        source: the IP address of the node that reports it.
        icmp_type: its type; in ICMP for IPv4, 3 is destination unreachable.
        code: its code; for type 3, 3 is port unreachable.
        port: the program's port that the datagram was sent from.
        original: the beginning of the datagram, from its UDP header on.
    """

    time_ns: int
    source: str
    icmp_type: int
    code: int
    port: int
    original: bytes

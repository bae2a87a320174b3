"""What arrives for programs on hosts: datagrams, ICMP errors and frames."""

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


@dataclass(frozen=True)
class Frame:
    """A frame that passed a link end.

    ``bytes(frame)`` are its bytes, so ``scapy.all.Ether(bytes(frame))`` dissects it.

    Attributes:
        time_ns: when its first bit left, or its last bit arrived, in nanoseconds since the
            network's start.
        end: the link end, such as ``h1`` or ``s1-p2``.
        outbound: whether the node there sent it; otherwise it received it.
        data: from its Ethernet header on.
    """

    time_ns: int
    end: str
    outbound: bool
    data: bytes

    @property
    def time_s(self) -> float:
        """The time in seconds."""
        return self.time_ns / 1e9

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)

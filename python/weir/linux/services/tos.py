"""Sets the type of service of packets, for a socket or for single datagrams."""

from __future__ import annotations

import socket
import struct

Ancillary = list[tuple[int, int, bytes]]


def mark(sock: socket.socket, tos: int) -> None:
    """Sets the type of service, or the traffic class, of the packets that a socket sends.

    For TCP, the kernel ignores the two low bits (ECN).
    """
    if sock.family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, tos)
    else:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)


def ancillary(sock: socket.socket, tos: int) -> Ancillary:
    """Returns the ancillary data that sets the type of service of one datagram, for sockets that
    several flows share."""
    if not tos:
        return []
    value = struct.pack("=i", tos)
    if sock.family == socket.AF_INET6:
        return [(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, value)]
    return [(socket.IPPROTO_IP, socket.IP_TOS, value)]

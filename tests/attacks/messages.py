"""P4Runtime messages as bytes: field numbers from p4runtime.proto, written by hand.

A client library would refuse to send most of these messages.
"""

from __future__ import annotations

import struct


def varint(number: int) -> bytes:
    """Returns an unsigned number as protocol buffers encode it."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """Returns a field that is a number."""
    return varint(field << 3) + varint(value)


def part(field: int, body: bytes) -> bytes:
    """Returns a field that is a message, a string or bytes."""
    return varint(field << 3 | 2) + varint(len(body)) + body


def election(low: int, high: int = 0) -> bytes:
    """Returns an election id (Uint128)."""
    return number(1, high) + number(2, low)


def bid(low: int | None, role: str = "", config: bytes = b"", high: int = 0) -> bytes:
    """Returns a StreamMessageRequest with an arbitration message for device 0.

    ``low`` of None leaves the election id out; ``config`` is the role's config as bytes of an Any.
    """
    body = number(1, 0)
    if role or config:
        body += part(2, part(3, role.encode()) + (part(2, config) if config else b""))
    if low is not None:
        body += part(3, election(low, high))
    return part(1, body)


def write(updates: bytes, low: int = 1) -> bytes:
    """Returns a WriteRequest for device 0 whose updates are given as bytes."""
    return number(1, 0) + part(3, election(low)) + updates


EMPTY_UPDATE = part(4, b"")


def verify(p4info: bytes, program: bytes, low: int, role: str) -> bytes:
    """Returns a SetForwardingPipelineConfigRequest that asks device 0 to VERIFY a program."""
    config = part(1, p4info) + part(2, program)
    return number(1, 0) + part(3, election(low)) + number(4, 1) + part(5, config) + part(6, role.encode())


def thrift_call(name: bytes = b"standard:bm_dev_mgr_show_ports") -> bytes:
    """Returns the call of a method without arguments in Thrift's binary protocol."""
    return struct.pack(">II", 0x80010001, len(name)) + name + struct.pack(">IB", 1, 0)

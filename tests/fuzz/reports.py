"""Any bytes as telemetry reports: decoding a batch has the same result as decoding one by one."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

from both_readers import assert_the_same
from handmade_reports import random_payload

_LENGTH = struct.Struct("!H")


def run(data: bytes) -> None:
    """Decodes datagrams; two bytes before each datagram have its length."""
    payloads = []
    while data:
        (length,) = _LENGTH.unpack(data[:2].ljust(2, b"\0"))
        payloads.append(data[2 : 2 + length])
        data = data[2 + length :]
    assert_the_same(payloads)


def seeds() -> Iterator[bytes]:
    """Yields reports of all kinds."""
    chance = random.Random(1)
    for _ in range(100):
        payloads = [random_payload(chance) for _ in range(chance.choice([1, 1, 3]))]
        yield b"".join(_LENGTH.pack(len(payload)) + payload for payload in payloads)

"""Bytes of packets: any at all, and packets that protocols would almost accept."""

from __future__ import annotations

import random
from typing import Final

_MAC: Final = bytes.fromhex("080000000222080000000111")
_IP: Final = bytes.fromhex("0a0001010a000202")
_TYPES: Final = [0x0800, 0x86DD, 0x0806, 0x8100, 0x8847, 0x88F7, 0x1234, 0xFFFF, 0]


def packet(chance: random.Random) -> bytes:
    """A packet."""
    form = chance.randrange(10)
    if form == 0:
        return b""
    if form == 1:
        return chance.choice([b"\x00", b"\xff", b"\x01"]) * length(chance)
    if form < 5:
        return chance.randbytes(length(chance))
    return _damaged(_frame(chance), chance)


def length(chance: random.Random) -> int:
    """A length: short, around a frame's minimum and maximum, or very long."""
    return chance.choice(
        [chance.randrange(20), chance.randrange(200), 59, 60, 64, 1514, 1515, 9014, chance.randrange(1 << 16)]
    )


def _frame(chance: random.Random) -> bytes:
    kind = chance.choice(_TYPES)
    tags = b"".join(chance.randbytes(2) + kind.to_bytes(2) for _ in range(chance.choice([0, 0, 0, 1, 5])))
    body = chance.randbytes(chance.randrange(100))
    if kind == 0x0800:
        options = chance.randbytes(4 * chance.choice([0, 0, 0, 1, 10]))
        protocol = chance.choice([1, 6, 17, 17, 89, 255])
        size = 20 + len(options) + len(body)
        head = (
            bytes([0x40 | 5 + len(options) // 4, 0])
            + size.to_bytes(2)
            + bytes(4)
            + bytes([64, protocol, 0, 0])
        )
        head += _IP + options
        head = head[:10] + _sum(head).to_bytes(2) + head[12:]
        body = head + body
    return _MAC + kind.to_bytes(2) + tags + body


def _sum(head: bytes) -> int:
    total = sum(int.from_bytes(head[at : at + 2]) for at in range(0, len(head), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def _damaged(frame: bytes, chance: random.Random) -> bytes:
    form = chance.randrange(6)
    if form == 0:
        return frame[: chance.randrange(len(frame) + 1)]
    if form == 1:
        place = chance.randrange(len(frame))
        return frame[:place] + bytes([frame[place] ^ 1 << chance.randrange(8)]) + frame[place + 1 :]
    if form == 2:
        place = chance.randrange(len(frame))
        return frame[:place] + chance.randbytes(chance.randrange(10)) + frame[place + chance.randrange(10) :]
    return frame

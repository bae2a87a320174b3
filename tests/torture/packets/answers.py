"""Answers that neither a switch nor the kernel would send: metrics, and the state of a queue."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

from torture.case import Case, Failed
from weir.linux.services.queue_messages import _attributes, _statistics
from weir.top.metrics import parse

_WORDS = [
    "weir_passes_total", "weir_port_frames", "{", "}", '="', '"', ",", "\\n", "\\", " ", "\n", "# TYPE ", "1", "-1",
    "1e999", "nan", "0x1", "1_0", "port", "switch", "\x1b[2J", "\u2028", "\0", "é", "9" * 400,
]  # fmt: skip


def metrics(chance: random.Random) -> Case:
    """Any text as metrics: all numbers that are read are finite."""
    lines = [f'weir_passes_total{{switch="s{number}"}} {number}' for number in range(chance.randrange(20))]
    words = [chance.choice([*_WORDS, *lines]) for _ in range(chance.choice([1, 10, 1000]))]
    text = chance.choice(["", "\n"]).join(words)

    def run(folder: Path) -> str:
        answer = parse(text, 1.0)
        values = [value for rows in answer.values.values() for value in rows.values()]
        if not all(math.isfinite(value) for value in values):
            raise Failed("a number is not finite")
        rates = answer.rates("passes", parse(text, 0.5))
        if any(rate < 0 for rate in rates.values()):
            raise Failed("a rate is negative")
        return "read" if values else "refused"

    return Case("metrics", run, {"metrics.txt": text})


def netlink(chance: random.Random) -> Case:
    """Any bytes as attributes of a message: they are read to their end."""
    data = bytearray()
    for _ in range(chance.randrange(20)):
        inner = b"".join(
            struct.pack("=HH", 4 + length, chance.choice([1, 3, chance.randrange(1 << 16)]))
            + chance.randbytes(length)
            for length in (chance.choice([0, 4, 12, 16]) for _ in range(chance.randrange(4)))
        )
        kind = chance.choice([7, 7, chance.randrange(1 << 16)])
        data += struct.pack("=HH", chance.choice([4 + len(inner), chance.randrange(1 << 16)]), kind) + inner
    for _ in range(chance.choice([0, 1, 5]) if data else 0):
        data[chance.randrange(len(data))] = chance.choice([0, 255, chance.randrange(256)])
    octets = bytes(data)

    def run(folder: Path) -> str:
        if sum(1 for _ in _attributes(octets)) > len(octets) // 4:
            raise Failed("there are more attributes than fit")
        numbers = _statistics(octets)
        return "read" if any(numbers) else "refused"

    return Case("netlink", run, {"attributes.bin": octets})

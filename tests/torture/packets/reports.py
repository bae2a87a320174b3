"""Telemetry reports that nodes would not send."""

from __future__ import annotations

import random
from pathlib import Path

from both_readers import assert_the_same
from handmade_reports import random_payload

from torture.case import Case


def payload(chance: random.Random) -> bytes:
    """The payload of a datagram: reports, with damage or without, or any bytes."""
    form = chance.randrange(10)
    if form == 0:
        return chance.randbytes(chance.choice([0, 1, 11, 12, 13, 40, 1500, 9000]))
    made = bytearray(random_payload(chance))
    for _ in range(chance.choice([0, 1, 1, 3])):
        place = chance.randrange(min(len(made), 100))
        made[place] = chance.choice([0, 255, made[place] ^ 1 << chance.randrange(8), chance.randrange(256)])
    if form == 1:
        made *= chance.choice([2, 30])
    return bytes(made[: chance.randrange(len(made) + 1)] if form < 4 else made)


def reports(chance: random.Random) -> Case:
    """Decoding datagrams together has the same result as decoding one after another."""
    payloads = [payload(chance) for _ in range(chance.choice([1, 10, 100]))]

    def run(folder: Path) -> str:
        batch = assert_the_same(payloads)
        return "read" if len(batch) else "refused"

    return Case("reports", run, {"payloads.txt": "".join(f"{octets.hex()}\n" for octets in payloads)})

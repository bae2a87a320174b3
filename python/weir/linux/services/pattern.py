"""The times at which a flow sends packets or writes data."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weir._core import Pattern

SECOND: Final = 1_000_000_000


def times(pattern: Pattern, length: int) -> Iterator[int]:
    """Yields the nanoseconds from a flow's start to each of its packets.

    Args:
        pattern: the distribution of the packets over time.
        length: bytes of payload of a packet.
    """
    kind, bits, on, off, is_random = pattern
    gap = length * 8 * SECOND / bits
    if kind == "poisson":
        time = 0.0
        while True:
            yield int(time)
            time += random.expovariate(1 / gap)
    elif kind == "constant":
        number = 0
        while True:
            yield int(number * gap)
            number += 1
    else:
        start = 0.0
        while True:
            span = random.expovariate(1 / on) if is_random else on
            number = 0
            while number * gap < span:
                yield int(start + number * gap)
                number += 1
            start += span + (random.expovariate(1 / off) if is_random else off)

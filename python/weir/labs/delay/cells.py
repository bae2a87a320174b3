"""The lab's cells: every number of recirculations at every link rate, and what each measures."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Final

from weir.labs.delay.theory import Theory

RECIRCULATIONS: Final = (0, 1, 3, 7, 15)
RATES_BPS: Final = (None, 10**9, 10**6, 10**5, 10**4)
DATA_BYTES: Final = 1200
PINGS: Final = 1000
QUICK_PINGS: Final = 40

INTERVAL_MS: Final = 100
"""The thesis' interval between pings."""

INTERVAL_RULE: Final = (
    "Pings leave every 0.1 s, as in the thesis, wherever the predicted round trip is shorter than that. Elsewhere the "
    "next ping would leave before the last one is back, at 10 kbit/s faster than the link could ever send them, so the "
    "interval is 1.1 round trips, rounded up to a tenth of a second."
)


@dataclass(frozen=True)
class Cell:
    """One run of pings.

    Attributes:
        recirculations: X; the packet passes the switch X + 1 times each way.
        rate_bps: of both links, in bit/s; None is unlimited.
        pings: number of pings.
        interval_ms: time between two pings, in whole milliseconds.
        seed: seed of the network of this cell.
    """

    recirculations: int
    rate_bps: int | None
    pings: int
    interval_ms: int
    seed: int


def cells(theory: Theory, *, seed: int, quick: bool) -> list[Cell]:
    """All cells, by rate from the fastest, then by recirculations."""
    return [
        Cell(
            recirculations=x,
            rate_bps=rate,
            pings=QUICK_PINGS if quick else PINGS,
            interval_ms=interval_ms(theory.rtt_ms(x, rate)),
            seed=cell_seed(seed, x, rate),
        )
        for rate in RATES_BPS
        for x in RECIRCULATIONS
    ]


def interval_ms(rtt_ms: float) -> int:
    """The interval between pings by `INTERVAL_RULE`, in milliseconds."""
    if rtt_ms < INTERVAL_MS:
        return INTERVAL_MS
    return math.ceil(1.1 * rtt_ms / 100) * 100


def cell_seed(seed: int, recirculations: int, rate_bps: int | None) -> int:
    """The seed of a cell, which depends on the cell alone.

    So cells share no randomness, and their order does not matter.
    """
    digest = hashlib.sha256(f"delay {seed} {recirculations} {rate_bps}".encode()).digest()
    return int.from_bytes(digest[:4], "big")

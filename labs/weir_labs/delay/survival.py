"""Whether a UDP sending rate survives, judged by goodput.

iperf's goodput counts from the first datagram's arrival to the last one's. Datagrams that waited in
a queue lengthen this time, so goodput falls even while a queue that is not full yet hides the loss.
"""

from __future__ import annotations

from typing import Final

from weir.lab import Tables

SHARE: Final = 0.995
"""The share of the sending rate that must arrive."""


def goodput(tables: Tables, link: str, mbps: float, x: int) -> float | None:
    """The mean goodput at a point, in Mbit/s; None if there is no such point."""
    return tables.mean("goodput_mbps", link=link, mbps=mbps, x=x)


def largest_surviving_x(tables: Tables, link: str, mbps: float) -> int | None:
    """The largest X up to which a sending rate survives.

    Returns:
        None if it does not even survive without recirculation, or there are no runs.
    """
    best = None
    for x in sorted(tables.values("x")):
        found = goodput(tables, link, mbps, x)
        if found is None or found < SHARE * mbps:
            break
        best = int(x)
    return best

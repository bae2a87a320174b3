"""Judges by goodput whether a UDP sending rate survives recirculation.

iperf's goodput is over the time from the first datagram's arrival to the last one's. Datagrams that
waited in a queue lengthen this time, so goodput falls even before the queue is full and datagrams
are lost.
"""

from __future__ import annotations

from typing import Final

from weir.lab import Tables

SHARE: Final = 0.995
"""The minimum share of the sending rate that must arrive, so that the rate survives."""


def goodput(tables: Tables, link: str, mbps: float, x: int) -> float | None:
    """Returns the mean goodput at a point, in Mbit/s; ``None`` if there is no such point."""
    return tables.mean("goodput_mbps", link=link, mbps=mbps, x=x)


def largest_surviving_x(tables: Tables, link: str, mbps: float) -> int | None:
    """Finds the largest X for which a sending rate survives, at this X and at all smaller X.

    Returns:
        The X; ``None`` if the rate does not survive even without recirculation, or there are no
        runs.
    """
    best = None
    for x in sorted(tables.values("x")):
        goodput_mbps = goodput(tables, link, mbps, x)
        if goodput_mbps is None or goodput_mbps < SHARE * mbps:
            break
        best = int(x)
    return best

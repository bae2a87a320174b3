"""Round-trip times by number of recirculations and link rate (thesis, 5.2.1 and 5.2.2)."""

from __future__ import annotations

import math
from typing import Any, Final

import weir
from weir import units

from .chain import link_rate, network, recirculate
from .machines import machine
from .theory import rtt_ms, wire_bytes

DATA_BYTES: Final = 1200
INTERVAL_MS: Final = 100
"""The thesis's interval between pings, in milliseconds."""


@weir.experiment(
    profile=["bmv2-vm", "bmv2-server", "modern"],
    rate=["unlimited", "1Gbit", "1Mbit", "100kbit", "10kbit"],
    x=[0, 1, 3, 7, 15],
    switches=[1],
    pings=[1000],
)
def rtt(profile: str, rate: str, x: int, switches: int, pings: int, seed: int) -> dict[str, Any]:
    """How long is a round trip if the switch recirculates each packet X times?"""
    model = machine(profile)
    bits = link_rate(rate)
    expected = rtt_ms(model, x, None if bits is None else units.rate_bps(bits), switches)
    with network("delay", model, switches=switches, rate=bits, seed=seed) as net:
        recirculate(net, x)
        trips = net.host("h1").ping(
            "h2",
            count=pings,
            size=DATA_BYTES,
            interval=f"{interval_ms(expected)}ms",
            timeout=f"{max(1000, round(10 * expected))}ms",
        )
    return {
        "sent": trips.sent,
        "received": trips.received,
        "rtt_min_ms": trips.rtt_min_ms,
        "rtt_avg_ms": trips.rtt_avg_ms,
        "rtt_max_ms": trips.rtt_max_ms,
        "theory_ms": expected,
        "wire_bytes": wire_bytes(DATA_BYTES),
        "interval_ms": interval_ms(expected),
        "ttl": min((reply.ttl for reply in trips.replies if reply.ttl is not None), default=None),
    }


def interval_ms(expected: float) -> int:
    """Computes the time between two pings, in milliseconds.

    The interval is 0.1 s as in the thesis, or 1.1 round trips, rounded up to a tenth of a second,
    if a round trip takes longer. Otherwise a ping would be sent before the last reply has arrived,
    and at 10 kbit/s pings would be sent faster than the link can carry them.
    """
    return INTERVAL_MS if expected < INTERVAL_MS else math.ceil(1.1 * expected / 100) * 100

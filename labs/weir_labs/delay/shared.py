"""The experiment "shared_computer": round trips if the switch and the hosts share one computer."""

from __future__ import annotations

from typing import Any

import weir

from .chain import network, recirculate
from .machines import MACHINES
from .rtt import DATA_BYTES, INTERVAL_MS


@weir.experiment(
    x=[0, 1, 3, 7, 15],
    switches=[1, 2],
    slower=[1.0, 4.0],
    pings=[300],
    computer=["bmv2-two-processors"],
)
def shared_computer(
    x: int, switches: int, slower: float, pings: int, computer: str, seed: int
) -> dict[str, Any]:
    """How long is a round trip on a shared computer, and how much larger is its mean than its
    minimum?

    The computer is ``slower`` times slower than the fitted one.
    """
    shared = weir.Computer.named(computer).scaled(slower)
    with network("delay", MACHINES["modern"], switches=switches, computer=shared, seed=seed) as net:
        recirculate(net, x)
        trips = net.host("h1").ping("h2", count=pings, size=DATA_BYTES, interval=f"{INTERVAL_MS}ms")
    return {
        "received": trips.received,
        "rtt_min_ms": trips.rtt_min_ms,
        "rtt_avg_ms": trips.rtt_avg_ms,
        "rtt_max_ms": trips.rtt_max_ms,
        "above_ms": (trips.rtt_avg_ms or 0.0) - (trips.rtt_min_ms or 0.0),
    }

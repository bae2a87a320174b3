"""Experiments that compare one switch with several, with the same number of passes on the path
(thesis, 5.2.4)."""

from __future__ import annotations

from typing import Any

import weir

from .chain import link_rate, network, recirculate
from .machines import machine
from .rtt import DATA_BYTES
from .tcp import measure_tcp


def _switches_divide(transmissions: int, switches: int, **_: object) -> bool:
    return transmissions % switches == 0


@weir.experiment(
    profile=["bmv2-vm"],
    link=["unlimited", "10Mbit"],
    switches=[1, 2, 4],
    transmissions=[1, 2, 4, 8, 16],
    pings=[1000],
    where=_switches_divide,
)
def switches_rtt(
    profile: str, link: str, switches: int, transmissions: int, pings: int, seed: int
) -> dict[str, Any]:
    """Does a round trip depend on whether one switch or several make the same number of passes?"""
    with network("delay", machine(profile), switches=switches, rate=link_rate(link), seed=seed) as net:
        recirculate(net, transmissions // switches - 1)
        trips = net.host("h1").ping("h2", count=pings, size=DATA_BYTES, interval="100ms")
    return {"received": trips.received, "rtt_min_ms": trips.rtt_min_ms, "rtt_avg_ms": trips.rtt_avg_ms}


@weir.experiment(
    profile=["bmv2-vm"],
    link=["unlimited", "25Mbit", "10Mbit"],
    switches=[1, 2],
    transmissions=[1, 2, 4, 8, 16],
    seconds=[10],
    seeds=10,
    where=_switches_divide,
)
def switches_tcp(
    profile: str, link: str, switches: int, transmissions: int, seconds: int, seed: int
) -> dict[str, Any]:
    """Is the TCP throughput higher if two switches share the passes?"""
    x = transmissions // switches - 1
    return measure_tcp(machine(profile), link, x, switches, seconds, seed)

"""Measures the cost of telemetry on real Linux hosts, and in the virtual world (``--world
linux``)."""

from __future__ import annotations

from typing import Any

import weir
from weir.network import WorldName

from .load import measure_load


@weir.experiment(
    world=["virtual", "linux"],
    mbps=[3.0, 5.5, 5.8, 6.0],
    telemetry=["off", "on"],
    switch=["weir"],
    switches=[3],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[8],
    seeds=3,
)
def load(
    world: WorldName,
    mbps: float,
    telemetry: str,
    switch: str,
    switches: int,
    rate: str,
    data_bytes: int,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """What does telemetry cost at each load, and does every datagram's report come back?"""
    return measure_load(
        switches, telemetry, mbps, rate, data_bytes, seconds, seed, world=world, switch=switch
    )

"""Measures the bytes of telemetry on real links, and in the virtual world (``--world linux``)."""

from __future__ import annotations

from typing import Any

import weir
from weir.network import WorldName

from .chain import PATH
from .cost import measure_cost


@weir.experiment(
    world=["virtual", "linux"],
    mode=["MD", "MX", "XD"],
    switch=["weir"],
    switches=[2, 4],
    instructions=[int(PATH)],
    data_bytes=[1000],
    packets=[50],
)
def cost(
    world: WorldName,
    mode: str,
    switch: str,
    switches: int,
    instructions: int,
    data_bytes: int,
    packets: int,
    seed: int,
) -> dict[str, Any]:
    """How many bytes does telemetry add to each link, as packet sockets of real links see them?"""
    return measure_cost(mode, switches, instructions, data_bytes, packets, seed, world, switch)

"""Runs the thesis's test in the virtual world and on Linux hosts (``--world linux``)."""

from __future__ import annotations

from typing import Any

import weir
from weir.network import WorldName

from .binding import measure_binding
from .network import network


@weir.experiment(world=["virtual", "linux"], pings=[10], spoofed=[200], switch=["weir"])
def binding(world: WorldName, pings: int, spoofed: int, switch: str, seed: int) -> dict[str, Any]:
    """Which hosts reach each other before and after h4's entries are written? Do spoofed frames
    pass?"""
    # Real switches need real time, and a busy computer may need more time for a ping.
    with network(seed=seed, world=world, switch=switch) as net:
        return measure_binding(net, pings, spoofed, seed, interval="10ms", timeout="500ms")

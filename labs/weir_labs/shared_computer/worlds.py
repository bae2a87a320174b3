"""Chains of switches on this computer, next to those on a virtual one (``--world linux``)."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

import weir
from weir.network import WorldName

from .chains import FITTED_COMPUTER
from .fit import simulate
from .measure import measured


@weir.experiment(
    turn=[1, 2, 3, 4, 5],
    world=["virtual", "linux"],
    switches=[1, 2, 3, 5],
    switch=["weir"],
    pings=[200],
    seconds=[1.0],
)
def chains(
    turn: int, world: WorldName, switches: int, switch: str, pings: int, seconds: float, seed: int
) -> dict[str, Any]:
    """Do measurements of short chains on this computer predict a longer chain?

    Each turn measures chains of all lengths, because the speed of a virtual machine changes over
    minutes. In the virtual world, the nodes share the computer that was fitted to another machine.
    """
    if world == "virtual":
        computer = weir.Computer.named(FITTED_COMPUTER)
        return {
            "processors": computer.processors,
            **asdict(simulate(computer, switches, (seed + turn) % 2**63)),
        }
    figures = measured(switches, switch, pings=pings, seconds=seconds)
    return {"processors": len(os.sched_getaffinity(0)), **asdict(figures)}

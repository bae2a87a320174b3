"""The lab's network: h1 – s1 – … – sN – h2, in either world."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import weir
from weir.lab import switches_of
from weir.network import WorldName

PROGRAM: Final = Path(__file__).with_name("forward.p4")

H1: Final = ("10.0.0.1", "08:00:00:00:00:01")
H2: Final = ("10.0.0.2", "08:00:00:00:00:02")

MAX_SWITCHES: Final = 20
"""The maximum number of switches of a chain."""


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(PROGRAM)


def chain(switches: int) -> weir.Topology:
    """Creates the topology of a chain, with links that take no time.

    Args:
        switches: the number of switches, 1 to 20. Port 1 of each leads towards h1, port 2 towards
            h2.
    """
    if not 1 <= switches <= MAX_SWITCHES:
        raise ValueError(f"switches={switches}: expected 1 to {MAX_SWITCHES}")
    topology = weir.Topology()
    for name, own_addresses, other in (("h1", H1, H2), ("h2", H2, H1)):
        topology.add_host(name, f"{own_addresses[0]}/24", own_addresses[1], arp={other[0]: other[1]})
    for number in range(1, switches + 1):
        topology.add_switch(f"s{number}")
    topology.add_link("h1", "s1-p1", rate="unlimited")
    for number in range(1, switches):
        topology.add_link(f"s{number}-p2", f"s{number + 1}-p1", rate="unlimited")
    topology.add_link("h2", f"s{switches}-p2", rate="unlimited")
    return topology


def network(
    switches: int,
    *,
    computer: weir.Computer | None = None,
    seed: int = 1,
    world: WorldName = "virtual",
    switch: str = "weir",
) -> weir.Network:
    """Creates the network of a chain.

    Args:
        switches: the number of switches.
        computer: the computer that the nodes share in the virtual world. In the Linux world, they
            share this computer.
        seed: the seed of the virtual world.
        world: ``virtual`` or ``linux``.
        switch: the kind of switch in the Linux world.
    """
    real = world == "linux"
    return weir.Network(
        chain(switches),
        program(),
        computer=None if real else computer,
        seed=seed,
        world=world,
        switches=switches_of(world, switch),
        # No frame is longer than a wire could carry, as in the virtual world.
        offloads=False if real else None,
    )

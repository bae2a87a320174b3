"""The lab's network: h1 – s1 – … – sN – h2, virtual, or with BMv2 in the Linux world."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import weir

PROGRAM: Final = Path(__file__).with_name("forward.p4")

H1: Final = ("10.0.0.1", "08:00:00:00:00:01")
H2: Final = ("10.0.0.2", "08:00:00:00:00:02")

LONGEST: Final = 20
"""The maximum number of switches of a chain."""


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(PROGRAM)


def chain(switches: int, *, real: bool = False) -> weir.Topology:
    """Creates the topology of a chain, with links that take no time.

    Args:
        switches: the number of switches, 1 to 20. Port 1 of each leads towards h1, port 2 towards
            h2.
        real: whether switches are hosts with two interfaces, between which a program forwards.
    """
    if not 1 <= switches <= LONGEST:
        raise ValueError(f"switches={switches}: expected 1 to {LONGEST}")
    topology = weir.Topology()
    for name, own, other in (("h1", H1, H2), ("h2", H2, H1)):
        topology.add_host(name, f"{own[0]}/24", own[1], arp={other[0]: other[1]})
    for number in range(1, switches + 1):
        if real:
            topology.add_host(f"s{number}", f"192.0.2.{4 * number + 1}/30", mtu="9216B")
            topology.add_interface(f"s{number}", f"192.0.2.{4 * number + 129}/30", mtu="9216B")
        else:
            topology.add_switch(f"s{number}")
    left, right = ("-eth0", "-eth1") if real else ("-p1", "-p2")
    topology.add_link("h1", f"s1{left}", rate="unlimited")
    for number in range(1, switches):
        topology.add_link(f"s{number}{right}", f"s{number + 1}{left}", rate="unlimited")
    topology.add_link("h2", f"s{switches}{right}", rate="unlimited")
    return topology


def network(switches: int, computer: weir.Computer, seed: int = 1) -> weir.Network:
    """Creates the network of a chain in the virtual world, whose nodes share a computer."""
    return weir.Network(chain(switches), program(), computer=computer, seed=seed)

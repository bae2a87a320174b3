"""The lab's network: two hosts at each of two routers, in either world."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, cast

import weir
from weir.lab import switches_of
from weir.network import WorldName
from weir.topology import shapes

SENDERS: Final = ("h1", "h2")
"""The hosts on the left."""

RECEIVERS: Final = ("h3", "h4")
"""The hosts on the right, one for each sender."""

EDGE_RATE: Final = "1Gbit"
"""The rate of the hosts' links."""


PROGRAM: Final = Path(__file__).with_name("router.p4")


@cache
def program() -> weir.Program:
    """Compiles the routers' program, once in each process."""
    return weir.compile(PROGRAM)


def dumbbell(rate: str = "20Mbit", delay: str = "5ms", queue: str = "100p") -> weir.Topology:
    """Creates the topology h1, h2 – s1 – s2 – h3, h4.

    Args:
        rate: the rate of the link in the middle.
        delay: the delay of the link in the middle.
        queue: the queue at each end of each link.
    """
    return shapes.dumbbell(
        2, rate=EDGE_RATE, middle_rate=rate, edge_delay="0ms", middle_delay=delay, queue=queue
    )


def network(
    world: str,
    seed: int,
    rate: str = "20Mbit",
    delay: str = "5ms",
    queue: str = "100p",
    switch: str = "weir",
) -> weir.Network:
    """Creates the network with routers in a world.

    Args:
        world: ``virtual`` or ``linux``.
        seed: the seed of the network.
        rate: see :func:`dumbbell`, like ``delay`` and ``queue``.
        switch: the kind of routers in the Linux world.
    """
    return weir.Network(
        dumbbell(rate, delay, queue),
        program(),
        seed=seed,
        world=cast(WorldName, world),
        switches=switches_of(world, switch),
    )

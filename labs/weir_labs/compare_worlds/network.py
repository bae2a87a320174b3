"""The lab's network: two hosts at each of two routers, in either world."""

from __future__ import annotations

from typing import Final, cast

import weir
from weir.network import WorldName
from weir.topology import shapes

SENDERS: Final = ("h1", "h2")
"""The hosts on the left."""

RECEIVERS: Final = ("h3", "h4")
"""The hosts on the right, one for each sender."""

EDGE_RATE: Final = "1Gbit"
"""The rate of the hosts' links."""


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
    world: str, seed: int, rate: str = "20Mbit", delay: str = "5ms", queue: str = "100p"
) -> weir.Network:
    """Creates the network with routers in a world, ``virtual`` or ``linux``.

    Other arguments are those of :func:`dumbbell`.
    """
    return weir.Network(dumbbell(rate, delay, queue), p4="router", seed=seed, world=cast(WorldName, world))

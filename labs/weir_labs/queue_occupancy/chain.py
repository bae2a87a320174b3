"""The lab's network: three switches in a chain, and two hosts at each end."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import weir
from weir.lab import switches_of
from weir.network import WorldName

FOLDER: Final = Path(__file__).resolve().parent

QUEUE_PACKETS: Final = 64
"""The capacity in packets of the queue at each end of a link, as in BMv2."""

BOTTLENECK: Final = "s1-p3"
"""The port whose queue the flows of h1 and h2 share."""


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(FOLDER / "queue.p4")


def chain(rate: str = "10Mbit", mtu: str = "9000B", queue: int = QUEUE_PACKETS) -> weir.Topology:
    """Creates the topology h1, h2 – s1 – s2 – s3 – h3, h4.

    The network computes routes from the topology, because the table ``ipv4_lpm`` is annotated with
    ``@route``.

    Args:
        rate: the rate of all links.
        mtu: the MTU of the hosts.
        queue: the capacity in packets of the queue at each end of a link.
    """
    topology = weir.Topology()
    for number, (subnet, switch, port) in enumerate(
        [("10.1.1", 1, 1), ("10.1.2", 1, 2), ("10.3.3", 3, 1), ("10.3.4", 3, 2)], start=1
    ):
        topology.add_host(
            f"h{number}",
            f"{subnet}.2/24",
            f"08:00:00:00:{number:02x}:01",
            gateway=f"{subnet}.1",
            arp={f"{subnet}.1": f"08:00:00:01:{switch:02x}:{port:02x}"},
            mtu=mtu,
        )
    for number in (1, 2, 3):
        topology.add_switch(f"s{number}")
    for a, b in [
        ("h1", "s1-p1"),
        ("h2", "s1-p2"),
        ("h3", "s3-p1"),
        ("h4", "s3-p2"),
        ("s1-p3", "s2-p1"),
        ("s2-p2", "s3-p3"),
    ]:
        topology.add_link(a, b, rate=rate, queue=f"{queue}p")
    return topology


def network(
    rate: str = "10Mbit",
    mtu: str = "9000B",
    queue: int = QUEUE_PACKETS,
    *,
    seed: int = 1,
    noise: str = "none",
    world: WorldName = "virtual",
    switch: str = "weir",
) -> weir.Network:
    """Starts the network of :func:`chain`.

    Args:
        rate: the rate of all links.
        mtu: the MTU of the hosts.
        queue: the capacity in packets of the queue at each end of a link.
        seed: the seed of all random numbers.
        noise: see :class:`weir.Network`.
        world: see :class:`weir.Network`.
        switch: the kind of switch in the Linux world, see :class:`weir.Network`.
    """
    switches = switches_of(world, switch)
    return weir.Network(
        chain(rate, mtu, queue), program(), seed=seed, noise=noise, world=world, switches=switches
    )

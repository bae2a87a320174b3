"""The lab's network, which is the thesis's path of three switches with free ports for strangers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import weir
from weir.control import Rates
from weir.lab import switches_of
from weir.network import WorldName

from .messages import Identity

FOLDER: Final = Path(__file__).resolve().parent
SWITCHES: Final = ("s1", "s3", "s2")
"""The switches in the order of the path (thesis, figure 3.2)."""

NEIGHBOURS: Final = {"s1": {10: "s3"}, "s3": {1: "s1", 2: "s2"}, "s2": {10: "s3"}}
"""The ports of each switch that lead to other switches."""

CPU_PORT: Final = 510

REASONS: Final = (
    "unknown_source",
    "wrong_address",
    "unknown_target",
    "wrong_port",
    "not_ipv4",
    "malformed",
    "options",
    "fragment",
    "expired",
    "protocol",
    "denied",
    "not_contacted",
    "too_many_requests",
    "bad_request",
)
"""The reasons why a switch refuses a packet, in the order of the counter (``reasons.p4``)."""

REQUEST_RATES: Final = Rates(committed_rate=20, committed_burst=10, peak_rate=20, peak_burst=10)
"""The maximum number of requests from a port to the controller: per second, and in a burst."""


@dataclass(frozen=True)
class Station:
    """A place where a computer is connected.

    Attributes:
        number: the host's number, the last byte of its addresses.
        name: the name of the host.
        switch: the switch that the host is connected to.
        port: the switch's port.
    """

    number: int
    name: str
    switch: str
    port: int

    @property
    def address(self) -> str:
        """The station's IPv4 address."""
        return f"10.0.0.{self.number}"

    @property
    def mac(self) -> str:
        """The station's MAC address."""
        return f"08:00:00:00:00:{self.number:02x}"


STATIONS: Final = (
    Station(1, "h1", "s1", 1),
    Station(2, "h2", "s1", 2),
    Station(3, "h3", "s2", 1),
    Station(4, "h4", "s2", 2),
    Station(7, "x1", "s1", 3),
    Station(8, "x2", "s2", 3),
)
"""The stations. h1 to h4 have keys; x1 and x2 are strangers, and a known host may be moved to their
ports."""

MEMBERS: Final = STATIONS[:4]

STRANGERS: Final = ("x1", "x2")


@cache
def program() -> weir.Program:
    """Compiles the firewall's P4 program, once in each process."""
    return weir.compile(FOLDER / "firewall.p4")


def station(name: str) -> Station:
    """Finds a station by its name."""
    return next(candidate for candidate in STATIONS if candidate.name == name)


def identities(seed: int) -> dict[str, Identity]:
    """Returns the hosts that the controller knows, by name, with keys from a seed."""
    keys = random.Random(f"keys {seed}")
    return {
        member.name: Identity(member.number, *packed_addresses(member), keys.randbytes(32))
        for member in MEMBERS
    }


def packed_addresses(one: Station) -> tuple[bytes, bytes]:
    """Returns the MAC address and the IPv4 address of a station, as bytes."""
    return bytes.fromhex(one.mac.replace(":", "")), bytes(map(int, one.address.split(".")))


def path(rate: str | None = "1Gbit") -> weir.Topology:
    """Creates the topology h1, h2, x1 – s1 – s3 – s2 – h3, h4, x2, with nobody admitted.

    Each host has permanent ARP entries, because the firewall forwards only IPv4.

    Args:
        rate: the rate of all links; ``None`` for links without transmission time.
    """
    topology = weir.Topology()
    for one in STATIONS:
        arp = {other.address: other.mac for other in STATIONS if other is not one}
        topology.add_host(one.name, f"{one.address}/24", one.mac, arp=arp)
    for switch in SWITCHES:
        topology.add_switch(switch, cpu_port=CPU_PORT)
    for one in STATIONS:
        topology.add_link(one.name, f"{one.switch}-p{one.port}", rate=rate)
    topology.add_link("s1-p10", "s3-p1", rate=rate)
    topology.add_link("s3-p2", "s2-p10", rate=rate)
    return topology


def network(
    rate: str | None = "1Gbit",
    *,
    control_delay: str = "1ms",
    limited: bool = True,
    seed: int = 1,
    world: WorldName = "virtual",
    switch: str = "weir",
) -> weir.Network:
    """Starts the network of :func:`path`.

    Args:
        rate: the rate of all links between hosts and switches.
        control_delay: the one-way delay between a switch and the controller.
        limited: whether switches limit the requests of each port to :data:`REQUEST_RATES`.
        seed: the seed of all random numbers.
        world: see :class:`weir.Network`. In the Linux world the real delay applies.
        switch: the kind of switch in the Linux world, see :class:`weir.Network`.
    """
    switches = switches_of(world, switch)
    net = weir.Network(path(rate), program(), seed=seed, world=world, switches=switches)
    for name in SWITCHES:
        if world == "virtual":
            net.switch(name).controller_link.delay = control_delay
        if limited:
            net.switch(name).meter("requests").write_all(REQUEST_RATES)
    for one in STATIONS:
        net.switch(one.switch).table("host_ports").insert({"standard_metadata.ingress_port": one.port}, "ask")
    return net


def refusals(net: weir.Network) -> dict[str, int]:
    """Counts the packets that the switches have refused, by reason, in the order of
    :data:`REASONS`."""
    counts = dict.fromkeys(REASONS, 0)
    for name in SWITCHES:
        for reason, cell in zip(REASONS, net.switch(name).counter("refused").cells(), strict=True):
            counts[reason] += cell.packets
    return counts

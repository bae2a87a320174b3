"""Parts that all shapes share: addresses, links with the same properties, sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from weir.errors import TopologyError, shown
from weir.topology.route_table import RouteTable
from weir.topology.topology import Topology

GATEWAY_MAC = "08:00:00:00:ff:01"
"""The Ethernet address of every gateway, because a router accepts frames to any address."""

HOSTS_PER_NETWORK = 250
"""The number of hosts in one /24 network. The last addresses are for the gateway, or unused."""


@dataclass
class Plan:
    """A topology that is being built.

    Attributes:
        rate: the default rate of links.
        delay: the default delay of links.
        queue: the queue at each end of a link.
        queue_rate: how fast the switches' queues drain.
        routes: see :attr:`weir.Topology.routes`.
        layer: 3: every host has a network of its own and sends to a gateway; 2: all hosts are in
            one network.
        ipv6: whether hosts also have an IPv6 address.
    """

    rate: str | None
    delay: str
    queue: str | None
    queue_rate: str | None
    routes: RouteTable | None
    layer: int = 3
    ipv6: bool = True
    topo: Topology = field(default_factory=Topology)

    def __post_init__(self) -> None:
        if self.layer not in (2, 3) or isinstance(self.layer, bool):
            raise TopologyError(
                f"layer = {shown(self.layer)} is out of range: expected 2 (one network) or 3 (routers)"
            )
        self.topo.routes = self.routes
        self._next_port: dict[str, int] = {}

    def switch(self, name: str) -> None:
        """Adds a switch to the topology."""
        self.topo.add_switch(name, queue_rate=self.queue_rate)

    def switches(self, count: int) -> None:
        """Adds switches s1, s2, …"""
        for number in range(1, count + 1):
            self.switch(f"s{number}")

    def host(self, network: int, place: int) -> str:
        """Adds the next host, h1, h2, …, and returns its name.

        Args:
            network: the number of the host's network, 0 to 65535: 0 is 10.0.0.0/24 and fd00::/64.
            place: the last part of the host's address.
        """
        name = f"h{len(self.topo.hosts) + 1}"
        start, start6 = f"10.{network >> 8}.{network & 255}", f"fd00:0:0:{network:x}:"
        ip, ip6 = f"{start}.{place}", f"{start6}:{place:x}"
        if self.layer == 2:
            self.topo.add_host(name, ip=f"{ip}/8", ip6=f"{ip6}/16" if self.ipv6 else None)
            return name
        gateways = [f"{start}.254", f"{start6}:fffe"] if self.ipv6 else [f"{start}.254"]
        self.topo.add_host(
            name,
            ip=f"{ip}/32",
            ip6=f"{ip6}/128" if self.ipv6 else None,
            gateway=gateways[0],
            gateway6=gateways[1] if self.ipv6 else None,
            arp=dict.fromkeys(gateways, GATEWAY_MAC),
        )
        return name

    def link(self, a: str, b: str, *, rate: str | None = "same", delay: str | None = None) -> None:
        """Adds a link between two ends."""
        self.topo.add_link(
            a,
            b,
            rate=self.rate if rate == "same" else rate,
            delay=self.delay if delay is None else delay,
            queue=self.queue,
        )

    def hosts_at(self, switch: str, network: int, count: int, first_port: int = 1) -> None:
        """Adds hosts at a switch, at consecutive ports."""
        for place in range(count):
            self.link(self.host(network, place + 1), f"{switch}-p{first_port + place}")


def check_size(name: str, value: int, minimum: int, maximum: int) -> None:
    """Refuses a size out of range.

    Raises:
        TopologyError: the value is not a whole number from ``minimum`` to ``maximum``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise TopologyError(f"{name} = {shown(value)} is out of range: expected {minimum} to {maximum}")

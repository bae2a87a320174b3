"""Shortest paths between the switches of a topology, and a spanning tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weir._core import Endpoint
from weir.topology import HostSpec, LinkSpec, Topology
from weir.topology.host_spec import InterfaceSpec

Neighbours = dict[str, list[tuple[int, str]]]
"""For each switch, pairs of a port and the switch at the other end of the port's link."""


@dataclass(frozen=True)
class Attachment:
    """The switch and port to which a host's interface is connected.

    Attributes:
        number: the host's number in the topology, from 0.
        interface: the interface.
        switch: the switch at the other end of the interface's link.
        port: the switch's port.
    """

    number: int
    interface: InterfaceSpec
    switch: str
    port: int


class Paths:
    """Computes paths over the links between switches.

    A path's length is its number of links, whatever their rates and delays are. Links that are down
    are used only where no other path leads to the destination, so that routes exist when these
    links come up. Hosts do not forward packets, so no path leads through a host.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._all = self._neighbours(topology.links)
        self._up = self._neighbours([link for link in topology.links if link.up])

    def _neighbours(self, links: Sequence[LinkSpec]) -> Neighbours:
        """Lists each switch's ports in ascending order, with the switch at the other end of each
        link."""
        ports_of: Neighbours = {name: [] for name in self._topology.switches}
        for near, far in _link_directions(links):
            if near.node in ports_of and far.node in ports_of:
                ports_of[near.node].append((near.number, far.node))
        return {name: sorted(ports) for name, ports in ports_of.items()}

    def attachments(self) -> list[Attachment]:
        """Lists the hosts' interfaces that are linked to switches, in the order of hosts and
        links."""
        topology = self._topology
        numbers = {name: number for number, name in enumerate(topology.hosts)}
        unsorted = []
        for near, far in _link_directions(topology.links):
            host: HostSpec | None = topology.hosts.get(near.node)
            if host is not None and far.node in topology.switches:
                interface = host.interfaces[near.number]
                unsorted.append(Attachment(numbers[near.node], interface, far.node, far.number))
        return sorted(unsorted, key=lambda attachment: attachment.number)

    def next_ports(self, target: str) -> dict[str, list[int]]:
        """Lists the ports of each switch at which shortest paths to ``target`` begin, in ascending
        order.

        Switches without a path are missing, as is the target.
        """
        return _next_ports(self._all, target) | _next_ports(self._up, target)

    def tree_ports(self) -> dict[str, list[int]]:
        """Lists the ports of each switch on a spanning tree and to hosts, in ascending order.

        The tree uses links that are up; each part of a disconnected topology has a tree.
        """
        ports: dict[str, list[int]] = {name: [] for name in self._topology.switches}
        other_ports = {}
        for near, far in _link_directions(self._topology.links):
            other_ports[near.node, near.number] = far.number
            if near.node in ports and far.node in self._topology.hosts:
                ports[near.node].append(near.number)
        seen: set[str] = set()
        for root in self._topology.switches:
            open_switches = deque([root] if root not in seen else [])
            seen.add(root)
            while open_switches:
                switch = open_switches.popleft()
                for port, other in self._up[switch]:
                    if other not in seen:
                        seen.add(other)
                        ports[switch].append(port)
                        ports[other].append(other_ports[switch, port])
                        open_switches.append(other)
        return {name: sorted(numbers) for name, numbers in ports.items()}


def _link_directions(links: Sequence[LinkSpec]) -> Iterator[tuple[Endpoint, Endpoint]]:
    """Yields the ends of each link twice, once for each direction."""
    for link in links:
        yield link.a, link.b
        yield link.b, link.a


def _next_ports(neighbours: Neighbours, target: str) -> dict[str, list[int]]:
    distance = {target: 0}
    open_switches = deque([target])
    while open_switches:
        switch = open_switches.popleft()
        for _, other in neighbours[switch]:
            if other not in distance:
                distance[other] = distance[switch] + 1
                open_switches.append(other)
    return {
        switch: [port for port, other in neighbours[switch] if distance[other] == length - 1]
        for switch, length in distance.items()
        if length > 0
    }

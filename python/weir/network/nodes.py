"""The hosts, switches and links of a network, found by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from weir import _core
from weir.errors import NetworkError, TopologyError, WeirError, shown
from weir.errors.checks import check_family, check_text
from weir.host import Host
from weir.text.suggest import listing, nearest
from weir.topology import Endpoint

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.control.switch import Switch
    from weir.links.link import Link
    from weir.owners import network as owners

T = TypeVar("T")


class Nodes:
    """The hosts, switches and links of a network.

    Args:
        core: the network of the core.
        index: the index of the topology.
        hosts: the hosts by name, in the topology's order.
        switches: the switches by name, in the topology's order.
        links: the links in the topology's order.
    """

    def __init__(
        self,
        core: cores.Network,
        index: _core.TopologyIndex,
        hosts: dict[str, Host],
        switches: dict[str, Switch],
        links: list[Link],
    ) -> None:
        self.hosts = hosts
        self.switches = switches
        self.links = links
        self._core = core
        self._index = index

    def host(self, name: str) -> Host:
        """Finds a host by name.

        Raises:
            NetworkError: there is no such host. The other functions that find something raise the
                same error.
        """
        if isinstance(name, str) and name in self.switches and name not in self.hosts:
            raise NetworkError(f'"{name}" is a switch, not a host', suggestion=f'net.switch("{name}")')
        return _find("host", name, self.hosts)

    def switch(self, name: str) -> Switch:
        """Finds a switch by name."""
        if isinstance(name, str) and name in self.hosts and name not in self.switches:
            raise NetworkError(f'"{name}" is a host, not a switch', suggestion=f'net.host("{name}")')
        return _find("switch", name, self.switches)

    def node(self, name: str) -> Host | Switch:
        """Finds a host or switch by name."""
        nodes_by_name: dict[str, Host | Switch] = {**self.hosts, **self.switches}
        return _find("host or switch", name, nodes_by_name)

    def link(self, a: str, b: str) -> Link:
        """Finds the link between two nodes or ends, in either order."""
        try:
            return self.links[self._index.find_link(a, b)]
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None

    def link_at(self, node: str, number: int) -> Link:
        """Finds the link at a node's port or interface, by number."""
        end = Endpoint(node, number) if node in self.switches else Endpoint(node, None, number)
        link = self._index.link_at(end)
        if link is None:
            raise NetworkError(f"no link is connected to port {number} of {node}")
        return self.links[link]

    def interface(self, name: str) -> tuple[str, int, str]:
        """Finds an interface; returns its node, its number and its full name.

        The name is written as ``h1``, ``h1-eth0`` or ``s1-p2``.
        """
        end = self._end(name)
        return end.node, end.number, end.interface_name

    def place(self, name: str) -> tuple[str, int]:
        """Finds a link end; returns its node and its port.

        The name is written as ``s1-p2``, ``h1`` (the first interface) or ``h1-eth0``.
        """
        end = self._end(name)
        return end.node, end.number

    def _end(self, name: str) -> Endpoint:
        check_text("end", name, "s1-p2")
        try:
            end = self._index.read_end(name)
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None
        if end.port is None and end.node in self.switches:
            ports = listing([f"{name}-p{port}" for port in self._index.ports(name)])
            raise NetworkError(f'"{name}" is a switch: expected one of its ports ({ports})')
        if self._index.link_at(end) is None and not self._is_cpu_port(end):
            node = end.node
            ends = [link_end for link in self.links for link_end in (link.a, link.b)]
            linked = [link_end for link_end in ends if self._index.read_end(link_end).node == node]
            end_text = f"interface {end.interface}" if end.port is None else f"port {end.port}"
            raise NetworkError(
                f"{end_text} of {node} is not connected: the ends of links at {node} are {listing(linked)}",
                suggestion=nearest(name, linked),
            )
        return end

    def _is_cpu_port(self, end: Endpoint) -> bool:
        """Returns whether an end is the port of a switch's controller."""
        place = None if end.port is None else self.switches[end.node]._controller_end()
        return place is not None and place[1] == end.port

    def places(self, given: str | Iterable[str]) -> tuple[list[str], list[tuple[str, int]]]:
        """Finds one or several link ends; returns their names and places."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            return [given], [self.place(given)]
        names = list(given)
        if not names:
            raise NetworkError('no link end is given: expected one or several, such as "s1-p2"')
        return names, [self.place(name) for name in names]

    def address(self, target: str | owners.Host, family: int | None = None) -> str:
        """Finds the address of a host; see :meth:`weir.Network.address`."""
        check_family(family)
        if isinstance(target, Host):
            return self.own_address(target, family)
        if not isinstance(target, str):
            raise NetworkError(f"{shown(target)} is not a host: expected one, its name, or an IP address")
        if target not in self.hosts and (":" in target or target.replace(".", "").isdigit()):
            try:
                address = _core.ip_address(target)
            except WeirError as error:
                raise NetworkError(error.message) from None
            if family not in (None, version(address)):
                raise NetworkError(f"{address} is an IPv{version(address)} address, not one of IPv{family}")
            return address
        return self.own_address(self.host(target), family)

    def own_address(self, host: owners.Host, family: int | None) -> str:
        """Finds the first address of a host, in the order of its interfaces.

        Args:
            host: the host.
            family: 4 or 6; ``None`` for IPv4, or IPv6 if the host has no IPv4 address.

        Raises:
            NetworkError: the host has no address.
        """
        for ip_version in (4, 6) if family is None else (family,):
            for address in host.addresses:
                if version(address) == ip_version:
                    return address
        if family is None:
            raise NetworkError(f"{host.name} has no address: commands have removed them")
        key, example = ("ip", "10.0.0.2/24") if family == 4 else ("ip6", "2001:db8::2/64")
        raise NetworkError(
            f'{host.name} has no IPv{family} address: give it one in the topology, such as "{key}": "{example}" '
            f'in a file or {key}="{example}" in add_host'
        )

    def receivers(self, address: str, server: owners.Servers | None = None) -> list[Host]:
        """Finds the hosts that may receive packets for an address.

        These are the hosts of ``server`` if it is given, otherwise the host with this address.
        """
        if server is not None:
            return self._named_hosts(server)
        check_text("address", address, "10.0.1.1")
        owner = self._core.owner(address)
        if owner is None:
            raise NetworkError(f"no host has the address {address}: name the one that receives with server=…")
        return [self.hosts[owner]]

    def _named_hosts(self, server: owners.Servers) -> list[Host]:
        several = list(server) if isinstance(server, (tuple, list)) else [server]
        example = 'expected a host or its name, or several in their order: server=("h2", "h3")'
        if not several:
            raise NetworkError(f"server: no host is given: {example}")
        hosts: list[Host] = []
        for one in several:
            if not isinstance(one, (str, Host)):
                raise NetworkError(f"server: {shown(one)} is not a host: {example}")
            host = self.host(one.name if isinstance(one, Host) else one)
            if host in hosts:
                raise NetworkError(f"server: {host.name} is listed twice: expected each host once")
            hosts.append(host)
        return hosts


def version(address: str) -> int:
    """Returns the IP version of an address, 4 or 6."""
    return 6 if ":" in address else 4


def _find(kind: str, name: str, known: Mapping[str, T]) -> T:
    if isinstance(name, str) and name in known:
        return known[name]
    written = name if isinstance(name, str) else shown(name)
    suggestion = nearest(written, known)
    text = "" if suggestion else f" (there are: {listing(known)})"
    raise NetworkError(f'there is no {kind} "{written}"{text}', suggestion=suggestion)

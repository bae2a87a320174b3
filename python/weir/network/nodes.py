"""What a network is made of, found by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from weir import _core
from weir.control.switch import Switch
from weir.errors import NetworkError, TopologyError, WeirError
from weir.host import Host
from weir.interface import Interface
from weir.keywords import keywords_are_told
from weir.link import Link
from weir.suggest import listing, nearest
from weir.topology import Topology
from weir.topology.addresses import address
from weir.traffic import Servers, check_text

T = TypeVar("T")


@keywords_are_told
class Nodes:
    """Hosts, switches and links, and their ends."""

    _hosts: dict[str, Host]
    _switches: dict[str, Switch]
    _links: list[Link]

    def __init__(self, topology: Topology, core: _core.Network) -> None:
        self.topology = topology
        self._core = core
        self._closed = False

    @property
    def hosts(self) -> list[Host]:
        """All hosts, in the topology's order."""
        return list(self._hosts.values())

    @property
    def switches(self) -> list[Switch]:
        """All switches, in the topology's order."""
        return list(self._switches.values())

    @property
    def links(self) -> list[Link]:
        """All links, in the topology's order."""
        return list(self._links)

    def host(self, name: str) -> Host:
        """The host of that name.

        Raises:
            NetworkError: there is none; the message names the nearest.
        """
        return self._find("host", name, self._hosts)

    def switch(self, name: str) -> Switch:
        """The switch of that name.

        Raises:
            NetworkError: there is none; the message names the nearest.
        """
        return self._find("switch", name, self._switches)

    def link(self, a: str, b: str) -> Link:
        """The link between two nodes (``h1``, ``s1``) or ends (``s1-p1``), in either order.

        Raises:
            NetworkError: there is none, or there are several.
        """
        try:
            spec = self.topology.link(a, b)
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None
        return next(
            link for link, known in zip(self._links, self.topology.links, strict=True) if known is spec
        )

    def interface(self, name: str) -> Interface:
        """The sending side of a link's end: ``h1`` or ``h1-eth0`` of a host, ``s1-p2`` of a switch.

        Raises:
            NetworkError: there is no such end, or no link at it.
        """
        try:
            end = self.topology.read_end(name)
        except TopologyError as error:
            raise NetworkError(error.message, suggestion=error.suggestion) from None
        if end.port is None and end.node in self._switches:
            near = str(next(iter(self.topology.ports(name)), 1))
            raise NetworkError(f'"{name}" is a switch: say which port', suggestion=f"{name}-p{near}")
        return Interface(self._core.interface(end.node, end.number), end.interface_name)

    def end(self, name: str) -> tuple[str, int]:
        """The node and the port of a link end: ``s1-p2``, ``h1`` (its first interface) or ``h1-eth0``.

        Raises:
            NetworkError: there is no such end.
        """
        check_text("end", name, "s1-p2")
        node, _, port = name.rpartition("-")
        kind = "eth" if node in self._hosts else "p" if node in self._switches else ""
        if kind and port.removeprefix(kind).isdecimal() and port.startswith(kind):
            return node, int(port.removeprefix(kind))
        if name in self._switches:
            ports = listing([f"{name}-p{port}" for port in self.topology.ports(name)])
            raise NetworkError(f'"{name}" is a switch: which of its ports? ({ports})')
        return self.host(name).name, 0

    @property
    def core(self) -> _core.Network:
        """The network in Rust, for the package's own parts."""
        return self._core

    def link_at(self, node: str, number: int) -> Link:
        """The link at a node's port or interface of this number.

        Raises:
            NetworkError: there is none.
        """
        for link, spec in zip(self._links, self.topology.links, strict=True):
            if any((end.node, end.number) == (node, number) for end in (spec.a, spec.b)):
                return link
        raise NetworkError(f"no link joins port {number} of {node}")

    def tc(self, node: str, command: str) -> str:
        """Does a ``tc`` command at a node, now: ``net.tc("s1", "qdisc add dev s1-p2 root netem delay 5ms")``.

        Interfaces are called ``eth0`` or ``h1-eth0`` at a host, ``s1-p2``, ``s1-eth2`` or ``eth2`` at a switch.

        Returns:
            What ``tc -s qdisc show`` and its likes print; of other commands nothing.

        Raises:
            NetworkError: there is no such node, or the command is not understood or does not fit what is there.
        """
        check_text("node", node, "s1")
        check_text("command", command, "qdisc show")
        return self._core.tc(node, command)

    def address(self, target: str | Host) -> str:
        """The IPv4 address of a host, or an IPv4 or IPv6 address itself.

        Raises:
            NetworkError: it is neither.
        """
        if isinstance(target, Host):
            return target.ip
        if not isinstance(target, str):
            raise NetworkError(f"{target!r} is no host: expected one, its name, or an IP address")
        if target not in self._hosts and (":" in target or target.replace(".", "").isdigit()):
            try:
                return address(target)
            except WeirError as error:
                raise NetworkError(error.message) from None
        return self.host(target).ip

    def receivers(self, address: str, server: Servers | None = None) -> list[Host]:
        """The hosts that may receive what is sent to an address: the one that has it, unless ``server`` names one or several.

        Raises:
            NetworkError: there is none, or one is named twice.
        """
        if server is not None:
            return self._named(server)
        for host in self._hosts.values():
            if address in host.addresses:
                return [host]
        raise NetworkError(f"no host has the address {address}: name the one that receives with server=…")

    def _named(self, server: Servers) -> list[Host]:
        several = list(server) if isinstance(server, (tuple, list)) else [server]
        example = 'expected a host or its name, or several in their order: server=("h2", "h3")'
        if not several:
            raise NetworkError(f"server: there is no host that receives: {example}")
        named: list[Host] = []
        for one in several:
            if not isinstance(one, (str, Host)):
                raise NetworkError(f"server: {one!r} is no host: {example}")
            host = self.host(one.name if isinstance(one, Host) else one)
            if host in named:
                raise NetworkError(f"server: {host.name} is named twice: expected each host once")
            named.append(host)
        return named

    def _find(self, what: str, name: str, known: Mapping[str, T]) -> T:
        if isinstance(name, str) and name in known:
            return known[name]
        suggestion = nearest(str(name), known)
        text = "" if suggestion else f" (there are: {listing(known)})"
        raise NetworkError(f'there is no {what} "{name}"{text}', suggestion=suggestion)

    def check_open(self) -> None:
        """Refuses what needs a network that runs.

        Raises:
            NetworkError: the network is closed.
        """
        if self._closed:
            raise NetworkError("the network is closed")

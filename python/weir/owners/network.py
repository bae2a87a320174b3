"""Protocols: the host that traffic and programs need, and the network that a host needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weir import _core_contracts as cores
    from weir.clock import Clock
    from weir.control.switch import Switch
    from weir.links.interface import Interface
    from weir.links.link import Link
    from weir.links.sniffer import Sniffer
    from weir.owners.world import World
    from weir.topology import Topology


class Host(Protocol):
    """The interface of a :class:`weir.Host` that traffic and programs use."""

    @property
    def name(self) -> str:
        """The name of the host, such as ``h1``."""

    @property
    def addresses(self) -> list[str]:
        """All addresses of the host."""

    @property
    def _core(self) -> cores.Host:
        """The host's network stack, in the core."""

    @property
    def _network(self) -> Network:
        """The network that the host belongs to."""


Servers: TypeAlias = "str | Host | Sequence[str | Host]"
"""The type of the option ``server``: the receiving host or its name, or several hosts from which a
data plane chooses."""


class Nodes(Protocol):
    """The interface through which a host finds the nodes of its network."""

    def own_address(self, host: Host, family: int | None, /) -> str:
        """Returns the first IPv4 or IPv6 address of a host."""

    def receivers(self, address: str, server: Servers | None, /) -> Sequence[Host]:
        """Returns the hosts that may receive packets for an address."""

    def place(self, name: str, /) -> tuple[str, int]:
        """Returns the node and the port of a link's end."""

    def link_at(self, node: str, number: int, /) -> Link:
        """Returns the link at a node's port or interface."""


class Network(Protocol):
    """The interface of a :class:`weir.Network` that a host uses."""

    @property
    def topology(self) -> Topology:
        """The topology from which the network was built."""

    @property
    def computer(self) -> object | None:
        """The computer that all nodes of the network share; ``None`` if they do not share one."""

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""

    @property
    def switches(self) -> Sequence[Switch]:
        """All switches of the network."""

    @property
    def links(self) -> Sequence[Link]:
        """All links of the network."""

    @property
    def _clock(self) -> Clock:
        """The network's clock."""

    @property
    def _core(self) -> cores.Network:
        """The network in the core."""

    @property
    def _nodes(self) -> Nodes:
        """The hosts, switches and links of the network."""

    @property
    def _world(self) -> World:
        """The world in which the hosts exist."""

    def address(self, target: str | Host, family: int | None = None) -> str:
        """Returns the address of a host; an address is returned unchanged."""

    def interface(self, name: str, /) -> Interface:
        """Returns the sending side of a link's end."""

    def sniff(self, ends: str | Iterable[str], filter: str = "", /) -> Sniffer:
        """Records the frames that pass ends of links."""

    def tc(self, node: str, command: str, /) -> str:
        """Runs a ``tc`` command, and returns its output."""

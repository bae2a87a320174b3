"""The specification of a host: interfaces, routes, known neighbours, settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weir import _core, units
from weir._core import HostAddress, HostState, Route
from weir.errors import TopologyError

DEFAULT_MTU = 1500

Mac = str
"""The type of an Ethernet address: a string in lower case with colons, such as
``08:00:00:00:01:11``."""


@dataclass
class InterfaceSpec:
    """An interface of a host.

    Attributes:
        mac: the Ethernet address.
        addresses: the IPv4 and IPv6 addresses.
        mtu: bytes of the longest packet that the interface sends.
        up: whether the interface is up.
    """

    mac: Mac
    addresses: list[HostAddress]
    mtu: int = DEFAULT_MTU
    up: bool = True


@dataclass(frozen=True)
class ProgramSpec:
    """A program that runs on a host: a subclass of :class:`weir.HostProgram` in a Python file.

    Attributes:
        file: the file.
        name: the class, which is called without arguments.
        udp: the UDP ports that the program listens on.
        tcp: the TCP ports at which the program accepts connections.
        frames: whether the program receives a copy of each frame, or a filter for frames.
    """

    file: Path
    name: str
    udp: Sequence[int] = ()
    tcp: Sequence[int] = ()
    frames: bool | str = False

    def __str__(self) -> str:
        return f"program {self.file}:{self.name}"


@dataclass
class HostSpec:
    """A host of a topology, as data.

    Attributes:
        name: the name, such as ``h1``.
        interfaces: ``eth0`` and more.
        routes: routes, except those to directly connected networks.
        arp: permanent neighbours: IP address to MAC address.
        arp_interfaces: the interfaces of neighbours that are not at ``eth0``, by IP address.
        notes: commands that have no effect on a virtual host, such as offload settings.
        processing_ns: nanoseconds from a packet's arrival until the host's stack receives it.
        processing_jitter_ns: upper bound of a uniform random time that is added to
            ``processing_ns``; packets keep their order.
        tc: commands for queueing disciplines, in their order.
        sysctls: settings of the kernel, name and value, in their order.
        programs: the programs that run on the host from the start.
    """

    name: str
    interfaces: list[InterfaceSpec]
    routes: list[Route] = field(default_factory=list)
    arp: dict[str, Mac] = field(default_factory=dict)
    arp_interfaces: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    processing_ns: int = 0
    processing_jitter_ns: int = 0
    tc: list[str] = field(default_factory=list)
    sysctls: list[tuple[str, str]] = field(default_factory=list)
    programs: list[ProgramSpec] = field(default_factory=list)

    @property
    def ip(self) -> HostAddress:
        """The first IPv4 address of ``eth0``.

        Raises:
            TopologyError: the host has no IPv4 address at ``eth0``.
        """
        for address in self.interfaces[0].addresses:
            if ":" not in address.address:
                return address
        raise TopologyError(f"{self.name} has no IPv4 address at eth0")

    @property
    def mac(self) -> Mac:
        """The Ethernet address of ``eth0``."""
        return self.interfaces[0].mac

    def towards(self, address: str) -> int:
        """Returns the number of the interface whose network contains an address; 0 if there is
        none."""
        return _core.interface_towards(self, address)

    @classmethod
    def _from_state(cls, state: HostState) -> HostSpec:
        """Creates a host without its programs, from the core's description of the host."""
        host = cls(state.name, [InterfaceSpec(interface.mac, []) for interface in state.interfaces])
        host.processing_ns, host.processing_jitter_ns = state.processing_ns, state.processing_jitter_ns
        host._set(state)
        return host

    def _set(self, state: HostState) -> None:
        """Sets everything that commands can change.

        The state must have as many interfaces as the host.
        """
        self.notes, self.tc, self.sysctls = list(state.notes), list(state.tc), list(state.sysctls)
        for interface, interface_state in zip(self.interfaces, state.interfaces, strict=True):
            interface.mac, interface.mtu, interface.up = (
                interface_state.mac,
                interface_state.mtu,
                interface_state.up,
            )
            interface.addresses[:] = interface_state.addresses
        self.routes[:] = state.routes
        self.arp.clear()
        self.arp_interfaces.clear()
        for neighbour in state.neighbours:
            self.arp[neighbour.address] = neighbour.mac
            if neighbour.interface:
                self.arp_interfaces[neighbour.address] = neighbour.interface


def host_mtu(value: str) -> int:
    """Reads the MTU of an interface.

    Raises:
        UnitError: the MTU cannot be read.
        TopologyError: the MTU is out of range.
    """
    size = units.size_bytes(value, "mtu")
    if not _core.MIN_MTU <= size <= _core.MAX_MTU:
        raise TopologyError(f"mtu {value} is out of range: expected {_core.MIN_MTU}B to {_core.MAX_MTU}B")
    return size

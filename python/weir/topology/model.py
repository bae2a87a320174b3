"""The topology as data, and building one by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weir import units
from weir.errors import TopologyError
from weir.jsonfile import describe
from weir.suggest import listing, nearest
from weir.topology import addresses, commands
from weir.topology.addresses import HostAddress, Mac
from weir.topology.commands import Route

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_SWITCH_END = re.compile(r"(.+)-p([0-9]+)")

MAX_PORT = 510
"""The largest port of v1model's 9 bits; 511 is its drop port."""


@dataclass(frozen=True)
class Endpoint:
    """One end of a link: a host (``port`` is None) or a switch and its port."""

    node: str
    port: int | None = None

    def __str__(self) -> str:
        return self.node if self.port is None else f"{self.node}-p{self.port}"


@dataclass
class HostSpec:
    """A host.

    Attributes:
        name: such as ``h1``.
        ip: its address and prefix length.
        mac: its Ethernet address.
        routes: routes beside that to its own network.
        arp: neighbours it knows without asking: IP address to MAC address.
        notes: commands that have no effect on a virtual host, such as offload settings.
        processing_ns: nanoseconds from a packet's arrival until the host's stack has it.
    """

    name: str
    ip: HostAddress
    mac: Mac
    routes: list[Route] = field(default_factory=list)
    arp: dict[str, Mac] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    processing_ns: int = 0


@dataclass
class SwitchSpec:
    """A switch.

    Attributes:
        name: such as ``s1``.
        entries: its table entries: a file or the same document as Python objects, in the tutorials' runtime JSON.
        p4: its own P4 program, where it does not run the network's.
        profile: its own timing profile, where it does not have the network's.
        cpu_port: the port that stands for its controller, if it has one.
        commands: a file of runtime commands, run after the entries are set.
    """

    name: str
    entries: Path | Mapping[str, Any] | None = None
    p4: Path | None = None
    profile: str | None = None
    cpu_port: int | None = None
    commands: Path | None = None


@dataclass
class LinkSpec:
    """A link: a cable with the same properties in both directions.

    Attributes:
        a: one end.
        b: the other end.
        rate_bps: bits per second; None for unlimited.
        delay_ns: propagation delay in nanoseconds.
        loss: the share of packets lost, 0 to 1.
    """

    a: Endpoint
    b: Endpoint
    rate_bps: int | None = None
    delay_ns: int = 0
    loss: float = 0.0

    def __str__(self) -> str:
        return f"{self.a} <-> {self.b}"


class Topology:
    """Hosts, switches and links.

    >>> topo = Topology()
    >>> h1 = topo.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.254")
    >>> h2 = topo.add_host("h2", ip="10.0.2.2/24", gateway="10.0.2.254")
    >>> s1 = topo.add_switch("s1", entries="s1-runtime.json")
    >>> print(topo.add_link("h1", "s1-p1", rate="10Mbit", delay="5ms"))
    h1 <-> s1-p1
    >>> print(topo.add_link("h2", "s1"))
    h2 <-> s1-p2

    Attributes:
        hosts: by name, in the order they were added.
        switches: by name, in the order they were added.
        links: in the order they were added.
        file: the file it was read from.
    """

    def __init__(self) -> None:
        self.hosts: dict[str, HostSpec] = {}
        self.switches: dict[str, SwitchSpec] = {}
        self.links: list[LinkSpec] = []
        self.file: str | None = None

    @classmethod
    def load(cls, path: str | Path) -> Topology:
        """Reads the public tutorials' ``topology.json``.

        In ``links`` a bare latency counts milliseconds and a bare bandwidth megabits per second, as in the tutorials;
        strings carry their unit. File names in it are looked for beside the file, then in the folder above it (the
        tutorials name them from the exercise's folder), then in the current folder. A switch's ``program`` may name a P4
        source, or a compiled ``build/X.json``, which stands for ``X.p4``.

        Raises:
            FileError: the file cannot be read or is not JSON.
            TopologyError: its contents do not hold together; the message names the JSON path.
        """
        from weir.topology.load import load

        return load(path)

    def add_host(
        self,
        name: str,
        ip: str,
        mac: str | None = None,
        *,
        gateway: str | None = None,
        arp: Mapping[str, str] | None = None,
        commands: Sequence[str] = (),
        processing: str | None = None,
    ) -> HostSpec:
        """Adds a host.

        Args:
            name: its name, such as ``h1``.
            ip: address and prefix length, such as ``10.0.1.1/24``.
            mac: its Ethernet address; by default one counted up from ``08:00:00:00:00:01``.
            gateway: the next hop of its default route.
            arp: neighbours it knows without asking: IP address to MAC address.
            commands: commands as topologies have them, such as ``route add default gw 10.0.1.10 dev eth0``.
            processing: time from a packet's arrival until the host's stack has it, such as ``"50us"``; none by default.

        Raises:
            TopologyError: the name is taken or an address or command is wrong.
            UnitError: the processing time cannot be read.
        """
        self.check_new_name(name)
        settings = commands_settings(name, gateway, arp, commands)
        host = HostSpec(
            name,
            addresses.host_address(ip),
            self._next_mac() if mac is None else addresses.host_mac(mac),
            settings.routes,
            settings.arp,
            settings.notes,
            0 if processing is None else units.time_ns(processing, "processing"),
        )
        self.place_host(host)
        return host

    def place_host(self, host: HostSpec) -> None:
        """Takes a host in, if no other has its address or MAC address."""
        for other in self.hosts.values():
            if other.ip.address == host.ip.address:
                raise TopologyError(f"{other.name} already has the address {host.ip.address}")
            if other.mac == host.mac:
                raise TopologyError(f"{other.name} already has the MAC address {host.mac}")
        self.hosts[host.name] = host

    def add_switch(
        self,
        name: str,
        *,
        entries: str | Path | Mapping[str, Any] | None = None,
        p4: str | Path | None = None,
        profile: str | None = None,
        cpu_port: int | None = None,
        commands: str | Path | None = None,
    ) -> SwitchSpec:
        """Adds a switch.

        Args:
            name: its name, such as ``s1``.
            entries: table entries in the tutorials' runtime JSON: a file's name or the document itself.
            p4: its own P4 program; by default the network's.
            profile: its own timing profile; by default the network's.
            cpu_port: the port that stands for its controller.
            commands: a file of runtime commands (``table_add …``), run after the entries are set.

        Raises:
            TopologyError: the name is taken or the port is out of range.
        """
        self.check_new_name(name)
        if cpu_port is not None:
            check_port(cpu_port)
        switch = SwitchSpec(
            name,
            Path(entries) if isinstance(entries, str) else entries,
            None if p4 is None else Path(p4),
            profile,
            cpu_port,
            None if commands is None else Path(commands),
        )
        self.switches[name] = switch
        return switch

    def add_link(
        self,
        a: str,
        b: str,
        *,
        rate: str | None = None,
        delay: str = "0ms",
        loss: str = "0%",
    ) -> LinkSpec:
        """Adds a link.

        Args:
            a: one end: a host (``h1``), a switch's port (``s1-p1``) or a switch (``s1``: its lowest free port).
            b: the other end.
            rate: such as ``10Mbit``; None for unlimited.
            delay: propagation delay, such as ``5ms``.
            loss: the share of packets lost, such as ``1%``.

        Raises:
            TopologyError: an end does not exist or is taken, or both ends are the same node.
            UnitError: a quantity cannot be read.
        """
        ends = [self.read_end(a), self.read_end(b)]
        for i, end in enumerate(ends):
            if end.port is None and end.node in self.switches:
                ends[i] = Endpoint(end.node, self._free_port(end.node))
        link = LinkSpec(
            ends[0],
            ends[1],
            None if rate is None else units.rate_bps(rate, "rate"),
            units.time_ns(delay, "delay"),
            units.share(loss, "loss"),
        )
        self.place_link(link)
        return link

    def place_link(self, link: LinkSpec) -> None:
        """Takes a link in, if both its ends are free and on two nodes."""
        if link.a.node == link.b.node:
            raise TopologyError(f"a link needs two nodes, both ends are on {link.a.node}")
        for end in (link.a, link.b):
            self.check_free(end)
        self.links.append(link)

    def check_free(self, end: Endpoint) -> None:
        """Refuses an end that some link already has."""
        for other in self.links:
            if end in (other.a, other.b):
                what = f"port {end.port} of {end.node}" if end.port is not None else f"host {end.node}"
                raise TopologyError(f"{what} is already linked ({other})")

    def read_end(self, text: Any) -> Endpoint:
        """Reads ``h1``, ``s1-p1`` or ``s1`` and finds the node.

        Raises:
            TopologyError: there is no such node, or the port is out of range.
        """
        if not isinstance(text, str):
            raise TopologyError(f'expected a link\'s end such as "h1" or "s1-p1", found {describe(text)}')
        if text in self.hosts or text in self.switches:
            return Endpoint(text)
        match = _SWITCH_END.fullmatch(text)
        if match and match[1] in self.switches:
            return Endpoint(match[1], check_port(int(match[2])))
        if match and match[1] in self.hosts:
            raise TopologyError(f'a host has no ports: "{text}"', suggestion=match[1])
        known = [*self.hosts, *self.switches]
        node = text.partition("-")[0]
        if node in self.switches:
            raise TopologyError(
                f'cannot read the port in "{text}": expected a switch and its port', suggestion=f"{node}-p1"
            )
        suggestion = nearest(match[1] if match else node, known)
        if match and suggestion in self.switches:
            suggestion = f"{suggestion}-p{match[2]}"
        expected = "" if suggestion else f" (known: {listing(known)})"
        raise TopologyError(f'there is no host or switch "{text}"{expected}', suggestion=suggestion)

    def link(self, a: str, b: str) -> LinkSpec:
        """The link between two nodes (``h1``, ``s1``) or ends (``s1-p1``), in either order.

        Raises:
            TopologyError: there is none, or more than one.
        """
        ends = (self.read_end(a), self.read_end(b))
        found = [link for link in self.links if _joins(link, *ends)]
        if len(found) == 1:
            return found[0]
        if found:
            raise TopologyError(
                f"{len(found)} links join {a} and {b}: name one by its ports, such as {found[0].a} and {found[0].b}"
            )
        near = [str(link) for link in self.links if ends[0].node in (link.a.node, link.b.node)]
        raise TopologyError(f"no link joins {a} and {b} ({ends[0].node} has {listing(near)})")

    def ports(self, switch: str) -> list[int]:
        """The linked ports of a switch, in ascending order."""
        ends = (end for link in self.links for end in (link.a, link.b))
        return sorted(end.port for end in ends if end.node == switch and end.port is not None)

    def check_new_name(self, name: Any) -> str:
        """Refuses a node's name that is taken or cannot be told apart from a port or command."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise TopologyError(
                f"{name!r} is no name for a node: use letters, digits, _ and ., a letter first"
            )
        if name in self.hosts or name in self.switches:
            raise TopologyError(f'there already is a node "{name}"')
        return name

    def _free_port(self, switch: str) -> int:
        taken = set(self.ports(switch))
        return check_port(next(port for port in range(1, MAX_PORT + 2) if port not in taken))

    def _next_mac(self) -> Mac:
        taken = {host.mac for host in self.hosts.values()}
        numbers = range(1, len(taken) + 2)
        candidates = (f"08:00:00:{n >> 16 & 255:02x}:{n >> 8 & 255:02x}:{n & 255:02x}" for n in numbers)
        return next(mac for mac in candidates if mac not in taken)


def check_port(port: int) -> int:
    """A port number that a switch can have."""
    if not 0 <= port <= MAX_PORT:
        raise TopologyError(f"port {port} is out of range: a switch has ports 0 to {MAX_PORT}")
    return port


def commands_settings(
    host: str, gateway: str | None, arp: Mapping[str, str] | None, lines: Sequence[str]
) -> commands.HostSettings:
    """What a host's gateway, known neighbours and commands add up to."""
    settings = commands.HostSettings()
    if gateway is not None:
        settings.routes.append(Route("0.0.0.0/0", addresses.ipv4(gateway)))
    for address, mac in (arp or {}).items():
        settings.arp[addresses.ipv4(address)] = addresses.mac(mac)
    for line in lines:
        commands.apply(line, host, settings)
    return settings


def _joins(link: LinkSpec, a: Endpoint, b: Endpoint) -> bool:
    def fits(end: Endpoint, wanted: Endpoint) -> bool:
        return end.node == wanted.node and wanted.port in (None, end.port)

    return (fits(link.a, a) and fits(link.b, b)) or (fits(link.a, b) and fits(link.b, a))

"""A topology as data, and methods that build one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from weir import _core, units
from weir._core import Endpoint, Route
from weir.errors import TopologyError, shown
from weir.impairments import (
    UNCORRELATED,
    Correlation,
    Jitter,
    Loss,
    correlations,
    jitter_model,
    loss_model,
    reordering,
)
from weir.text.counted import count_noun
from weir.text.suggest import nearest
from weir.topology.commands import apply
from weir.topology.host_spec import HostSpec, InterfaceSpec, host_mtu
from weir.topology.link_spec import LinkSpec
from weir.topology.route_table import RouteTable
from weir.topology.switch_spec import SwitchSpec

# For type checkers only: disciplines need the compiled core, and `weir check` must not wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.qdisc import Qdisc

T = TypeVar("T")

DEFAULT_RATE: Final = units.format_rate(_core.DEFAULT_RATE_BPS)
"""The rate of a link for which none is given."""


class Topology:
    """A network as data: hosts, switches and links.

    >>> topo = Topology()
    >>> h1 = topo.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.254")
    >>> h2 = topo.add_host("h2", ip="10.0.2.2/24", gateway="10.0.2.254")
    >>> s1 = topo.add_switch("s1", entries="s1-runtime.json")
    >>> print(topo.add_link("h1", "s1-p1", rate="10Mbit", delay="5ms"))
    h1 <-> s1-p1
    >>> print(topo.add_link("h2", "s1"))
    h2 <-> s1-p2

    Attributes:
        hosts: the hosts by name, in the order they were added.
        switches: the switches by name, in the order they were added.
        links: the links in the order they were added.
        file: the file from which the topology was read.
        notes: settings in that file that have no effect, one line each, with what to do instead.
        computer: the computer that all nodes share in the virtual world: its name or a file;
            ``None`` if each has its own time.
        routes: which entries a network computes from the topology, for switches that have neither
            entries nor commands. ``"annotated"``, the default: routes in tables annotated with
            ``@route``, and the ports of actions annotated with ``@flood``. A :class:`RouteTable`:
            the same, and if no table is annotated, routes in the table that it names or finds.
            ``None``: no entries.
    """

    def __init__(self) -> None:
        self.hosts: dict[str, HostSpec] = {}
        self.switches: dict[str, SwitchSpec] = {}
        self.links: list[LinkSpec] = []
        self.file: str | None = None
        self.notes: list[str] = []
        self.computer: str | None = None
        self.routes: RouteTable | Literal["annotated"] | None = "annotated"
        self._index = _core.TopologyIndex()

    @classmethod
    def load(cls, path: str | Path) -> Topology:
        """Reads a topology file: the tutorials' ``topology.json`` or p4-utils' ``p4app.json``.

        docs/reference/topology.md describes them. In ``links``, a bare latency is in milliseconds
        and a bare bandwidth in megabits per second, as in the tutorials; strings have a unit. Weir
        looks for files that the topology names in the topology's folder, then in the parent folder
        (the tutorials' paths start at the exercise's folder), then in the current folder. A
        switch's ``program`` may name a P4 source, or a compiled ``build/X.json``; if that does not
        exist, ``X.p4`` is used.

        Raises:
            FileError: the file cannot be read or is not JSON.
            TopologyError: its contents are wrong; the message names the JSON path.
        """
        from weir.topology.topology_json import read

        hosts, switches, links, notes, computer = read(path)
        topology = Topology()
        topology.hosts, topology.switches, topology.links, topology.notes = hosts, switches, links, notes
        topology.file, topology.computer = str(path), computer
        return topology

    def add_host(
        self,
        name: str,
        ip: str,
        mac: str | None = None,
        *,
        ip6: str | None = None,
        gateway: str | None = None,
        gateway6: str | None = None,
        arp: Mapping[str, str] | None = None,
        commands: Sequence[str] = (),
        processing: str | None = None,
        processing_jitter: str | None = None,
        mtu: str | None = None,
    ) -> HostSpec:
        """Adds a host.

        Args:
            name: its name, such as ``h1``.
            ip: address and prefix length, such as ``10.0.1.1/24``.
            mac: its Ethernet address; by default the next free one, starting at
                ``08:00:00:00:00:01``.
            ip6: an IPv6 address and prefix length, such as ``2001:db8::1/64``.
            gateway: the next hop of its default route, in the network of ``ip``.
            gateway6: the next hop of its IPv6 default route, in the network of ``ip6``.
            arp: permanent neighbours: IP address to MAC address.
            commands: commands as topology files contain them, such as ``route add default gw
                10.0.1.10 dev eth0``.
            processing: time from a packet's arrival until the host's stack receives it, such as
                ``"50us"``; none by default.
            processing_jitter: upper bound of a uniform random time added to ``processing``; packets
                keep their order. Without jitter, packets of competing flows always meet at a queue
                in the same order.
            mtu: the longest packet it sends, ``"1500B"`` by default.

        Raises:
            TopologyError: the name is in use or an address or command is wrong.
            UnitError: the processing time or the MTU cannot be read.
        """
        self._with_index(lambda index: index.check_name(name))
        interface = self._interface(ip, ip6, mac, mtu)
        host = HostSpec(name, [interface])
        for network, hop in (("0.0.0.0/0", gateway), ("::/0", gateway6)):
            if hop is not None:
                read_address = _core.ipv4_address if network == "0.0.0.0/0" else _core.ipv6_address
                host.routes.append(
                    Route(network, read_address(hop), _core.towards_gateway(host, read_address(hop)))
                )
        for address, neighbour in (arp or {}).items():
            host.arp[_core.ip_address(address)] = _core.mac_address(neighbour)
        self._do_commands(host, commands)
        if processing is not None:
            host.processing_ns = units.time_ns(processing, "processing")
        if processing_jitter is not None:
            host.processing_jitter_ns = units.time_ns(processing_jitter, "processing jitter")
        self._with_index(lambda index: index.add_host(host, True))
        self.hosts[name] = host
        return host

    def add_interface(
        self,
        host: str,
        ip: str,
        mac: str | None = None,
        *,
        ip6: str | None = None,
        commands: Sequence[str] = (),
        mtu: str | None = None,
    ) -> str:
        """Adds an interface to a host.

        Args:
            host: the host's name.
            ip: address and prefix length, such as ``10.0.9.1/24``.
            mac: its Ethernet address; by default the next free one, starting at
                ``08:00:00:00:00:01``.
            ip6: an IPv6 address and prefix length.
            commands: more commands of the host, such as routes through the new interface.
            mtu: the longest packet it sends, ``"1500B"`` by default.

        Returns:
            The interface's name as an end of links, such as ``h1-eth1``.

        Raises:
            TopologyError: there is no such host, or an address or command is wrong.
            UnitError: the MTU cannot be read.
        """
        spec = self.hosts.get(host)
        if spec is None:
            raise TopologyError(f'there is no host "{host}"', suggestion=nearest(host, self.hosts))
        interface = self._interface(ip, ip6, mac, mtu)
        spec.interfaces.append(interface)
        try:
            self._do_commands(spec, commands)
            self._with_index(lambda index: index.add_host(spec, True))
        except TopologyError:
            spec.interfaces.pop()
            raise
        return f"{host}-eth{len(spec.interfaces) - 1}"

    def _interface(self, ip: str, ip6: str | None, mac: str | None, mtu: str | None) -> InterfaceSpec:
        if isinstance(ip, str) and ":" in ip:
            raise TopologyError(
                f'"{ip}" is an IPv6 address: give it as ip6=, in addition to an IPv4 address such as ip="10.0.1.1/24"'
            )
        addresses = [_core.host_address(ip)]
        if ip6 is not None:
            addresses.append(_core.host_address6(ip6))
        ether = self._with_index(_core.TopologyIndex.next_mac) if mac is None else _core.host_mac(mac)
        return (
            InterfaceSpec(ether, addresses) if mtu is None else InterfaceSpec(ether, addresses, host_mtu(mtu))
        )

    def _do_commands(self, host: HostSpec, lines: Sequence[str]) -> None:
        """Applies commands to a host, in their order.

        Raises:
            TopologyError: a command is not understood.
        """
        for line in lines:
            apply(line, host)

    def add_switch(
        self,
        name: str,
        *,
        entries: str | Path | Mapping[str, Any] | None = None,
        p4: str | Path | None = None,
        profile: str | None = None,
        cpu_port: int | None = None,
        commands: str | Path | None = None,
        queue_rate: str | None = "auto",
        queue_depth: int | None = None,
        priorities: int = 1,
    ) -> SwitchSpec:
        """Adds a switch.

        Args:
            name: its name, such as ``s1``.
            entries: table entries in the tutorials' runtime JSON: the name of a file, or the
                document itself.
            p4: its own P4 program; by default the network's.
            profile: its own timing profile; by default the network's.
            cpu_port: the port of its controller.
            commands: a file of runtime commands (``table_add …``), run after the entries are set.
            queue_rate: how fast its queues drain: ``"link"`` (as fast as the link at each port); a
                rate such as ``"10Mbit"``; ``None`` for no limit, so that packets wait at the link
                and ``enq_qdepth`` is 0; or ``"auto"``: ``"link"`` if ``queue_depth`` or
                ``priorities`` is given or the program names a queue's metadata, otherwise ``None``
                (docs/reference/links.md).
            queue_depth: maximum packets in each of its queues; by default as many as the link's
                queue holds, or 64 if ``queue_rate`` is a rate.
            priorities: number of queues at each port, 1 to 8. A packet's
                ``standard_metadata.priority`` selects its queue; larger priorities are sent first.

        Raises:
            TopologyError: the name is in use or the port is out of range.
            UnitError: the rate cannot be read.
        """
        self._with_index(lambda index: index.check_name(name))
        queue_rate = _core.queue_rate(queue_rate)
        if queue_depth is not None and (isinstance(queue_depth, bool) or not 0 <= queue_depth < 1 << 31):
            raise TopologyError(
                f"queue_depth {shown(queue_depth)} is out of range: expected a number of packets, 0 or more"
            )
        if isinstance(priorities, bool) or not isinstance(priorities, int) or not 1 <= priorities <= 8:
            raise TopologyError(
                f"priorities: {shown(priorities)} is out of range: expected 1 to 8 queues for each port"
            )
        if cpu_port is not None:
            cpu_port = _core.check_switch_port(cpu_port)
        self._with_index(lambda index: index.add_switch(name))
        switch = SwitchSpec(
            name,
            Path(entries) if isinstance(entries, str) else entries,
            None if p4 is None else Path(p4),
            profile,
            cpu_port,
            None if commands is None else Path(commands),
            queue_rate,
            queue_depth,
            priorities,
        )
        self.switches[name] = switch
        return switch

    def add_link(
        self,
        a: str,
        b: str,
        *,
        rate: str | None = DEFAULT_RATE,
        delay: str = "0ms",
        loss: str | Loss = "0%",
        jitter: str | Jitter | None = None,
        overtake: bool = False,
        duplicate: str = "0%",
        corrupt: str = "0%",
        correlation: Correlation = UNCORRELATED,
        reorder: tuple[str, str] | None = None,
        queue: Qdisc | str | None = None,
        mtu: str | None = None,
        up: bool = True,
    ) -> LinkSpec:
        """Adds a link.

        Args:
            a: one end: a host (``h1``, or an interface of it: ``h1-eth1``), a switch's port
                (``s1-p1``) or a switch (``s1``: its lowest free port).
            b: the other end.
            rate: the rate, such as ``10Mbit``; ``"unlimited"`` or ``None`` for no limit. 1 Gbit/s
                by default.
            delay: propagation delay, such as ``5ms``.
            loss: the share of packets lost, such as ``1%``, or another model of loss from
                :mod:`weir.impairments`.
            jitter: random time added to the delay of each packet: a time (uniform from 0 to it) or
                a distribution of :mod:`weir.impairments`.
            overtake: whether packets can overtake others because of jitter.
            duplicate: the share of packets that arrive twice.
            corrupt: the share of packets that arrive with one bit flipped.
            correlation: how much the random number of an effect depends on the effect's
                previous number.
            reorder: the share of packets that are held while others pass, and for how long:
                ``("1%", "5ms")``.
            queue: the queue at both ends: a limit (``"100p"``, ``"64kB"``) or a discipline of
                :mod:`weir.qdisc`; 1000 packets by default.
            mtu: the longest packet after the Ethernet header, such as ``"1500B"``; longer ones are
                dropped. No limit by default.
            up: whether the link is up at the start.

        Raises:
            TopologyError: an end does not exist or is already linked, or both ends are the same
                node.
            UnitError: a quantity cannot be read.
        """
        link = LinkSpec(
            self._read_end(a),
            self._read_end(b),
            units.link_rate(rate),
            units.time_ns(delay, "delay"),
            0.0 if isinstance(loss, Loss) else units.share(loss, "loss"),
            loss if isinstance(loss, Loss) else None,
            jitter,
            _flag("overtake", overtake),
            units.share(duplicate, "duplicate"),
            units.share(corrupt, "corrupt"),
            correlation,
            reorder,
            queue,
            None if mtu is None else units.size_bytes(mtu, "mtu"),
            _flag("up", up),
        )
        jitter_model(jitter)
        loss_model(loss)
        correlations(correlation)
        reordering(reorder)
        if isinstance(queue, (str, int, float)):
            units.queue(queue)
        self._with_index(lambda index: index.add_link(link.a, link.b, True))
        self.links.append(link)
        return link

    def _read_end(self, text: Any) -> Endpoint:
        """Reads an end of a link.

        A switch's name without a port stands for its lowest free port.

        Raises:
            TopologyError: there is no such node, or the port is out of range.
        """
        end = self._with_index(lambda index: index.read_end(text))
        if end.port is None and end.node in self.switches:
            return Endpoint(end.node, self._with_index(lambda index: index.free_port(end.node)))
        return end

    def link(self, a: str, b: str) -> LinkSpec:
        """Finds the link between two nodes (``h1``, ``s1``) or ends (``s1-p1``), in either order.

        Raises:
            TopologyError: there is no such link, or more than one.
        """

        def find(index: _core.TopologyIndex) -> LinkSpec:
            number = index.find_link(a, b)
            link = self.links[number]
            if index.ends(number) != (link.a, link.b):
                raise TopologyError(f"{link} was another link")
            return link

        return self._with_index(find)

    def ports(self, switch: str) -> list[int]:
        """Lists the linked ports of a switch, in ascending order."""
        ends = (end for link in self.links for end in (link.a, link.b))
        return sorted(end.port for end in ends if end.node == switch and end.port is not None)

    def __repr__(self) -> str:
        counts = ((len(self.hosts), "host"), (len(self.switches), "switch"), (len(self.links), "link"))
        return f"<weir.Topology of {', '.join(count_noun(*count) for count in counts)}>"

    def _repr_html_(self) -> str:
        from weir.display import titled_output, topology_svg
        from weir.topology.drawing import drawing

        return titled_output(
            "" if self.file is None else self.file,
            topology_svg(drawing(self.hosts, self.switches, self.links)),
        )

    def _new_index(self) -> _core.TopologyIndex:
        """Creates an index of the current hosts, switches and links."""
        index = _core.TopologyIndex()
        for host in self.hosts.values():
            index.add_host(host, False)
        for name in self.switches:
            index.add_switch(name)
        for link in self.links:
            index.add_link(link.a, link.b, False)
        return index

    def _with_index(self, action: Callable[[_core.TopologyIndex], T]) -> T:
        """Calls a function with the topology's index, and returns its result.

        Callers may edit hosts, switches and links themselves. The index is therefore built again if
        their numbers differ, and again before the function's error is raised.
        """
        if self._index.counts() == (len(self.hosts), len(self.switches), len(self.links)):
            try:
                return action(self._index)
            except TopologyError:
                pass
        self._index = self._new_index()
        return action(self._index)


def _flag(what: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TopologyError(f"{what}: {shown(value)} is neither True nor False")
    return value

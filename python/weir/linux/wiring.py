"""The ``ip`` and ``tc`` commands that create a topology's hosts and links in Linux."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from weir.errors import NetworkError
from weir.linux.link_process import share
from weir.linux.queue import queue_text
from weir.linux.requests import Settings
from weir.topology import Endpoint, HostSpec, LinkSpec, Topology

PORT_MTU = 9216
"""The bytes of the longest packet that a switch's port accepts if its link has no MTU."""

_BURST_NS = 500_000
"""The nanoseconds of traffic in a burst of a link with a rate; a burst has at least two frames.

If a kernel timer is later than this time, the link sends less than its rate.
"""

PACED_BPS: Final = 100_000_000
"""The rate up to which the link process delays each frame by its transmission time.

The kernel's token bucket sends a frame at once after a pause. On faster links, a frame of 1500
bytes takes less than 0.12 ms, too little to justify the link process's processor time.
"""

_ETHERNET_BYTES = 14

IPV6_OFF: Settings = [("net.ipv6.conf.default.disable_ipv6", "1"), ("net.ipv6.conf.all.disable_ipv6", "1")]
"""Kernel parameters of nodes without addresses, whose interfaces would otherwise send IPv6 frames
by themselves."""
_DEFAULT_SETTINGS: Settings = [("net.ipv4.tcp_congestion_control", "cubic")]
_IPV6: Settings = [
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.default.router_solicitations", "0"),
    # In milliseconds. Hosts report their groups as soon as their links are up. With the default
    # setting, they would report at random times of the next seconds, and the reports would be
    # counted as packets that switches drop.
    ("net.ipv6.conf.default.mldv1_unsolicited_report_interval", "1"),
    ("net.ipv6.conf.default.mldv2_unsolicited_report_interval", "1"),
]


@dataclass(frozen=True)
class Wire:
    """A topology's link, with its Linux interfaces.

    Attributes:
        number: the place of the link in the topology.
        spec: the link's specification in the topology.
        uses_link_process: whether the link's frames pass through the process ``weir link``, which
            enforces the rate, and delays and drops frames.
    """

    number: int
    spec: LinkSpec
    uses_link_process: bool

    @property
    def outer(self) -> tuple[str, str]:
        """The interfaces in the outer namespace between which the link process copies frames."""
        return f"l{self.number}a", f"l{self.number}b"


def check(topology: Topology) -> None:
    """Refuses settings of a topology that real hosts, links and switches do not support.

    Raises:
        NetworkError: the topology has such a setting.
    """
    fast = "in the Linux world, this computer's speed decides"
    for host in topology.hosts.values():
        if host.processing_ns or host.processing_jitter_ns:
            raise NetworkError(f"{host.name} has a processing time: {fast}, so leave it out")
    for switch in topology.switches.values():
        if switch.profile is not None:
            raise NetworkError(f"{switch.name} has a timing profile: {fast}, so leave it out")
        if switch.queue_rate != "auto" or switch.queue_depth is not None or switch.priorities > 1:
            raise NetworkError(
                f"{switch.name} has queues of its own (queue_rate, queue_depth, priorities): in the "
                "Linux world packets wait at the links: give them a rate and a queue"
            )
    for link in topology.links:
        if link.mtu is not None and link.a.port is None and link.b.port is None:
            raise NetworkError(
                f"{link} has an MTU: in the Linux world set those of the hosts (mtu of add_host)"
            )


def wires(topology: Topology) -> list[Wire]:
    """Returns the links of a topology, with their Linux interfaces."""
    return [Wire(number, spec, needs_link_process(spec)) for number, spec in enumerate(topology.links)]


OPTIONAL_DISCIPLINES: Final = ("codel", "dualpi2", "fq", "fq_codel", "netem", "red")
"""The kinds of queueing disciplines that some kernels lack."""


def needs_link_process(spec: LinkSpec) -> bool:
    """Returns whether a link needs the link process, for a low rate, delay, jitter or loss.

    The process also provides queueing disciplines that the kernel may lack.
    """
    return bool(
        paced_rate(spec.rate_bps) is not None
        or link_discipline(spec).partition(" ")[0] in OPTIONAL_DISCIPLINES
        or spec.delay_ns
        or spec.loss
        or spec.loss_model is not None
        or spec.jitter is not None
        or spec.duplicate
        or spec.corrupt
        or spec.reorder is not None
    )


def paced_rate(rate_bps: int | None) -> str | None:
    """Formats the rate that the link process enforces, such as ``10000000bit``; returns ``None`` if
    it enforces no rate."""
    return None if rate_bps is None or rate_bps > PACED_BPS else f"{rate_bps}bit"


def link_settings(wire: Wire) -> dict[str, Any]:
    """Returns a link's initial settings for the link process; :class:`weir.Link` changes them
    later."""
    spec = wire.spec
    settings: dict[str, Any] = {"name": str(spec)}
    for end, interface in zip(("a", "b"), wire.outer, strict=True):
        settings[end] = {"interface": interface}
    # The seeds are named as in the virtual world.
    a, b = spec.a.interface_name, spec.b.interface_name
    settings |= {"a_to_b": {"stream": f"{a}->{b}"}, "b_to_a": {"stream": f"{b}->{a}"}}
    rate = paced_rate(spec.rate_bps)
    return settings | {"rate": rate, "delay": f"{spec.delay_ns}ns", "loss": share(spec.loss)}


def end_settings(wire: Wire, end: Endpoint, rate_bps: int | None, queue: str | None) -> dict[str, Any]:
    """Returns the rate and the queue of the frames that leave at an end, as settings for the link
    process.

    Args:
        wire: the link.
        end: one of its ends.
        rate_bps: bits per second; ``None`` for no limit.
        queue: the queueing discipline, if the link process applies it.
    """
    rate = None if rate_bps is None else f"{rate_bps}bit"
    # Packets wait only if there is a rate, or a discipline that delays packets itself.
    waits = queue is not None and (rate is not None or queue.startswith("netem") or "maxrate" in queue)
    settings = {"rate": paced_rate(rate_bps) if queue is None else rate, "qdisc": queue if waits else None}
    return {direction(wire, end): settings}


def direction(wire: Wire, end: Endpoint) -> str:
    """Returns the name that the link process gives to the direction of frames that leave at an
    end."""
    return "a_to_b" if end == wire.spec.a else "b_to_a"


def device(end: Endpoint) -> str:
    """Returns the name of an interface in its node, such as ``eth0`` in a host or ``p1`` in a
    switch."""
    return f"eth{end.interface}" if end.port is None else f"p{end.port}"


def alternative_names(end: Endpoint) -> list[str]:
    """Returns the alternative names of an interface, as in topology files and Mininet."""
    if end.port is None:
        return [end.interface_name]
    return [end.interface_name, f"{end.node}-eth{end.port}", f"eth{end.port}"]


def settings(topology: Topology) -> dict[str, Settings]:
    """Returns the kernel parameters that each node gets before it has an interface."""
    by_node: dict[str, Settings] = {}
    for name, host in topology.hosts.items():
        has_ipv6 = any(
            ":" in address.address for interface in host.interfaces for address in interface.addresses
        )
        by_node[name] = [*(_IPV6 if has_ipv6 else IPV6_OFF), *_DEFAULT_SETTINGS]
    return by_node | dict.fromkeys(topology.switches, IPV6_OFF)


def pair_commands(topology: Topology, links: list[Wire], path: dict[str, str]) -> Iterator[str]:
    """Yields the ``ip`` commands that create all pairs of interfaces.

    Args:
        topology: the topology to build.
        links: the links of the topology.
        path: the file of each node's namespace.
    """
    linked = set()
    for wire in links:
        a, b = wire.spec.a, wire.spec.b
        linked |= {(a.node, a.number, a.port is None), (b.node, b.number, b.port is None)}
        ends = [(device(end), path[end.node]) for end in (a, b)]
        if wire.uses_link_process:
            for (name, node), outer in zip(ends, wire.outer, strict=True):
                yield f"link add {name} netns {node} mtu {PORT_MTU} type veth peer name {outer} mtu {PORT_MTU}"
                yield f"link set {outer} up"
        else:
            (name, node), (peer, other) = ends
            mtu = f"mtu {PORT_MTU}"
            yield f"link add {name} netns {node} {mtu} type veth peer name {peer} netns {other} {mtu}"
    for host in topology.hosts.values():
        for number in range(len(host.interfaces)):
            if (host.name, number, True) not in linked:
                # No link is connected to this interface of a host.
                yield f"link add eth{number} netns {path[host.name]} type veth"


def host_names(topology: Topology) -> Iterator[str]:
    """Yields the lines of ``/etc/hosts``, with which programs on hosts find other hosts by name."""
    yield "127.0.0.1 localhost\n::1 localhost\n"
    for host in topology.hosts.values():
        for address in (
            interface_address.address
            for interface in host.interfaces
            for interface_address in interface.addresses
        ):
            yield f"{address} {host.name}\n"


def host_commands(host: HostSpec) -> Iterator[str]:
    """Yields the ``ip`` commands that configure a host."""
    yield "link set lo up"
    for number, interface in enumerate(host.interfaces):
        name = f"eth{number}"
        yield f"link set {name} address {interface.mac} mtu {interface.mtu}"
        yield f"link property add dev {name} altname {host.name}-{name}"
        yield f"link set {name} up"
    yield from address_commands(host)


def address_commands(host: HostSpec) -> Iterator[str]:
    """Yields the ``ip`` commands that set or restore a host's addresses, neighbours and routes."""
    for number, interface in enumerate(host.interfaces):
        for address in interface.addresses:
            nodad = " nodad" if ":" in address.address else ""
            yield f"address replace {address} dev eth{number}{nodad}"
    for address_text, mac in host.arp.items():
        name = f"eth{host.arp_interfaces.get(address_text, 0)}"
        yield f"neighbour replace {address_text} lladdr {mac} dev {name} nud permanent"
    yield from route_commands(host)


def route_commands(host: HostSpec) -> Iterator[str]:
    """Yields the ``ip`` commands that set or restore a host's routes."""
    for route in host.routes:
        via = "" if route.gateway is None else f"via {route.gateway} "
        onlink = "" if route.gateway is None else " onlink"
        yield f"route replace {route.network} {via}dev eth{route.interface}{onlink}"


def switch_commands(name: str, links: list[Wire]) -> Iterator[str]:
    """Yields the ``ip`` commands that configure a switch's ports."""
    yield "link set lo up"
    for wire in links:
        for end in (wire.spec.a, wire.spec.b):
            if end.node == name and end.port is not None:
                mtu = PORT_MTU if wire.spec.mtu is None else wire.spec.mtu
                yield f"link set {device(end)} mtu {mtu} up"
                for other in alternative_names(end):
                    yield f"link property add dev {device(end)} altname {other}"


BEHIND_RATE: Final = ("parent", "ff00:1")
"""The ``tc`` words for the queue behind the rate limiter. Weir's handles are high, because users
choose lower ones."""


def rate_commands(end: Endpoint, rate_bps: int | None, queue: str, mtu: int) -> list[str]:
    """Returns the ``tc`` commands that set the rate and the queue of a link's end.

    Args:
        end: the end of the link.
        rate_bps: bits per second; ``None`` for no limit.
        queue: the queueing discipline in which packets wait, as ``tc`` writes it.
        mtu: bytes of the longest packet that the end sends at this rate in one piece.
    """
    name = device(end)
    if rate_bps is None:
        return [f"qdisc replace dev {name} root {queue}"]
    burst = max(2 * (mtu + _ETHERNET_BYTES + 4), rate_bps * _BURST_NS // 8_000_000_000)
    return [
        f"qdisc replace dev {name} root handle ff00: tbf rate {rate_bps}bit burst {burst} limit 100000000",
        f"qdisc replace dev {name} {' '.join(BEHIND_RATE)} {queue}",
    ]


def switch_queue(rate_bps: int | None, queue: str) -> tuple[int, int] | None:
    """Returns the rate and the limit of a switch's queue for a link; ``None`` if packets wait at
    the link instead.

    A switch with such a queue needs some microseconds more for each packet, so on faster links
    packets wait in the kernel. Packets also wait in the kernel if the link has a queueing
    discipline.
    """
    limit = fifo_limit(queue)
    return None if limit is None or paced_rate(rate_bps) is None else (rate_bps or 0, limit)


def fifo_limit(queue: str) -> int | None:
    """Returns the limit in packets of a plain first-in, first-out queue; ``None`` for other
    disciplines."""
    words = queue.split()
    return int(words[2]) if words[:2] == ["pfifo", "limit"] and len(words) == 3 else None


def link_discipline(spec: LinkSpec) -> str:
    """Returns the ``tc`` words for the queueing discipline of a link's ends."""
    return queue_text(spec.queue, spec.a)

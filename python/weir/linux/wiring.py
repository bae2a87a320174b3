"""The commands that make the hosts and links of a topology in Linux."""

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
"""Bytes of the longest packet that a switch's port takes, where the link sets no limit."""

_BURST_NS = 500_000
"""The burst of a link with a rate: the bytes that it sends in this time, but at least two frames.

If a timer of the kernel is later than that, the flow loses the excess.
"""

PACED_BPS: Final = 100_000_000
"""Up to this rate, Weir's own process gives each frame the time that it takes on a wire.

The kernel's token bucket lets a frame pass at once after a pause. On faster links, a frame of
1500 bytes takes less than 0.12 ms, which is not worth the processor time of our process.
"""

_HEADER = 14

QUIET: Settings = [("net.ipv6.conf.default.disable_ipv6", "1"), ("net.ipv6.conf.all.disable_ipv6", "1")]
"""Settings of nodes without addresses: interfaces with IPv6 would send frames of their own."""
_USUAL: Settings = [("net.ipv4.tcp_congestion_control", "cubic")]
_IPV6: Settings = [
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.default.router_solicitations", "0"),
    # Milliseconds: hosts report their groups as soon as their links are up, not at random times of
    # the next seconds, when the reports would be counted as packets that switches drop.
    ("net.ipv6.conf.default.mldv1_unsolicited_report_interval", "1"),
    ("net.ipv6.conf.default.mldv2_unsolicited_report_interval", "1"),
]


@dataclass(frozen=True)
class Wire:
    """A link of the topology as it is in Linux.

    Attributes:
        number: the place of the link in the topology.
        spec: the link's specification in the topology.
        uses_link_process: whether its frames pass through Weir's own process, which enforces the
            rate, and delays and loses frames.
    """

    number: int
    spec: LinkSpec
    uses_link_process: bool

    @property
    def outer(self) -> tuple[str, str]:
        """The interfaces outside the nodes to which the ends of a link with that process lead."""
        return f"l{self.number}a", f"l{self.number}b"


def check(topology: Topology) -> None:
    """Refuses settings that real hosts, links and switches do not have.

    Raises:
        NetworkError: the topology has such a setting.
    """
    fast = "in the Linux world everything is as fast as this computer"
    for host in topology.hosts.values():
        if host.processing_ns or host.processing_jitter_ns:
            raise NetworkError(f"{host.name} has a processing time: {fast}, so leave it out")
    for switch in topology.switches.values():
        if switch.profile is not None:
            raise NetworkError(f"{switch.name} has a timing profile: {fast}, so leave it out")
        if switch.queue_rate != "auto" or switch.queue_depth is not None or switch.priorities > 1:
            raise NetworkError(
                f"{switch.name} has queues of its own (queue_rate, queue_depth, priorities): in the Linux world "
                "packets wait at the links: give them a rate and a queue"
            )
    for link in topology.links:
        if link.mtu is not None and link.a.port is None and link.b.port is None:
            raise NetworkError(
                f"{link} has an MTU: in the Linux world set those of the hosts (mtu of add_host)"
            )


def wires(topology: Topology) -> list[Wire]:
    """The links of a topology."""
    return [Wire(number, spec, needs_link_process(spec)) for number, spec in enumerate(topology.links)]


NOT_EVERYWHERE: Final = ("codel", "dualpi2", "fq", "fq_codel", "netem", "red")
"""The queueing disciplines that some kernels lack."""


def needs_link_process(spec: LinkSpec) -> bool:
    """Whether a link needs more than the kernel offers: a low rate, delay, jitter or loss.

    A queueing discipline that the kernel may lack is also more.
    """
    return bool(
        paced_rate(spec.rate_bps) is not None
        or queue_of(spec).partition(" ")[0] in NOT_EVERYWHERE
        or spec.delay_ns
        or spec.loss
        or spec.loss_model is not None
        or spec.jitter is not None
        or spec.duplicate
        or spec.corrupt
        or spec.reorder is not None
    )


def paced_rate(rate_bps: int | None) -> str | None:
    """The rate that Weir's own process enforces for a link, if any."""
    return None if rate_bps is None or rate_bps > PACED_BPS else f"{rate_bps}bit"


def link_settings(wire: Wire) -> dict[str, Any]:
    """A link's settings for the process that delays frames; :class:`weir.Link` sets others."""
    spec = wire.spec
    made: dict[str, Any] = {"name": str(spec)}
    for end, interface in zip(("a", "b"), wire.outer, strict=True):
        made[end] = {"interface": interface}
    # The random numbers of the virtual world, by the same names.
    a, b = spec.a.interface_name, spec.b.interface_name
    made |= {"a_to_b": {"stream": f"{a}->{b}"}, "b_to_a": {"stream": f"{b}->{a}"}}
    rate = paced_rate(spec.rate_bps)
    return made | {"rate": rate, "delay": f"{spec.delay_ns}ns", "loss": share(spec.loss)}


def end_settings(wire: Wire, end: Endpoint, rate_bps: int | None, queue: str | None) -> dict[str, Any]:
    """The rate and the queue of the direction that begins at an end, for that process.

    Args:
        wire: the link.
        end: one of its ends.
        rate_bps: bits per second; None for no limit.
        queue: the queueing discipline, if it is in the link.
    """
    rate = None if rate_bps is None else f"{rate_bps}bit"
    # Without a rate no packet waits, except in disciplines that delay packets themselves.
    waits = queue is not None and (rate is not None or queue.startswith("netem") or "maxrate" in queue)
    settings = {"rate": paced_rate(rate_bps) if queue is None else rate, "qdisc": queue if waits else None}
    return {"a_to_b" if end == wire.spec.a else "b_to_a": settings}


def device(end: Endpoint) -> str:
    """The interface's name in its node: ``eth0`` of a host, ``p1`` of a switch."""
    return f"eth{end.interface}" if end.port is None else f"p{end.port}"


def other_names(end: Endpoint) -> list[str]:
    """The other names of the interface: those of topology files and of Mininet."""
    if end.port is None:
        return [end.interface_name]
    return [end.interface_name, f"{end.node}-eth{end.port}", f"eth{end.port}"]


def settings(topology: Topology) -> dict[str, Settings]:
    """The kernel settings of each node that apply before it has an interface."""
    made: dict[str, Settings] = {}
    for name, host in topology.hosts.items():
        has_ipv6 = any(":" in own.address for one in host.interfaces for own in one.addresses)
        made[name] = [*(_IPV6 if has_ipv6 else QUIET), *_USUAL]
    return made | dict.fromkeys(topology.switches, QUIET)


def pairs(topology: Topology, links: list[Wire], path: dict[str, str]) -> Iterator[str]:
    """The commands of ``ip`` that make all pairs of interfaces.

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
                # No link is connected to it.
                yield f"link add eth{number} netns {path[host.name]} type veth"


def host_names(topology: Topology) -> Iterator[str]:
    """The lines of ``/etc/hosts`` with which programs on hosts find other hosts."""
    yield "127.0.0.1 localhost\n::1 localhost\n"
    for host in topology.hosts.values():
        for address in (own.address for one in host.interfaces for own in one.addresses):
            yield f"{address} {host.name}\n"


def host_lines(host: HostSpec) -> Iterator[str]:
    """The commands of ``ip`` that configure a host."""
    yield "link set lo up"
    for number, own in enumerate(host.interfaces):
        name = f"eth{number}"
        yield f"link set {name} address {own.mac} mtu {own.mtu}"
        yield f"link property add dev {name} altname {host.name}-{name}"
        yield f"link set {name} up"
    yield from setting_lines(host)


def setting_lines(host: HostSpec) -> Iterator[str]:
    """The commands that set a host's addresses, neighbours and routes, or set them again."""
    for number, own in enumerate(host.interfaces):
        for address in own.addresses:
            nodad = " nodad" if ":" in address.address else ""
            yield f"address replace {address} dev eth{number}{nodad}"
    for address_text, mac in host.arp.items():
        name = f"eth{host.arp_interfaces.get(address_text, 0)}"
        yield f"neighbour replace {address_text} lladdr {mac} dev {name} nud permanent"
    yield from route_lines(host)


def route_lines(host: HostSpec) -> Iterator[str]:
    """The commands that add a host's routes, or add them again."""
    for route in host.routes:
        via = "" if route.gateway is None else f"via {route.gateway} "
        onlink = "" if route.gateway is None else " onlink"
        yield f"route replace {route.network} {via}dev eth{route.interface}{onlink}"


def switch_lines(name: str, links: list[Wire]) -> Iterator[str]:
    """The commands of ``ip`` that configure a switch's ports."""
    yield "link set lo up"
    for wire in links:
        for end in (wire.spec.a, wire.spec.b):
            if end.node == name and end.port is not None:
                mtu = PORT_MTU if wire.spec.mtu is None else wire.spec.mtu
                yield f"link set {device(end)} mtu {mtu} up"
                for other in other_names(end):
                    yield f"link property add dev {device(end)} altname {other}"


BEHIND_RATE: Final = ("parent", "ff00:1")
"""The place where packets wait at an end with a rate, in the words of ``tc``. Our handles are high,
because users write lower ones."""


def rate_lines(end: Endpoint, rate_bps: int | None, queue: str, mtu: int) -> list[str]:
    """The commands of ``tc`` that give an end its rate and its queue.

    Args:
        end: the end of the link.
        rate_bps: bits per second; None for no limit.
        queue: the queueing discipline in which packets wait, as ``tc`` writes it.
        mtu: bytes of the longest packet that it sends at this rate without being cut.
    """
    name = device(end)
    if rate_bps is None:
        return [f"qdisc replace dev {name} root {queue}"]
    burst = max(2 * (mtu + _HEADER + 4), rate_bps * _BURST_NS // 8_000_000_000)
    return [
        f"qdisc replace dev {name} root handle ff00: tbf rate {rate_bps}bit burst {burst} limit 100000000",
        f"qdisc replace dev {name} {' '.join(BEHIND_RATE)} {queue}",
    ]


def switch_queue(rate_bps: int | None, queue: str) -> tuple[int, int] | None:
    """The rate and limit of a switch's queue in front of a link; None if packets wait at the link.

    Each packet of a switch with such a queue takes some microseconds more, so faster links are left
    to the kernel. So are those with a queueing discipline, which must see the packets.
    """
    limit = limit_of(queue)
    return None if limit is None or paced_rate(rate_bps) is None else (rate_bps or 0, limit)


def limit_of(queue: str) -> int | None:
    """The limit of a queueing discipline in packets, if it does nothing else."""
    words = queue.split()
    return int(words[2]) if words[:2] == ["pfifo", "limit"] and len(words) == 3 else None


def queue_of(spec: LinkSpec) -> str:
    """The queueing discipline of a link's ends, as ``tc`` writes it."""
    return queue_text(spec.queue)

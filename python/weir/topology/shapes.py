"""Topology generators: known shapes, with addresses and table entries for a router.

>>> topo = weir.topology.shapes.dumbbell(10, rate="1Gbit", edge_delay="1ms")  # doctest: +SKIP
>>> net = weir.Network(topo, p4="router.p4")                                 # doctest: +SKIP

The entries are the tutorials' runtime JSON for a program with one longest-prefix-match table;
:class:`Router` has the names of its table, key and action. Hosts have a permanent neighbour entry
for their gateway, so no switch needs to answer ARP.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from weir.errors import TopologyError
from weir.topology.topology import Topology

GATEWAY_MAC = "08:00:00:00:ff:01"
"""The Ethernet address of every gateway: a router accepts frames to any address."""


@dataclass(frozen=True)
class Router:
    """Names in a router's program.

    Attributes:
        table: its longest-prefix-match table.
        key: the key: the IPv4 destination.
        action: the action that forwards a packet.
        mac: the action's parameter for the next hop's Ethernet address.
        port: the action's parameter for the port.
    """

    table: str = "MyIngress.ipv4_lpm"
    key: str = "hdr.ipv4.dstAddr"
    action: str = "MyIngress.ipv4_forward"
    mac: str = "dstAddr"
    port: str = "port"

    def entry(self, prefix: str, mac: str, port: int) -> dict[str, Any]:
        """A table entry: packets to this prefix leave at this port, to this Ethernet address."""
        address, _, length = prefix.partition("/")
        return {
            "table": self.table,
            "match": {self.key: [address, int(length)]},
            "action_name": self.action,
            "action_params": {self.mac: mac, self.port: port},
        }

    def document(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        """A switch's entries as runtime JSON."""
        return {"target": "bmv2", "table_entries": entries}


def dumbbell(
    n: int,
    *,
    rate: str | None = "1Gbit",
    middle_rate: str | None = "same",
    edge_delay: str = "1ms",
    middle_delay: str = "5ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    router: Router | None = Router(),
) -> Topology:
    """``n`` hosts at each of two switches, with one link between the switches.

    Hosts h1 to hn are at s1, the others at s2.

    Args:
        n: hosts on each side, 1 to 500.
        rate: of all links.
        middle_rate: of the link between the switches; ``"same"`` as ``rate``.
        edge_delay: of the hosts' links.
        middle_delay: of the link between the switches.
        queue: the queue at each end, such as ``"100p"``.
        queue_rate: how fast the switches' queues drain: see :meth:`Topology.add_switch`.
        router: the names in the program; None for no entries.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    _check("n", n, 500)
    topo = _switches(2, queue_rate)
    join = partial(topo.add_link, rate=rate, queue=queue)
    for number in range(1, 2 * n + 1):
        side, place = (1, number) if number <= n else (2, number - n)
        # 250 in a network: those of s1 have odd numbers.
        more, last = divmod(place - 1, 250)
        _host(topo, number, f"10.0.{side + 2 * more}.{last + 1}")
        join(f"h{number}", f"s{side}-p{place}", delay=edge_delay)
    middle = rate if middle_rate == "same" else middle_rate
    join(f"s1-p{n + 1}", f"s2-p{n + 1}", rate=middle, delay=middle_delay)
    _add_tree_routes(topo, router)
    return topo


def chain(
    n: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    router: Router | None = Router(),
) -> Topology:
    """``n`` switches in a row, with a host at each: h1 at s1 and so on.

    Port 1 leads to the host, 2 to the switch before, 3 to the next.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    _check("n", n, 250)
    topo = _switches(n, queue_rate)
    join = partial(topo.add_link, rate=rate, delay=delay, queue=queue)
    for number in range(1, n + 1):
        _host(topo, number, f"10.0.{number}.1")
        join(f"h{number}", f"s{number}-p1")
    for number in range(1, n):
        join(f"s{number}-p3", f"s{number + 1}-p2")
    _add_tree_routes(topo, router)
    return topo


def star(
    n: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    router: Router | None = Router(),
) -> Topology:
    """``n`` hosts at one switch: host n at port n.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    _check("n", n, 500)
    topo = _switches(1, queue_rate)
    join = partial(topo.add_link, rate=rate, delay=delay, queue=queue)
    for number in range(1, n + 1):
        _host(topo, number, f"10.0.{(number - 1) // 250}.{(number - 1) % 250 + 1}")
        join(f"h{number}", f"s1-p{number}")
    _add_tree_routes(topo, router)
    return topo


def fat_tree(
    k: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "10us",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    router: Router | None = Router(),
) -> Topology:
    """A fat tree of switches with ``k`` ports each (Al-Fares, Loukissas and Vahdat 2008).

    It has k·k·k/4 hosts and 5·k·k/4 switches.

    Pod p has edge switches ``e{p}_{i}`` and aggregation switches ``a{p}_{i}``; core switches are
    ``c{i}_{j}``. A host's address is 10.pod.edge.place. Downwards, routes are prefixes. Upwards,
    the destination's place selects the path, as in the paper's two-level tables: flows to different
    places use all paths, and each flow uses one path, so its packets stay in order.

    Args:
        k: ports of a switch: even, 2 to 16.
        rate: of all links.
        delay: of all links.
        queue: the queue at each end, such as ``"100p"``.
        queue_rate: how fast the switches' queues drain: see :meth:`Topology.add_switch`.
        router: the names in the program; None for no entries.

    Raises:
        TopologyError: k is odd or out of range.
        UnitError: a quantity cannot be read.
    """
    _check("k", k, 16)
    if k % 2:
        raise TopologyError(f"a fat tree needs an even number of ports, not {k}")
    half = k // 2
    topo = Topology()
    join = partial(topo.add_link, rate=rate, delay=delay, queue=queue)
    entries: dict[str, list[dict[str, Any]]] = {}
    for name in (
        *(f"c{i}_{j}" for i in range(half) for j in range(half)),
        *(f"{layer}{pod}_{i}" for pod in range(k) for layer in "ae" for i in range(half)),
    ):
        topo.add_switch(name, queue_rate=queue_rate)
        entries[name] = []
    number = 0
    for pod in range(k):
        for edge in range(half):
            for place in range(half):
                number += 1
                _host(topo, number, f"10.{pod}.{edge}.{place + 2}")
                join(f"h{number}", f"e{pod}_{edge}-p{place + 1}")
            for up in range(half):
                a, b = f"e{pod}_{edge}-p{half + up + 1}", f"a{pod}_{up}-p{edge + 1}"
                join(a, b)
        for up in range(half):
            for core in range(half):
                a, b = f"a{pod}_{up}-p{half + core + 1}", f"c{up}_{core}-p{pod + 1}"
                join(a, b)
    if router is None:
        return topo
    for pod in range(k):
        for i in range(half):
            edge_rows, upper_rows = entries[f"e{pod}_{i}"], entries[f"a{pod}_{i}"]
            for host in topo.hosts.values():
                of_pod, of_edge, place = (int(part) for part in host.ip.address.split(".")[1:])
                # Upwards: the destination's place plus the switch's, so that switches of a layer
                # choose different paths.
                path = half + (place - 2 + i) % half + 1
                prefix = f"{host.ip.address}/32"
                if (of_pod, of_edge) == (pod, i):
                    edge_rows.append(router.entry(prefix, host.mac, place - 1))
                else:
                    edge_rows.append(router.entry(prefix, GATEWAY_MAC, path))
                if of_pod != pod:
                    upper_rows.append(router.entry(prefix, GATEWAY_MAC, path))
            for edge in range(half):
                upper_rows.append(router.entry(f"10.{pod}.{edge}.0/24", GATEWAY_MAC, edge + 1))
    for i in range(half):
        for j in range(half):
            for pod in range(k):
                entries[f"c{i}_{j}"].append(router.entry(f"10.{pod}.0.0/16", GATEWAY_MAC, pod + 1))
    for name, rows in entries.items():
        topo.switches[name].entries = router.document(rows)
    return topo


def _check(name: str, value: int, maximum: int) -> None:
    minimum = 2 if name == "k" else 1
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise TopologyError(f"{name} = {value!r} is out of range: expected {minimum} to {maximum}")


def _switches(count: int, queue_rate: str | None) -> Topology:
    topo = Topology()
    for number in range(1, count + 1):
        topo.add_switch(f"s{number}", queue_rate=queue_rate)
    return topo


def _host(topo: Topology, number: int, address: str) -> None:
    """A host that is alone in its network, so that it sends everything to its gateway."""
    gateway = f"{address.rpartition('.')[0]}.254"
    topo.add_host(f"h{number}", ip=f"{address}/32", gateway=gateway, arp={gateway: GATEWAY_MAC})


def _add_tree_routes(topo: Topology, router: Router | None) -> None:
    """Entries for a network without loops: each switch sends each host's packets towards it."""
    if router is None:
        return
    paths: dict[str, list[tuple[int, str]]] = {name: [] for name in (*topo.switches, *topo.hosts)}
    for link in topo.links:
        for near, far in ((link.a, link.b), (link.b, link.a)):
            paths[near.node].append((near.number, far.node))
    for name, switch in topo.switches.items():
        rows = []
        for port, first in paths[name]:
            # All hosts behind this port.
            seen, open_nodes = {name}, [first]
            while open_nodes:
                node = open_nodes.pop()
                seen.add(node)
                if node in topo.hosts:
                    host = topo.hosts[node]
                    mac = host.mac if node == first else GATEWAY_MAC
                    rows.append(router.entry(f"{host.ip.address}/32", mac, port))
                else:
                    open_nodes += [other for _, other in paths[node] if other not in seen]
        switch.entries = router.document(rows)

"""Shapes with several paths between hosts: fat tree, leaf-spine, ring, random regular graph."""

from __future__ import annotations

import random

from weir.errors import TopologyError
from weir.topology.route_table import RouteTable
from weir.topology.shapes.plan import Plan, check_size
from weir.topology.topology import Topology

_ROUTES = RouteTable()


def fat_tree(
    k: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "10us",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates a fat tree of switches with ``k`` ports each (Al-Fares, Loukissas and Vahdat 2008).

    It has k·k·k/4 hosts and 5·k·k/4 switches. Pod p has edge switches ``e{p}_{i}`` and aggregation
    switches ``a{p}_{i}``; core switches are ``c{i}_{j}``. A host's address is 10.pod.edge.place.

    Args:
        k: the number of ports of each switch: even, 2 to 16.
        rate: the rate of all links.
        delay: the delay of all links.
        queue: the queue at each end, such as ``"100p"``.
        queue_rate: how fast the switches' queues drain: see :meth:`Topology.add_switch`.
        routes: see :attr:`Topology.routes`; ``None`` for no entries.
        layer: 3: hosts send to a gateway; 2: all hosts are in one network.
        ipv6: whether hosts also have an IPv6 address.

    Raises:
        TopologyError: k is odd or out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("k", k, 2, 16)
    if k % 2:
        raise TopologyError(f"a fat tree needs an even number of ports, not {k}")
    half = k // 2
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    for i in range(half):
        for j in range(half):
            plan.switch(f"c{i}_{j}")
    for pod in range(k):
        for level in "ae":
            for i in range(half):
                plan.switch(f"{level}{pod}_{i}")
    for pod in range(k):
        for edge in range(half):
            for place in range(half):
                plan.link(plan.host(256 * pod + edge, place + 2), f"e{pod}_{edge}-p{place + 1}")
            for up in range(half):
                plan.link(f"e{pod}_{edge}-p{half + up + 1}", f"a{pod}_{up}-p{edge + 1}")
        for up in range(half):
            for core in range(half):
                plan.link(f"a{pod}_{up}-p{half + core + 1}", f"c{up}_{core}-p{pod + 1}")
    return plan.topo


def leaf_spine(
    leaves: int,
    spines: int,
    hosts: int = 2,
    *,
    rate: str | None = "1Gbit",
    spine_rate: str | None = "same",
    delay: str = "10us",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates a Clos network of two stages: each leaf switch is linked to each spine switch.

    Leaves are ``leaf1``, …, with the hosts at ports 1 to ``hosts`` and the spines at the next
    ports; spines are ``spine1``, …, with leaf i at port i. The other arguments are those of
    :func:`fat_tree`.

    Args:
        leaves: the number of leaf switches, 1 to 250.
        spines: the number of spine switches, 1 to 250.
        hosts: the number of hosts on each leaf, 1 to 250; at most 4096 in all.
        spine_rate: the rate of the links between leaves and spines; ``"same"`` means ``rate``.

    Raises:
        TopologyError: an argument is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("leaves", leaves, 1, 250)
    check_size("spines", spines, 1, 250)
    check_size("hosts", hosts, 1, 250)
    check_size("leaves * hosts", leaves * hosts, 1, 4096)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    for number in range(1, leaves + 1):
        plan.switch(f"leaf{number}")
    for number in range(1, spines + 1):
        plan.switch(f"spine{number}")
    for leaf in range(1, leaves + 1):
        plan.hosts_at(f"leaf{leaf}", leaf, hosts)
        for spine in range(1, spines + 1):
            plan.link(f"leaf{leaf}-p{hosts + spine}", f"spine{spine}-p{leaf}", rate=spine_rate)
    return plan.topo


def ring(
    n: int,
    hosts: int = 1,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates ``n`` switches in a ring, with hosts on each.

    Port 1 leads to the previous switch, port 2 to the next, ports from 3 to hosts. The other
    arguments are those of :func:`fat_tree`.

    Args:
        n: the number of switches, 3 to 250.
        hosts: the number of hosts on each switch, 1 to 250; at most 4096 in all.

    Raises:
        TopologyError: an argument is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 3, 250)
    check_size("hosts", hosts, 1, 250)
    check_size("n * hosts", n * hosts, 1, 4096)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(n)
    for number in range(1, n + 1):
        plan.link(f"s{number}-p2", f"s{number % n + 1}-p1")
    for number in range(1, n + 1):
        plan.hosts_at(f"s{number}", number, hosts, first_port=3)
    return plan.topo


def random_regular(
    n: int,
    degree: int = 3,
    hosts: int = 1,
    *,
    seed: int = 1,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates a connected random graph in which each switch has ``degree`` neighbours.

    The graph is as in Jellyfish (Singla and others 2012). Ports 1 to ``degree`` lead to switches,
    the next ports to hosts. Equal arguments give an equal graph. The other arguments are those of
    :func:`fat_tree`.

    Args:
        n: the number of switches, 4 to 250.
        degree: the number of neighbours of each switch, 3 to n - 1; n * degree must be even.
        hosts: the number of hosts on each switch, 1 to 250; at most 4096 in all.
        seed: the seed of the graph.

    Raises:
        TopologyError: an argument is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 4, 250)
    check_size("degree", degree, 3, n - 1)
    check_size("hosts", hosts, 1, 250)
    check_size("n * hosts", n * hosts, 1, 4096)
    if n * degree % 2:
        raise TopologyError(f"n * degree = {n} * {degree} is odd: no graph has {n} nodes of degree {degree}")
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(n)
    ports = dict.fromkeys(range(1, n + 1), 0)
    for a, b in sorted(_regular_edges(n, degree, random.Random(seed))):
        ports[a] += 1
        ports[b] += 1
        plan.link(f"s{a}-p{ports[a]}", f"s{b}-p{ports[b]}")
    for number in range(1, n + 1):
        plan.hosts_at(f"s{number}", number, hosts, first_port=degree + 1)
    return plan.topo


def _regular_edges(n: int, degree: int, choices: random.Random) -> set[tuple[int, int]]:
    """Draws the edges of a connected random regular graph with nodes 1 to n.

    Starts with a graph in which each node is linked to the nearest nodes on a circle. After that,
    swaps the ends of two random edges many times and as long as the result is not connected. This
    Markov chain can reach every simple graph.
    """
    edges = {(a, (a + step - 1) % n + 1) for a in range(1, n + 1) for step in range(1, degree // 2 + 1)}
    if degree % 2:
        # The degree is odd, so n is even, and each node is also linked to the opposite node on the
        # circle.
        edges |= {(a, a + n // 2) for a in range(1, n // 2 + 1)}
    rows = sorted({(min(edge), max(edge)) for edge in edges})
    present = set(rows)
    swaps = 0
    while swaps < 10 * len(rows) or not _is_connected(n, rows):
        swaps += 1
        i, j = choices.sample(range(len(rows)), 2)
        (a, b), (c, d) = rows[i], rows[j]
        if choices.random() < 0.5:
            c, d = d, c
        first, second = (min(a, d), max(a, d)), (min(c, b), max(c, b))
        if len({a, b, c, d}) == 4 and first not in present and second not in present:
            present -= {rows[i], rows[j]}
            present |= {first, second}
            rows[i], rows[j] = first, second
    return present


def _is_connected(n: int, edges: list[tuple[int, int]]) -> bool:
    neighbours: dict[int, list[int]] = {node: [] for node in range(1, n + 1)}
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    reached, open_nodes = {1}, [1]
    while open_nodes:
        for other in neighbours[open_nodes.pop()]:
            if other not in reached:
                reached.add(other)
                open_nodes.append(other)
    return len(reached) == n

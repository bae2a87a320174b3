"""Shapes with at most one path between two hosts: star, chain, dumbbell, tree, parking lot."""

from __future__ import annotations

from weir.topology.route_table import RouteTable
from weir.topology.shapes.plan import HOSTS_PER_NETWORK, Plan, check_size
from weir.topology.topology import Topology

_ROUTES = RouteTable()


def star(
    n: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates ``n`` hosts on one switch, with host n at port n.

    Args:
        n: the number of hosts, 1 to 500.
        rate: the rate of all links.
        delay: the delay of all links.
        queue: the queue at each end, such as ``"100p"``.
        queue_rate: how fast the switches' queues drain: see :meth:`Topology.add_switch`.
        routes: see :attr:`Topology.routes`; ``None`` for no entries.
        layer: 3: hosts send to a gateway; 2: all hosts are in one network.
        ipv6: whether hosts also have an IPv6 address.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 1, 500)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(1)
    for number in range(1, n + 1):
        network, place = divmod(number - 1, HOSTS_PER_NETWORK)
        plan.link(plan.host(network, place + 1), f"s1-p{number}")
    return plan.topo


def chain(
    n: int,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates ``n`` switches in a row, with a host on each: h1 on s1 and so on.

    Port 1 leads to the host, port 2 to the previous switch, port 3 to the next. The other arguments
    are those of :func:`star`.

    Args:
        n: the number of switches, 1 to 250.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 1, 250)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(n)
    for number in range(1, n + 1):
        plan.hosts_at(f"s{number}", number, 1)
    for number in range(1, n):
        plan.link(f"s{number}-p3", f"s{number + 1}-p2")
    return plan.topo


def dumbbell(
    n: int,
    *,
    rate: str | None = "1Gbit",
    middle_rate: str | None = "same",
    edge_delay: str = "1ms",
    middle_delay: str = "5ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates two switches with a link between them, and ``n`` hosts on each switch.

    Hosts h1 to hn are on s1, the others on s2. The other arguments are those of :func:`star`.

    Args:
        n: the number of hosts on each side, 1 to 500.
        middle_rate: the rate of the link between the switches; ``"same"`` means ``rate``.
        edge_delay: the delay of the hosts' links.
        middle_delay: the delay of the link between the switches.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 1, 500)
    plan = Plan(rate, edge_delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(2)
    for side in (1, 2):
        for place in range(n):
            # A network has at most 250 hosts. The networks of s1 have odd numbers.
            network, last = divmod(place, HOSTS_PER_NETWORK)
            plan.link(plan.host(side + 2 * network, last + 1), f"s{side}-p{place + 1}")
    plan.link(f"s1-p{n + 1}", f"s2-p{n + 1}", rate=middle_rate, delay=middle_delay)
    return plan.topo


def tree(
    depth: int,
    fanout: int = 2,
    *,
    rate: str | None = "1Gbit",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates a tree of switches with hosts as its leaves, like Mininet's ``tree``.

    Each switch has ``fanout`` children, at ports 1 to ``fanout``; the next port leads upwards. s1
    is the root. There are ``fanout ** depth`` hosts. The other arguments are those of :func:`star`.

    Args:
        depth: the number of levels of switches, 1 to 10.
        fanout: the number of children of each switch, 2 to 250.

    Raises:
        TopologyError: an argument is out of range, or there are more than 1024 hosts.
        UnitError: a quantity cannot be read.
    """
    check_size("depth", depth, 1, 10)
    check_size("fanout", fanout, 2, 250)
    check_size("fanout ** depth", fanout**depth, 1, 1024)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(sum(fanout**level for level in range(depth)))
    leaves = fanout ** (depth - 1)
    inner = len(plan.topo.switches) - leaves
    for number in range(1, inner + 1):
        for child in range(1, fanout + 1):
            plan.link(f"s{number}-p{child}", f"s{(number - 1) * fanout + child + 1}-p{fanout + 1}")
    for number in range(inner + 1, inner + leaves + 1):
        plan.hosts_at(f"s{number}", number, fanout)
    return plan.topo


def parking_lot(
    n: int,
    *,
    rate: str | None = "1Gbit",
    middle_rate: str | None = "same",
    delay: str = "1ms",
    queue: str | None = None,
    queue_rate: str | None = "auto",
    routes: RouteTable | None = _ROUTES,
    layer: int = 3,
    ipv6: bool = True,
) -> Topology:
    """Creates ``n`` links in a row, with hosts for a flow over all links and for a flow over each
    link.

    The flow over all links goes from h1 to h2, the flow over link i from h(2i+1) to h(2i+2). Link i
    connects si and s(i+1). The topology shows how fairly a flow with several bottlenecks is
    treated. The other arguments are those of :func:`star`.

    Args:
        n: the number of links between switches, 1 to 200.
        middle_rate: the rate of the links between switches; ``"same"`` means ``rate``.

    Raises:
        TopologyError: n is out of range.
        UnitError: a quantity cannot be read.
    """
    check_size("n", n, 1, 200)
    plan = Plan(rate, delay, queue, queue_rate, routes, layer, ipv6)
    plan.switches(n + 1)
    hosts: dict[int, int] = {}

    def add(switch: int) -> None:
        hosts[switch] = hosts.get(switch, 0) + 1
        plan.link(plan.host(switch, hosts[switch]), f"s{switch}-p{hosts[switch] + 2}")

    for number in range(1, n + 1):
        plan.link(f"s{number}-p2", f"s{number + 1}-p1", rate=middle_rate)
    add(1)
    add(n + 1)
    for number in range(1, n + 1):
        add(number)
        add(number + 1)
    return plan.topo

"""A star of two hosts, for tests of links and of commands."""

import weir
from weir.topology import Topology, shapes


def star(**link: object) -> Topology:
    """A topology of h1 and h2 at s1; the options apply to the link of h1."""
    topo = shapes.star(2, rate="10Mbit", delay="1ms")
    a, b = topo.links[0].a, topo.links[0].b
    del topo.links[0]
    topo.add_link(str(a), str(b), rate="10Mbit", delay="1ms", **link)  # type: ignore[arg-type]
    return topo


def ping(net: weir.Network, count: int = 200, interval: str = "50ms", size: int = 56) -> weir.PingResult:
    return net.host("h1").ping("h2", count=count, interval=interval, size=size, timeout="2s")

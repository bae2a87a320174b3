"""Topologies built by hand: large ones, full switches, and data that the caller edits."""

import time
from pathlib import Path

import pytest

from weir import Network
from weir.errors import NetworkError, TopologyError
from weir.topology import Endpoint, HostAddress, HostSpec, InterfaceSpec, LinkSpec, Topology

ROUTER = Path(__file__).parent / "net" / "router.p4"


def test_ports_that_the_program_does_not_have_are_refused_with_the_largest():
    for port, reason in [("511", "511"), ("600", "510")]:
        topo = Topology()
        topo.add_switch("s1")
        topo.add_host("h1", ip="10.0.0.1/24")
        topo.add_host("h2", ip="10.0.0.2/24")
        topo.add_link("h1", "s1-p0")
        assert str(topo.add_link("h2", f"s1-p{port}")) == f"h2 <-> s1-p{port}"
        with pytest.raises(NetworkError, match=rf"s1.*{port}.*{reason}"):
            Network(topo, p4=ROUTER)
    with pytest.raises(TopologyError, match=r"port 4294967296 is out of range"):
        topo.add_link("h1", "s1-p4294967296")


def test_the_time_to_build_a_topology_grows_with_its_size():
    def seconds(hosts: int) -> float:
        begin = time.process_time()
        topo = Topology()
        for switch in range(0, hosts, 100):
            topo.add_switch(f"s{switch}")
        for number in range(hosts):
            topo.add_host(f"h{number}", ip=f"10.{number >> 12}.{number >> 6 & 63}.{number & 63 | 64}/32")
            topo.add_link(f"h{number}", f"s{number // 100 * 100}")
        return time.process_time() - begin

    # Eight times as many links take about eight times as long; comparing each link with all others
    # would take 64 times as long.
    small, large = (min(seconds(hosts) for _ in range(3)) for hosts in (250, 2000))
    assert large < 24 * small


def test_topologies_may_be_edited_while_they_are_built():
    topo = Topology()
    for name, last in (("h1", 1), ("h2", 2)):
        topo.add_host(name, ip=f"10.0.0.{last}/24")
    topo.add_switch("s1")
    topo.add_link("h1", "s1-p1")
    # Removed ports are free, and added ports are not.
    del topo.hosts["h2"]
    topo.add_host("h3", ip="10.0.0.2/24", mac="08:00:00:00:00:02")
    topo.hosts["h3"].interfaces[0].addresses[0] = HostAddress("10.0.0.3", 24)
    topo.add_host("h4", ip="10.0.0.2/24")
    topo.hosts["h5"] = HostSpec("h5", [InterfaceSpec("08:00:00:00:00:05", [HostAddress("10.0.0.5", 24)])])
    with pytest.raises(TopologyError, match=r"h5 already has the address 10.0.0.5"):
        topo.add_host("h6", ip="10.0.0.5/24")
    topo.links.append(LinkSpec(Endpoint("h3"), Endpoint("s1", 2)))
    assert str(topo.add_link("h4", "s1")) == "h4 <-> s1-p3"
    topo.links[0] = LinkSpec(Endpoint("h1"), Endpoint("s1", 9))
    assert topo.link("s1", "h1") is topo.links[0]
    with pytest.raises(TopologyError, match="port 9 of s1 is already linked"):
        topo.add_link("h5", "s1-p9")
    assert topo.ports("s1") == [2, 3, 9]

"""Frames longer than 1500 bytes between real hosts, over links with a rate."""

from linux_networks import ROUTER, fill

import weir


def test_jumbo_frames_pass_slow_links(namespaces: list[str]) -> None:
    topology = weir.Topology()
    for number in (1, 2):
        near, mac = f"10.0.{number}.254", f"08:00:00:00:0{number}:00"
        topology.add_host(
            f"h{number}", f"10.0.{number}.{number}/24", gateway=near, arp={near: mac}, mtu="9000B"
        )
    topology.add_switch("s1")
    for host in ("h1", "h2"):
        # The kernel drops packets that are larger than the bucket of their rate.
        topology.add_link(host, "s1", rate="10Mbit")
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        assert net.host("h1").ping("h2", count=2, size=8900, interval="100ms", timeout="5s").received == 2

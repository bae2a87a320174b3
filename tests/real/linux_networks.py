"""Helpers for tests of the Linux world: networks, and waiting."""

import time
from pathlib import Path

import weir

ROUTER = Path(__file__).parent.parent / "net" / "router.p4"
PATIENCE = 30.0
"""Seconds after which a test gives up."""


def two_hosts(**link: str) -> weir.Topology:
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.254", arp={"10.0.1.254": "08:00:00:00:01:00"})
    topology.add_host("h2", ip="10.0.2.2/24", gateway="10.0.2.254", arp={"10.0.2.254": "08:00:00:00:02:00"})
    topology.add_switch("s1")
    topology.add_link("h1", "s1", **link)
    topology.add_link("h2", "s1", **link)
    return topology


def fill(net: weir.Network) -> None:
    table = net.switch("s1").table("ipv4_lpm")
    for number, host in enumerate(net.hosts, 1):
        table.insert(
            {"hdr.ipv4.dstAddr": f"{host.ip}/32"}, "ipv4_forward", {"dstAddr": host.mac, "port": number}
        )


def eventually(condition, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def until(net: weir.Network, condition) -> None:
    """Lets time pass until a condition is true."""
    eventually(lambda: (net.run_for("5ms"), condition())[1])

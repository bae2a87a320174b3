"""A TNA program as a switch in a network."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.topology import Topology

PROGRAM = Path(__file__).parent / "net" / "tna_wire.p4"


def wire() -> Topology:
    topology = Topology()
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_link(f"h{number}", f"s1-p{number}", rate="100Mbit")
    topology.routes = None
    return topology


@pytest.mark.parametrize("executor", ["native", "interp"])
def test_hosts_reach_each_other_through_a_tna_switch(executor: str) -> None:
    with weir.Network(wire(), p4=PROGRAM, executor=executor) as net:
        switch = net.switch("s1")
        for port, other in ((1, 2), (2, 1)):
            switch.table("Wire.wires").insert({"port": port}, "Wire.forward", {"port": other})
        assert net.host("h1").ping("h2", count=3, interval="10ms").received == 3
        assert switch.register("Wire.packets").read(1) >= 3
        flow = net.host("h1").iperf("h2", duration="1s")
        assert 90 < flow.goodput_mbps < 96

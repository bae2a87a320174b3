"""A PSA program as a switch in networks of both worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.topology import Topology

PROGRAM = Path(__file__).parent / "net" / "psa_wire.p4"


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
def test_hosts_reach_each_other_through_a_psa_switch(executor: str) -> None:
    with weir.Network(wire(), p4=PROGRAM, executor=executor) as net:
        assert net.host("h1").ping("h2", count=3, interval="10ms").received == 3
        flow = net.host("h1").iperf("h2", duration="1s")
        assert 90 < flow.goodput_mbps < 96


def test_controllers_do_not_see_annotations_for_messages() -> None:
    info = weir.compile(PROGRAM).p4info().decode()
    assert 'name: "send_to_port"' in info
    assert "@usage" not in info and "@other_names" not in info

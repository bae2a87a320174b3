"""A PNA program as a NIC in a network: entries that packets add let answers pass, and expire."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.p4runtime import Client, ServerOptions
from weir.topology import Topology

PROGRAM = Path(weir.__file__).parent / "lab/templates/pna/firewall.p4"


def network() -> Topology:
    topology = Topology()
    topology.add_host("inside", ip="10.0.0.1/24")
    topology.add_host("outside", ip="10.0.0.2/24")
    topology.add_switch("nic")
    # Ports from 256 on are those of the host.
    topology.add_link("inside", "nic-p300", rate="100Mbit")
    topology.add_link("outside", "nic-p1", rate="100Mbit")
    topology.routes = None
    return topology


@pytest.mark.parametrize("executor", ["native", "interp"])
def test_answers_pass_until_the_entry_of_the_flow_expires(executor: str) -> None:
    with weir.Network(network(), p4=PROGRAM, executor=executor) as net:
        inside, outside = net.host("inside"), net.host("outside")
        flows = net.switch("nic").table("flows")
        assert outside.ping("inside", count=3, interval="10ms").received == 0
        assert flows.entries() == []
        assert inside.ping("outside", count=3, interval="10ms").received == 3
        (entry,) = flows.entries()
        assert (entry.match, entry.idle_timeout) == ({"outside": "167772162", "inside": "167772161"}, "10s")
        assert outside.ping("inside", count=3, interval="10ms").received == 3
        net.run_for("11s")
        assert flows.entries() == []
        assert outside.ping("inside", count=3, interval="10ms").received == 0


def test_controllers_see_and_delete_entries_that_packets_add() -> None:
    server = ServerOptions("127.0.0.1:0")
    with (
        weir.Network(network(), p4=PROGRAM, p4runtime=server) as net,
        Client(net.p4runtime.address("nic")) as client,
    ):
        net.host("inside").ping("outside", count=1)
        (entry,) = client.table("flows").entries()
        assert (entry.action, entry.idle_timeout) == ("Guard.known", "10s")
        client.table("flows").delete({"outside": "10.0.0.2", "inside": "10.0.0.1"})
        assert net.switch("nic").table("flows").entries() == []
        assert net.host("outside").ping("inside", count=1).received == 0
        with pytest.raises(weir.ControlError, match="is for the default of table"):
            client.table("flows").insert({"outside": 1, "inside": 2}, "miss", {})


def test_controllers_learn_that_entries_have_time_outs() -> None:
    info = weir.compile(PROGRAM).p4info().decode()
    assert 'arch: "pna"' in info
    assert "idle_timeout_behavior: NOTIFY_CONTROL" in info

"""Switches that wait for a P4Runtime controller to send their program."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from command import weir as run_weir
from weir.errors import ControlError, NetworkError
from weir.p4runtime import Client, ServerOptions
from weir.topology import shapes

NET = Path(__file__).parent / "net"


@pytest.fixture
def net() -> Iterator[weir.Network]:
    """A network of two hosts at a switch that waits for a program."""
    topo = weir.Topology()
    for number in (1, 2):
        other = {f"10.0.1.{3 - number}": f"08:00:00:00:00:0{3 - number}"}
        topo.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}", arp=other)
    topo.add_switch("s1", cpu_port=510)
    for number in (1, 2):
        topo.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topo, p4runtime=ServerOptions("127.0.0.1:0")) as network:
        yield network


@pytest.fixture
def client(net: weir.Network) -> Iterator[Client]:
    """A controller of the switch."""
    with Client(net.p4runtime.address("s1")) as found:
        yield found


def test_packets_before_the_program_are_dropped_and_counted(net: weir.Network, client: Client):
    s1 = net.switch("s1")
    assert not client.has_program
    assert (s1.has_program, s1.program.path, s1.tables) == (False, "(no program yet)", {})
    s1.trace()
    assert net.host("h1").ping("h2", count=3, interval="10ms", timeout="100ms").received == 0
    assert [(drop.place, drop.reason, drop.packets) for drop in net.audit().drops] == [
        ("s1 input", "no program yet", 3)
    ]
    assert "no program yet" in str(s1.journeys()[0])
    client.set_program(NET / "controller.p4")
    assert s1.has_program
    assert (Path(s1.program.path).name, list(s1.tables)) == ("controller.p4", ["MyIngress.stations"])
    for number in (1, 2):
        client.table("stations").insert(
            {"hdr.ethernet.dst": f"08:00:00:00:00:0{number}"}, "to_port", {"port": number}
        )
    assert net.host("h1").ping("h2", count=3, interval="10ms").received == 3


def test_a_shape_may_wait():
    """The entries of the switch are not computed before it has a program."""
    with weir.Network(shapes.star(2), p4runtime=ServerOptions("127.0.0.1:0")) as net:
        assert not net.switch("s1").has_program
        with Client(net.p4runtime.address("s1")) as client:
            client.set_program("router")
            assert [len(table) for table in client.tables.values()] == [0, 0]


def test_a_client_says_that_there_is_no_program(net: weir.Network, client: Client):
    for act in (
        lambda: client.tables,
        lambda: client.table("stations"),
        lambda: client.set_multicast_group(1, [1]),
        lambda: client.clone_sessions(),
        lambda: client.digests(),
        lambda: client.packets_in(),
        lambda: client.packet_out(b""),
    ):
        with pytest.raises(ControlError, match="has no program yet: send one with set_program"):
            act()
    with pytest.raises(ControlError, match="p4_device_config is empty, and no program runs yet"):
        client._client.set_program("verify_and_commit", (b"", b""), None)
    assert not net.switch("s1").has_program


def test_programs_are_saved_and_committed(net: weir.Network, client: Client):
    client.set_program(NET / "controller.p4", "verify_and_save")
    client.table("stations").insert({"hdr.ethernet.dst": 1}, "to_port", {"port": 1})
    assert not net.switch("s1").has_program
    client.set_program(None, "commit")
    assert net.switch("s1").has_program
    assert len(net.switch("s1").table("stations")) == 1


def test_only_switches_without_a_program_wait():
    topo = weir.Topology()
    topo.add_switch("s1", p4=NET / "controller.p4")
    topo.add_switch("s2")
    topo.add_link("s1-p1", "s2-p1")
    with weir.Network(topo, p4runtime=ServerOptions("127.0.0.1:0")) as net:
        assert [switch.has_program for switch in net.switches] == [True, False]
        for name, device in (("s1", 0), ("s2", 1)):
            with Client(net.p4runtime.address(name), device) as client:
                assert client.has_program == net.switch(name).has_program


def test_entries_need_a_program(tmp_path: Path):
    entries = tmp_path / "entries.json"
    entries.write_text("{}")
    topo = weir.Topology()
    topo.add_switch("s1", entries=entries)
    with pytest.raises(NetworkError, match="switch s1 has entries but no P4 program"):
        weir.Network(topo, p4runtime=ServerOptions("127.0.0.1:0"))


def test_the_command_says_which_switches_wait(tmp_path: Path):
    topology = tmp_path / "one.json"
    hosts = {"h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:00:01"}}
    topology.write_text(json.dumps({"hosts": hosts, "switches": {"s1": {}}, "links": [["h1", "s1-p1"]]}))
    code, out, err = run_weir("run", topology, "--p4runtime", "127.0.0.1:0", "-c", "nodes", "-c", "tables s1")
    assert code == 0
    assert err.endswith("device 0, waits for a program\n")
    assert "(no program yet)" in out


def test_an_unknown_attribute_is_named(client: Client):
    with pytest.raises(AttributeError, match="'Client' object has no attribute 'tabels'") as caught:
        client.tabels  # noqa: B018
    assert caught.value.name == "tabels"

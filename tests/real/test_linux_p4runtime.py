"""Controllers of the switches of the Linux world, in other processes or in this one."""

import re
import signal
import subprocess
import sys

import pytest
from linux_networks import ROUTER

import weir
from weir.errors import ControlError, NetworkError
from weir.p4runtime import Client

pytestmark = pytest.mark.usefixtures("namespaces")


def test_each_switch_has_its_own_p4runtime(net: weir.Network):
    with weir.p4runtime.Client(net.switch("s1").p4runtime, election_id=2) as other:
        assert other.is_primary
        assert len(other.table("ipv4_lpm").entries()) == 2


def two_switches() -> weir.Topology:
    topology = weir.Topology()
    for number, name in enumerate(("s1", "s2"), 1):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24")
        topology.add_switch(name)
        topology.add_link(f"h{number}", name)
    topology.add_link("s1", "s2")
    return topology


def test_controllers_reach_switches_at_ports_of_this_computer(namespaces: list[str]):
    options = weir.ServerOptions("127.0.0.1:0", port_each=True, first_device_id=3)
    with weir.Network(two_switches(), ROUTER, world="linux", p4runtime=options) as network:
        server = network.p4runtime
        address = server.address("s2")
        assert [server.device_id(name) for name in ("s1", "s2")] == [3, 4]
        assert address.startswith("127.0.0.1:") and address != server.address("s1")
        key = {"hdr.ipv4.dstAddr": "10.0.0.9/32"}
        with weir.p4runtime.Client(address, device_id=4) as controller:
            # The first election id, as in the public tutorials' controllers.
            assert controller.is_primary
            controller.set_program("l2_switch")
            controller.set_program(ROUTER)
            controller.table("ipv4_lpm").insert(key, "drop")
            # The network's own connection writes as well.
            table = network.switch("s2").table("ipv4_lpm")
            assert [entry.action for entry in table.entries()] == ["MyIngress.drop"]
            table.delete(key)
            assert controller.table("ipv4_lpm").entries() == []
        # Its next one is primary again.
        with weir.p4runtime.Client(address, device_id=4) as controller:
            assert controller.is_primary
        with pytest.raises(NetworkError, match="there is no switch"):
            server.address("s3")
    with pytest.raises(ControlError):
        weir.p4runtime.Client(address, device_id=4, timeout="2s")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (True, "each switch needs a port of its own"),
        ({"port_each": True, "texts": {}}, None),
        ({"port_each": True, "lockstep": True}, "does not have lockstep of P4Runtime servers"),
        ({"address": "0.0.0.0:0", "port_each": True}, "other computers may reach"),
        ({"address": "unix:x", "port_each": True}, "."),
        ({"address": "127.0.0.1:99999", "port_each": True}, "."),
        ({"address": "192.0.2.1:0", "port_each": True, "plaintext": True}, "Cannot assign requested address"),
    ],
)
def test_servers_that_the_linux_world_does_not_have(options, message: str | None, namespaces: list[str]):
    given = options if options is True else weir.ServerOptions(**{"address": "127.0.0.1:0"} | options)
    if message is None:
        with weir.Network(two_switches(), ROUTER, world="linux", p4runtime=given):
            return
    with pytest.raises(NetworkError, match=message):
        weir.Network(two_switches(), ROUTER, world="linux", p4runtime=given)


def test_the_command_line_serves_until_it_is_interrupted(namespaces: list[str]):
    command = [sys.executable, "-m", "weir", "run", "--shape", "star:2", "--p4", ROUTER, "--world", "linux"]
    command += ["--p4runtime", "127.0.0.1:0", "--port-each", "-c", "wait"]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        said = re.search(r"P4Runtime at (\S+), device 0", running.stderr.readline())
        try:
            for _ in range(2):
                with Client(said.group(1), timeout="5s") as controller:
                    controller.run_for("300ms")
                    assert controller.is_primary
        finally:
            running.send_signal(signal.SIGINT)
            try:
                out, err = running.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
    assert (running.returncode, err) == (0, "")
    assert re.fullmatch(r"the network's time is \S+\n", out)

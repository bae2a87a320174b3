"""Public P4Runtime clients control switches of a network, each from its own virtual environment."""

import subprocess
import time
from pathlib import Path

import pytest
from client_process import Start

import weir
from weir.dropin import shims
from weir.p4runtime import ServerOptions

HERE = Path(__file__).parent
ROUTER = HERE.parent / "net" / "router.p4"
BRIDGE = HERE / "bridge.p4"
LEARNING = Path(weir.__file__).parent / "examples" / "learning" / "learning.p4"


def serve(topology: weir.Topology, program: Path, **options: object) -> weir.Network:
    """Serves a network with a program, which its controller may send again."""
    served = ServerOptions("127.0.0.1:0", include=[program.parent], **options)
    return weir.Network(topology, program, p4runtime=served)


def routed() -> weir.Topology:
    """The topology h1 - s1 - h2, with a gateway in each network."""
    topo = weir.Topology()
    for number in (1, 2):
        gateway = f"10.0.{number}.254"
        topo.add_host(
            f"h{number}",
            f"10.0.{number}.{number}/24",
            f"08:00:00:00:0{number}:{number}{number}",
            gateway=gateway,
            arp={gateway: "08:00:00:00:ff:01"},
        )
    topo.add_switch("s1")
    for number in (1, 2):
        topo.add_link(f"h{number}", f"s1-p{number}")
    return topo


CLIENTS = ("shell", "p4runtime-shell"), ("finsy", "finsy"), ("tutorial", "p4runtime")
"""How the clients' scripts begin, and the environments that they run in."""


@pytest.mark.parametrize(("name", "client"), CLIENTS)
def test_a_client_drives_a_router(name: str, client: str, start: Start):
    with serve(routed(), ROUTER) as net:
        controller = start(client, f"{name}_router.py", ROUTER, net)
        seen = controller.step()
        assert seen["version"] == "1.5.0"
        assert "ALREADY_EXISTS" in seen["refused"]
        h1 = net.host("h1")
        assert h1.ping("h2", count=2).received == 2
        table = net.switch("s1").table("acl")
        assert not table.entries()

        seen = controller.step()
        assert len(seen["acl"]) == 1
        assert seen["routes"] == 2
        assert len(table.entries()) == 1
        assert h1.ping("h2", count=1, timeout="10ms").received == 0

        assert controller.step()["routes"] == 1
        assert not table.entries()
        assert h1.ping("h2", count=2).received == 2
        controller.finish()


def joined(hosts: int, **options: object) -> weir.Topology:
    """The topology of a switch with hosts of one network."""
    topo = weir.Topology()
    addresses = {f"10.0.1.{number}": f"08:00:00:00:00:0{number}" for number in range(1, hosts + 1)}
    for number, (address, mac) in enumerate(addresses.items(), 1):
        others = {ip: other for ip, other in addresses.items() if ip != address}
        topo.add_host(f"h{number}", f"{address}/24", mac, arp=others)
    topo.add_switch("s1", **options)
    for number in range(1, hosts + 1):
        topo.add_link(f"h{number}", f"s1-p{number}")
    return topo


FRAME = bytes.fromhex("080000000002 080000000001 88b5") + bytes(range(50))
"""A frame from h1 to h2, with an EtherType for experiments."""


@pytest.mark.parametrize(("name", "client"), CLIENTS)
def test_a_client_exchanges_packets_and_reads_counters_and_registers(name: str, client: str, start: Start):
    with serve(joined(2, cpu_port=510), BRIDGE) as net:
        h1, s1 = net.host("h1"), net.switch("s1")
        controller = start(client, f"{name}_bridge.py", BRIDGE, net)
        controller.step()
        assert h1.ping("h2", count=1, timeout="10ms").received == 0
        assert controller.step()["last_type"] == 0x800

        assert h1.ping("h2", count=3).received == 3
        seen = controller.step()
        count = s1.counter("received")[1]
        assert seen["received"] == [count.packets, count.bytes] == [4, 4 * 98]
        assert seen["cells"] == 8
        assert seen["forwarded"] == 3

        sniffer = net.sniff("h2")
        h1.send(FRAME)
        net.run_for("1ms")
        assert not sniffer.frames
        seen = controller.step()
        assert seen == {"metadata": [1, 7], "payload": FRAME.hex()}
        assert arrival(net, sniffer) == FRAME
        controller.finish()


def arrival(net: weir.Network, sniffer: weir.Sniffer) -> bytes:
    """The next frame at a sniffer; a controller in another process has sent it."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        net.run_for("1ms")
        if sniffer.frames:
            return sniffer.frames[0].data
    raise AssertionError("no frame came")


@pytest.mark.parametrize(("name", "client"), CLIENTS)
def test_a_client_floods_by_multicast_and_learns_from_digests(name: str, client: str, start: Start):
    with serve(joined(3), LEARNING) as net:
        h1, s1 = net.host("h1"), net.switch("s1")
        controller = start(client, f"{name}_learner.py", LEARNING, net)
        assert controller.step() == {"groups": [[1, 2, 3]]}

        sniffer = net.sniff("h3")
        assert h1.ping("h2", count=1).received == 1
        net.run_for("1ms")
        # The answer is flooded too, unless the controller has been faster.
        flooded = len(sniffer.frames)
        assert flooded in (1, 2)
        assert controller.step() == {"learned": [[0x080000000001, 1], [0x080000000002, 2]]}
        assert len(s1.table("sources")) == len(s1.table("destinations")) == 2

        assert controller.step() == {"groups": []}
        assert h1.ping("h2", count=2).received == 2
        assert len(sniffer.frames) == flooded
        assert h1.ping("h3", count=1, timeout="10ms").received == 0
        controller.finish()


def round_trips(start: Start) -> list[int | None]:
    """Round-trip times of pings that a controller in lock-step forwards, in nanoseconds."""
    with serve(joined(2, cpu_port=510), BRIDGE, lockstep=True) as net:
        controller = start("p4runtime", "tutorial_lockstep.py", BRIDGE, net)
        controller.step()
        controller.go_on()
        result = net.host("h1").ping("h2", count=10, interval="10ms")
        controller.finish()
        return [reply.rtt_ns for reply in result.replies]


def test_runs_with_a_client_in_lockstep_repeat_exactly(start: Start):
    first = round_trips(start)
    assert len(first) == 10
    assert round_trips(start) == first


def test_the_stand_ins_have_the_module_that_the_tutorials_import(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shims.install(tmp_path / "shims")
    modules = tmp_path / "shims" / shims.MODULES
    monkeypatch.setenv("PYTHONPATH", str(modules))
    with serve(routed(), ROUTER) as net:
        controller = start("p4runtime", "tutorial_program.py", ROUTER, net)
        seen = controller.step()
        assert seen["fields"] == ["reassign", "extras", "device_data"]
        assert Path(seen["module"]) == modules / "p4" / "tmp" / "p4config_pb2.py"
        controller.finish()


@pytest.mark.parametrize("client", ["p4runtime", "finsy"])
def test_that_module_runs_with_old_and_new_protobuf(
    client: str, interpreters: dict[str, Path], tmp_path: Path
):
    shims.install(tmp_path)
    script = (
        "from p4.tmp.p4config_pb2 import P4DeviceConfig\n"
        "print(P4DeviceConfig(reassign=True, device_data=b'x').SerializeToString().hex())"
    )
    environment = {"PYTHONPATH": str(tmp_path / shims.MODULES)}
    ended = subprocess.run(
        [interpreters[client], "-c", script], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "08011a0178\n", "")

"""The guide about FRR: its network reroutes when a link fails, and its agent follows the kernel."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from linux_networks import eventually

import needed
import weir

FRR = Path(__file__).parents[2] / "docs" / "how-to" / "frr"
pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.mark.slow
def test_the_network_of_the_guide_reroutes():
    needed.need("vtysh", "ping", required="WEIR_REQUIRE_FRR")
    needed.module("pyroute2", required="WEIR_REQUIRE_FRR")
    if os.geteuid() != 0:
        needed.skip("FRR changes to its own user, which only root can", "WEIR_REQUIRE_FRR")
    # FRR's user cannot enter pytest's folders.
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, FRR / "network.py", folder]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
        logs = "".join(f"── {log.name}\n{log.read_text()}" for log in Path(folder).glob("*.log"))
    assert ended.returncode == 0, ended.stdout + ended.stderr + logs
    addresses = re.findall(
        r"  10\.0\.2\.0/24 -> RouterIngress\.to_gateway \{'gateway': '(\S+)', 'out_port': '(\d)'\}, after .* s\n"
        r"  10 pings: (\d+) answers, (\d+) packets used this entry\n",
        ended.stdout,
    )
    assert addresses == [
        ("10.0.12.2", "2", "10", "10"),
        ("10.0.13.3", "3", "10", "10"),
        ("10.0.12.2", "2", "10", "10"),
    ]


@pytest.fixture(scope="module")
def guide():
    """The guide's program."""
    spec = importlib.util.spec_from_file_location("frr_network", FRR / "network.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def followed(guide, tmp_path: Path):
    """The guide's network with its agent, but without FRR, and a function that reads a table."""
    needed.module("pyroute2", required="WEIR_REQUIRE_FRR")
    with weir.Network.load(FRR / "topology.json", world="linux") as net:
        guide.start_agent(net, tmp_path)

        def entries(table: str) -> dict[str, tuple[str, dict[str, str]]]:
            return {
                " ".join(entry.match.values()): (entry.action.rpartition(".")[2], entry.params)
                for entry in net.switch("s1").table(table).entries()
            }

        eventually(lambda: "changes" in (tmp_path / "agent.log").read_text())
        yield net, entries


def test_the_agent_follows_interfaces_routes_and_neighbours(followed):
    net, entries = followed
    computer = net.host("c1")
    routes = entries("routes")
    assert routes["10.0.12.0/24"] == ("to_network", {"out_port": "2"})
    assert routes["10.0.12.1/32"] == ("computer", {})
    assert sorted(key.split()[0] for key in entries("interfaces")) == ["1", "2", "3"]
    assert {key: params["mac"] for key, (_, params) in entries("sources").items()} == {
        key.split()[0]: key.split()[1] for key in entries("interfaces")
    }
    computer.cmd("ip route add 10.1.0.0/16 via 10.0.12.2")
    eventually(lambda: "10.1.0.0/16" in entries("routes"))
    assert entries("routes")["10.1.0.0/16"] == ("to_gateway", {"gateway": "10.0.12.2", "out_port": "2"})
    computer.cmd("ip route replace 10.1.0.0/16 via 10.0.13.3")
    eventually(lambda: entries("routes")["10.1.0.0/16"][1] == {"gateway": "10.0.13.3", "out_port": "3"})
    # The route with the lowest metric counts, and of several paths the first.
    computer.cmd("ip route add 10.1.0.0/16 via 10.0.12.2 metric 50")
    computer.cmd("ip route add 10.2.0.0/16 nexthop via 10.0.12.2 nexthop via 10.0.13.3")
    computer.cmd("ip route add unreachable 10.3.0.0/16")
    eventually(lambda: "10.3.0.0/16" in entries("routes"))
    routes = entries("routes")
    assert routes["10.1.0.0/16"][1]["gateway"] == "10.0.13.3"
    assert routes["10.2.0.0/16"][1]["gateway"] == "10.0.12.2"
    assert routes["10.3.0.0/16"] == ("computer", {})
    computer.cmd("ip neigh replace 10.0.12.2 lladdr 02:00:00:00:00:99 dev eth1 nud permanent")
    eventually(lambda: "2 10.0.12.2" in entries("neighbours"))
    assert entries("neighbours")["2 10.0.12.2"] == ("send", {"mac": "02:00:00:00:00:99"})
    computer.cmd("ip neigh del 10.0.12.2 dev eth1")
    eventually(lambda: "2 10.0.12.2" not in entries("neighbours"))
    # Linux removes the routes of an interface without a message for each.
    computer.cmd("ip link set eth1 down")
    eventually(lambda: "10.0.12.0/24" not in entries("routes"))
    assert sorted(entries("sources")) == ["1", "3"]
    assert entries("routes")["10.1.0.0/16"][1]["gateway"] == "10.0.13.3"


def test_a_burst_of_routes_arrives_whole(followed, tmp_path: Path):
    net, _ = followed
    lines = [f"route add 10.{100 + i // 250}.{i % 250}.0/24 via 10.0.12.2\n" for i in range(2000)]
    (tmp_path / "routes").write_text("".join(lines))
    before = len(net.switch("s1").table("routes"))
    net.host("c1").cmd(f"ip -batch {tmp_path}/routes")
    eventually(lambda: len(net.switch("s1").table("routes")) == before + 2000)


def test_a_host_without_entries_reaches_its_neighbours_over_the_computer(followed):
    """The computer answers ARP and pings, and forwards what the tables do not know."""
    net, _ = followed
    net.host("c1").cmd("sysctl -w net.ipv4.ip_forward=1")
    for router in ("r2", "r3"):
        net.host(router).cmd("ip route add 10.0.1.0/24 dev eth0")
    net.host("r2").cmd("ip route replace 10.0.1.0/24 via 10.0.12.1")
    pings = [net.host("h1").ping(target, count=3, interval="50ms") for target in ("10.0.1.254", "10.0.12.2")]
    assert [ping.received for ping in pings] == [3, 3]
    trace = net.host("h1").cmd("ping -c 1 -t 1 10.0.12.2")
    assert "From 10.0.1.254" in trace and "Time to live exceeded" in trace

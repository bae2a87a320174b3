"""Families, types of service and reasons of losses with real hosts."""

from time import monotonic

import pytest
from linux_networks import ROUTER, fill, two_hosts

import weir
from weir.cli.shell.shell import Shell
from weir.errors import NetworkError

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture(scope="module")
def both(namespaces: list[str]):
    """Two hosts with IPv4 and IPv6 behind a switch that floods."""
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24", ip6=f"2001:db8::{number}/64")
        topology.add_link(f"h{number}", f"s1-p{number}", rate="100Mbit", delay="100us")
    with weir.Network(topology, "l2_switch", world="linux") as network:
        yield network


def classes(net: weir.Network, sender: str, measure) -> list[int]:
    """The types of service of the IP packets that one host sends meanwhile, but for NDP."""
    mac, found = bytes.fromhex(net.host(sender).mac.replace(":", "")), []
    seen = net.sniff(sender)
    measure(net.host("h1"))
    for frame in seen.stop():
        kind = int.from_bytes(frame.data[12:14], "big")
        if frame.data[6:12] != mac or (
            kind == 0x86DD and (frame.data[20] == 0 or frame.data[54] in range(133, 137))
        ):
            continue
        if kind in (0x0800, 0x86DD):
            word = int.from_bytes(frame.data[14:16], "big")
            found.append(frame.data[15] if kind == 0x0800 else word >> 4 & 0xFF)
    return found


KINDS = {
    "ping": lambda h1, **options: h1.ping("h2", count=2, interval="10ms", **options),
    "UDP": lambda h1, **options: h1.iperf("h2", udp=True, count=3, rate="10Mbit", **options),
    "datagrams": lambda h1, **options: h1.requests("h2", count=2, udp=True, **options),
    "TCP": lambda h1, **options: h1.iperf("h2", size="20kB", **options),
    "requests": lambda h1, **options: h1.requests("h2", count=2, **options),
}


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_traffic(both: weir.Network, kind: str, family: int):
    sent = classes(both, "h1", lambda h1: KINDS[kind](h1, family=family, tos=184))
    assert sent and set(sent) == {184}


@pytest.mark.parametrize("kind", ["ping", "datagrams", "requests"])
def test_answers(both: weir.Network, kind: str):
    answers = classes(both, "h2", lambda h1: KINDS[kind](h1, tos=184))
    # The first packets of a connection come from the kernel before its program accepts.
    assert 184 in answers and set(answers) <= {0, 184}


def test_reverse_flows(both: weir.Network):
    for kind in ("UDP", "TCP"):
        assert 72 in classes(both, "h2", lambda h1, kind=kind: KINDS[kind](h1, reverse=True, tos=72))


def test_a_table_that_missed(namespaces: list[str]):
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        result = net.host("h1").ping("h2", count=2, interval="10ms", timeout="200ms")
        assert result.received == 0 and result.why is not None
        assert "the program of s1 dropped 2 packets in ingress" in result.why
        assert (
            "table MyIngress.ipv4_lpm (no entries) missed 2 times and ran its default, MyIngress.drop"
            in result.why
        )
        fill(net)
        assert net.host("h1").ping("h2", count=1).why is None


def test_nothing_but_the_hosts_sends(namespaces: list[str]):
    # Frames of this pair of links go through a process of ours, whose ends are interfaces too.
    with weir.Network(two_hosts(rate="10Mbit", delay="100us"), ROUTER, world="linux") as net:
        seen = net.sniff(["h1", "h2"])
        result = net.host("h1").ping("h2", count=1, timeout="200ms")
        net.run_for("3s")
        macs = {bytes.fromhex(host.mac.replace(":", "")) for host in net.hosts}
        assert [frame for frame in seen.stop() if frame.data[6:12] not in macs] == []
    # The first packet counts too: counts are read before it is sent.
    assert result.why is not None and "dropped 1 packet in ingress: table MyIngress.ipv4_lpm" in result.why


def test_ping6_is_the_prompts_own(namespaces: list[str], capsys):
    topology = two_hosts(rate="10Mbit", delay="100us")
    with weir.Network(topology, ROUTER, world="linux") as net:
        shell = Shell(net)
        for line in ("h1 ping6 h2", "h1 traceroute6 h2"):
            assert not shell.run(line)
            assert "h2 has no IPv6 address" in capsys.readouterr().err


def test_a_link_that_loses(namespaces: list[str]):
    topology = two_hosts(rate="10Mbit", delay="100us")
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        assert net.host("h1").ping("h2", count=1).received == 1
        net.link("h2", "s1").loss = "100%"
        why = net.host("h1").ping("h2", count=40, interval="2ms", timeout="200ms").why
    assert why is not None and why.startswith("the link from s1-p2 to h2-eth0 lost 40 packets on the wire")


def test_no_route(namespaces: list[str]):
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        net.host("h1").cmd("ip route del default")
        assert net.host("h1").ping("192.0.2.1", count=1).why == "h1 has no route to 192.0.2.1."


def test_connections_to_a_host_that_is_silent_end_soon_and_say_why(namespaces: list[str]):
    topology = two_hosts()
    # The kernel's rules hold again at a host that has others than the usual.
    topology.hosts["h2"].sysctls.append(("net.ipv4.tcp_syn_retries", "1"))
    with weir.Network(topology, ROUTER, world="linux") as net:
        h1, h2 = net.host("h1"), net.host("h2")
        begun = monotonic()
        back = h2.start_iperf("h1", size="1kB")
        requests, flow = h1.start_requests("h2", count=1), h1.start_iperf("h2", size="1kB")
        with pytest.raises(
            NetworkError, match=r"h2 to h1, .*: nobody answered. Why: the program of s1 dropped"
        ):
            back.wait()
        assert monotonic() - begun < 12
        with pytest.raises(
            NetworkError, match=r"h1 to h2, .*: nobody answered. Why: the program of s1 dropped"
        ):
            flow.wait()
        assert 14 < monotonic() - begun < 25
        result = requests.wait()
        assert monotonic() - begun < 25
        assert [row.failure for row in result.exchanges] == ["timed out"]
        assert result.why is not None and "missed" in result.why


def test_an_open_connection_waits_as_long_as_the_kernel_does(namespaces: list[str]):
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        fill(net)
        flow = net.host("h1").start_iperf("h2", duration="20s", rate="1Mbit")
        net.run_for("300ms")
        net.link("h2", "s1").up = False
        net.run_for("17s")
        net.link("h2", "s1").up = True
        result = flow.wait()
        assert result.streams[0].outcome == "closed"
        # More than was sent before the link went down.
        assert result.bytes > 100_000

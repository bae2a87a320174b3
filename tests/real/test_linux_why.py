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
    """The types of service of the IP packets, except NDP, that a host sends while the block
    runs."""
    mac, fields = bytes.fromhex(net.host(sender).mac.replace(":", "")), []
    seen = net.sniff(sender)
    measure(net.host("h1"))
    for frame in seen.stop():
        kind = int.from_bytes(frame.data[12:14], "big")
        if frame.data[6:12] != mac or (
            kind == 0x86DD
            and (frame.data[20] == 0 or (frame.data[20] == 58 and frame.data[54] in range(133, 137)))
        ):
            continue
        if kind in (0x0800, 0x86DD):
            word = int.from_bytes(frame.data[14:16], "big")
            fields.append(frame.data[15] if kind == 0x0800 else word >> 4 & 0xFF)
    return fields


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
def test_answers_have_the_type_of_service(both: weir.Network, kind: str):
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


def test_an_address_that_nobody_has(both: weir.Network):
    h1 = both.host("h1")
    for address, protocol in (("10.0.0.77", "ARP"), ("2001:db8::77", "NDP")):
        waits = h1.ping(address, count=1, timeout="500ms").why
        begins = f"{address} has not answered the {protocol} request of h1 yet"
        assert waits is not None and waits.startswith(begins), waits
        late = h1.ping(address, count=1, timeout="4s").why
        assert late is not None and late.startswith(f"h1 got no answer to {protocol}, for which "), late


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


def with_ipv6() -> weir.Topology:
    topology = two_hosts()
    for number, host in enumerate(topology.hosts.values(), 1):
        host.interfaces[0].addresses.append(weir.topology.HostAddress(f"2001:db8:{number}::1", 64))
    return topology


def test_hosts_report_their_groups_at_once(namespaces: list[str]):
    """Hosts report their IPv6 groups at once: later reports would be counted as losses of the first
    flows."""
    spans = []
    with weir.Network(with_ipv6(), ROUTER, world="linux") as net:
        h1 = net.host("h1")
        for _ in range(5):
            seen = net.sniff("h1")
            h1.cmd("ip link set eth0 down; ip link set eth0 up")
            # The kernel may need a second to notice that the link is up.
            net.run_for("2.2s")
            times = [frame.time_ns for frame in seen.stop() if frame.data[12:14] == b"\x86\xdd"]
            spans.append(max(times) - min(times))
    assert max(spans) < 300_000_000


LARGE = {
    "link": ({"mtu": "600B"}, None, "were larger than the MTU of the link from h1-eth0 to s1-p1"),
    "staged link": ({"mtu": "600B", "delay": "100us"}, None, "were larger than the MTU of the link from h1-eth0 to s1-p1"),
    "host": ({}, "600B", "were larger than the MTU of the link from s1-p2 to h2-eth0"),
    "staged host": ({"rate": "10Mbit"}, "600B", "were larger than the MTU of the link from s1-p2 to h2-eth0"),
}  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_packets_that_are_too_large(namespaces: list[str], case: str):
    link, mtu, expected = LARGE[case]
    topology = two_hosts(**link)
    if mtu is not None:
        topology.hosts["h2"].interfaces[0].mtu = int(mtu[:-1])
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        assert net.host("h1").ping("h2", count=1).received == 1
        why = net.host("h1").ping("h2", count=3, size=1000, interval="2ms", timeout="200ms").why
    assert why is not None and why.startswith(f"3 packets {expected}")


def test_packets_that_a_port_cannot_send(namespaces: list[str]):
    topology = two_hosts()
    topology.links[1].mtu = 600
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        why = net.host("h1").ping("h2", count=3, size=1000, interval="2ms", timeout="200ms").why
    assert why is not None and why.startswith(
        "3 packets were larger than the MTU of the link from s1-p2 to h2-eth0"
    )


def test_connections_that_move_no_data_end_and_say_why(namespaces: list[str]):
    topology = two_hosts()
    topology.links[1].mtu = 600
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        h1, h2 = net.host("h1"), net.host("h2")
        begun = monotonic()
        flow, back = h1.start_iperf("h2", size="100kB"), h2.start_iperf("h1", size="100kB", reverse=True)
        requests = h2.start_requests("h1", count=1, response="100kB")
        results = [flow.wait(), back.wait()]
        answers = requests.wait()
        assert 14 < monotonic() - begun < 40
        assert [result.streams[0].outcome for result in results] == ["timed out", "timed out"]
        for why in (results[0].why, answers.why):
            assert why is not None and "larger than the MTU of the link from s1-p2 to h2-eth0" in why
        assert answers.exchanges[0].failure in ("timed out", "reset")


def test_an_interface_that_goes_down_takes_its_routes_with_it(namespaces: list[str], capsys):
    with weir.Network(with_ipv6(), ROUTER, world="linux") as net:
        shell = Shell(net)
        for line in ("h2 ip link show eth0", "h2 ip route"):
            shell.run(line)
        assert capsys.readouterr().err == ""
        shell.run("h2 ip link set eth0 down")
        warning = capsys.readouterr().err
        assert 'with the interface, Linux has removed "default via 10.0.2.254 dev eth0' in warning
        shell.run("h2 ip link set eth0 up")
        assert capsys.readouterr().err == ""


def test_a_link_between_hosts_that_comes_up_again_has_its_routes(namespaces: list[str]):
    topology = weir.Topology()
    for number in (1, 2):
        other = f"10.0.0.{3 - number}"
        topology.add_host(f"h{number}", f"10.0.0.{number}/24", ip6=f"2001:db8::{number}/64", gateway=other)
    topology.add_link("h1", "h2")
    with weir.Network(topology, world="linux") as net:
        link = net.link("h1", "h2")
        for up in (False, True):
            link.up = up
        for host in net.hosts:
            assert "default via" in host.cmd("ip route")
        assert net.host("h2").ping("2001:db8::1", count=1).received == 1


def test_groups_show_who_answered(both: weir.Network, capsys):
    shell = Shell(both)
    assert not shell.run("h1 ping -c 1 10.0.0.255")
    assert "10.0.0.255 is a broadcast address, but ping sends to one host" in capsys.readouterr().err
    reply = both.host("h1").ping("2001:db8::2", count=1).replies[0]
    assert reply.reply_from == "2001:db8::2"


def test_pings_without_a_route_are_explained(namespaces: list[str]):
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


def test_a_measurement_does_not_explain_the_drops_before_it(namespaces: list[str]):
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        h1 = net.host("h1")
        # Three drops, then one, within a second.
        assert "dropped 3 packets in ingress" in str(
            h1.ping("h2", count=3, interval="1ms", timeout="50ms").why
        )
        assert "dropped 1 packet in ingress" in str(h1.ping("h2", count=1, timeout="50ms").why)
        # A ping without a route has no drop of a switch as its reason.
        net.host("h1").cmd("ip route del default")
        assert h1.ping("224.0.0.1", count=1, timeout="50ms").why == "h1 has no route to 224.0.0.1."


@pytest.mark.parametrize("world", ["virtual", "linux"])
def test_groups_answer_as_in_linux(namespaces: list[str], world: str):
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2, 3):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24", ip6=f"2001:db8::{number}/64")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, "l2_switch", world=world) as net:
        h1 = net.host("h1")
        net.run_for("2s")
        nodes = h1.ping("ff02::1", count=2, interval="10ms", timeout="1s")
        assert nodes.received == 2
        assert all(str(reply.reply_from).startswith("fe80::") for reply in nodes.replies)
        assert h1.ping("224.0.0.1", count=1, timeout="50ms").why == "h1 has no route to 224.0.0.1."
        with pytest.raises(NetworkError, match="is a broadcast address"):
            h1.ping("10.0.0.255", count=1)

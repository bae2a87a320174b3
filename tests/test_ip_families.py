"""Hosts with addresses of IPv4 and IPv6: the address that a name stands for."""

import pytest

import weir
from weir.cli.shell.shell import Shell

V6 = {"h1": "2001:db8::1/64", "h2": "2001:db8::2/64"}


@pytest.fixture
def both() -> weir.Network:
    """A topology in which h1 and h2 have both kinds of addresses, and h3 has only IPv4."""
    topo = weir.Topology()
    topo.add_switch("s1")
    for number in (1, 2, 3):
        name = f"h{number}"
        topo.add_host(name, f"10.0.0.{number}/24", ip6=V6.get(name))
        topo.add_link(name, f"s1-p{number}", rate="10Mbit", delay="1ms")
    return weir.Network(topo, "l2_switch")


def protocols(net: weir.Network, measure) -> set[int]:
    """The EtherTypes of the frames that h2 receives during a measurement."""
    # No packet of an earlier flow is in flight any more.
    net.run_for("5s")
    seen = net.sniff("h2")
    measure(net.host("h1"))
    return {int.from_bytes(frame.data[12:14], "big") for frame in seen.stop()} - {0x0806}


MEASURES = {
    "ping": lambda h1, **family: h1.ping("h2", count=1, **family),
    "traceroute": lambda h1, **family: h1.traceroute("h2", probes=1, **family),
    "TCP": lambda h1, **family: h1.iperf("h2", size="10kB", **family),
    "UDP": lambda h1, **family: h1.iperf("h2", udp=True, count=2, **family),
    "poisson": lambda h1, **family: h1.poisson("h2", "1Mbit", count=2, **family),
    "on_off": lambda h1, **family: h1.on_off("h2", "1Mbit", on="1s", off="1s", count=2, **family),
    "requests": lambda h1, **family: h1.requests("h2", count=1, **family),
    "datagrams": lambda h1, **family: h1.requests("h2", count=1, udp=True, **family),
    "transfers": lambda h1, **family: h1.transfers("h2", count=1, **family),
}


@pytest.mark.parametrize("kind", MEASURES)
def test_a_name_is_resolved_to_the_family_asked_for(both: weir.Network, kind: str):
    measure = MEASURES[kind]
    assert protocols(both, measure) == {0x0800}
    assert protocols(both, lambda h1: measure(h1, family=4)) == {0x0800}
    assert protocols(both, lambda h1: measure(h1, family=6)) == {0x86DD}


@pytest.mark.parametrize("kind", MEASURES)
def test_a_host_without_such_an_address_is_refused(both: weir.Network, kind: str):
    h1, h3 = both.host("h1"), both.host("h3")
    with pytest.raises(weir.NetworkError) as caught:
        h1.ping(h3, family=6)
    assert str(caught.value) == (
        'h3 has no IPv6 address: give it one in the topology, such as "ip6": "2001:db8::2/64" in a file or '
        'ip6="2001:db8::2/64" in add_host'
    )
    with pytest.raises(weir.NetworkError, match="h3 has no IPv6 address"):
        MEASURES[kind](h3, family=6)


def test_datagrams_fit_a_packet_of_either_family(both: weir.Network):
    for family, payload in ((4, 1470), (6, 1450)):
        seen = both.sniff("h2", f"ip{'' if family == 4 else '6'}")
        result = both.host("h1").iperf("h2", udp=True, count=3, family=family)
        assert result.streams[0].bytes == 3 * payload
        frames = [frame for frame in seen.stop() if frame.data[23 if family == 4 else 20] == 17]
        assert len(frames) == 3 and max(len(frame.data) for frame in frames) <= 1514
    assert both.host("h1").iperf("h2", udp=True, count=1, family=6, length="1470B").streams[0].bytes == 1470


def test_addresses(both: weir.Network):
    assert both.address("h2") == both.address("h2", 4) == "10.0.0.2"
    assert both.address("h2", 6) == both.address("2001:db8::2", 6) == "2001:db8::2"
    with pytest.raises(weir.NetworkError, match=r"10\.0\.0\.2 is an IPv4 address, not one of IPv6"):
        both.address("10.0.0.2", 6)
    with pytest.raises(weir.NetworkError, match="family: 5 is not a version of IP: expected 4 or 6"):
        both.host("h1").ping("h2", family=5)


def test_a_host_with_nothing_but_ipv6(both: weir.Network):
    both.host("h2").cmd("ip addr del 10.0.0.2/24 dev eth0")
    assert both.host("h1").ping("h2", count=1).target_ip == "2001:db8::2"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("h1 ping -6 -c 1 h2", "64 bytes from h2 (2001:db8::2)"),
        ("h1 ping6 -c 1 h2", "PING h2 (2001:db8::2) 56(104) bytes of data."),
        ("ping6 h1 h2", "64 bytes from h2 (2001:db8::2)"),
        ("h1 ping -4 -c 1 h2", "PING h2 (10.0.0.2) 56(84) bytes of data."),
        ("h1 traceroute6 h2", "traceroute to h2 (2001:db8::2), 30 hops max"),
        ("h1 tracepath6 h2", "traceroute to h2 (2001:db8::2), 30 hops max"),
        ("h1 traceroute -6 h2", "traceroute to h2 (2001:db8::2), 30 hops max"),
        ("h1 traceroute -4 h2", "traceroute to h2 (10.0.0.2), 30 hops max"),
    ],
)
def test_commands(both: weir.Network, capsys, line: str, shown: str):
    assert Shell(both).run(line)
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    "line", ["iperf -6 -t 1 h2", "iperf -V -t 1 h2", "iperf3 -6 -t 1 h2", "iperf -6 -u -t 1 h2"]
)
def test_iperf(both: weir.Network, line: str):
    assert protocols(both, lambda _: Shell(both).run(f"h1 {line}")) == {0x86DD}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h1 ping -4 -6 h2", "ping: -4 and -6 are given: expected one of them"),
        ("h1 iperf -4 -6 h2", "iperf: -4 and -6 are given: expected one of them"),
        ("h1 ping6 10.0.0.2", "10.0.0.2 is an IPv4 address, not one of IPv6"),
        ("h1 ping6 h3", "h3 has no IPv6 address: give it one in the topology"),
        ("h3 ping6 h1", "h3 has no IPv6 address: give it one in the topology"),
        ("h1 iperf3 -V h2", "iperf3 -V: the report already has all details; for IPv6 use -6"),
    ],
)
def test_mistakes(both: weir.Network, capsys, line: str, message: str):
    assert not Shell(both).run(line)
    assert message in capsys.readouterr().err

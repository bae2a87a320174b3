"""Links and queueing disciplines from Python: what is set acts, and what cannot be is refused."""

from itertools import pairwise
from pathlib import Path

import pytest

import weir
from weir import impairments, qdisc
from weir.errors import NetworkError, TopologyError, UnitError
from weir.topology import Topology, shapes

NET = Path(__file__).parent / "net"
ROUTER = NET / "router.p4"


def star(**link: object) -> Topology:
    """h1 and h2 at s1, the link of h1 as asked for."""
    topo = shapes.star(2, rate="10Mbit", delay="1ms")
    a, b = topo.links[0].a, topo.links[0].b
    del topo.links[0]
    topo.add_link(str(a), str(b), rate="10Mbit", delay="1ms", **link)  # type: ignore[arg-type]
    return topo


def ping(net: weir.Network, count: int = 200, interval: str = "50ms", size: int = 56) -> weir.PingResult:
    return net.host("h1").ping("h2", count=count, interval=interval, size=size, timeout="2s")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> weir.Program:
    """The router of tests/net with a table large enough for all shapes."""
    path = tmp_path_factory.mktemp("program") / "router.p4"
    path.write_text(ROUTER.read_text().replace("size = 4;", "size = 1024;"))
    return weir.compile(path)


def test_every_loss_model(program: weir.Program):
    with weir.Network(star(), program) as net:
        link = net.link("h1", "s1")
        link.loss = impairments.Every(4)
        # Each direction counts its own: every 4th request, and every 4th of the replies to the
        # others.
        assert ping(net, 16).lost == 4 + 3
        link.loss = impairments.Frames([1, 3])
        assert [reply.rtt_ns is None for reply in ping(net, 5).replies] == [True, True, True, False, True]
        link.loss = impairments.GilbertElliott(enter="5%", leave="30%")
        assert 10 < ping(net, 300).lost < 150
        assert link.loss == impairments.GilbertElliott(enter="5%", leave="30%")
        link.loss = "100%"
        assert (ping(net, 3).lost, link.loss) == (3, "100%")
        link.loss = "0%"
        assert ping(net, 3).lost == 0


@pytest.mark.parametrize(
    ("jitter", "least", "most"),
    [
        ("2ms", 0, 4e6),
        (impairments.UniformAround("500us"), -1e6, 1e6),
        (impairments.Normal("300us"), -2e6, 4e6),
        (impairments.Exponential("1ms"), 0, 40e6),
        (impairments.Pareto("1ms", 3.0), 2e6, 100e6),
        (impairments.ParetoAround("300us"), -2e6, 4e6),
        (impairments.Table(["1ms", "3ms"]), 2e6, 6e6),
    ],
)
def test_jitter_of_each_kind_spreads_round_trips(
    program: weir.Program, jitter: impairments.Jitter | str, least: float, most: float
):
    with weir.Network(star(jitter=jitter), program) as net:
        assert net.link("h1", "s1").jitter == jitter
        spread = [reply.rtt_ns or 0 for reply in ping(net, 100).replies]
        net.link("h1", "s1").jitter = None
        still = ping(net, 1).replies[0].rtt_ns or 0
        assert len(set(spread)) > (2 if isinstance(jitter, impairments.Table) else 50)
        assert still + least <= min(spread) <= max(spread) <= still + most


def test_links_copy_hold_and_cut(program: weir.Program):
    topo = star(duplicate="100%", reorder=("10%", "30ms"), mtu="1000B")
    with weir.Network(topo, program) as net:
        link = net.link("h1", "s1")
        assert (link.duplicate, link.reorder, link.mtu) == ("100%", ("10%", "30ms"), "1000B")
        rtts = [reply.rtt_ns or 0 for reply in ping(net, 100, interval="100ms").replies]
        assert 2 < sum(rtt > 30e6 for rtt in rtts) < 50
        assert ping(net, 3, size=1000).lost == 3
        link.mtu, link.reorder, link.duplicate = None, None, "0%"
        assert ping(net, 3, size=1000).lost == 0


def test_links_go_down_and_up(program: weir.Program):
    with weir.Network(star(up=False), program) as net:
        link = net.link("h1", "s1")
        assert (link.up, ping(net, 2).lost) == (False, 2)
        link.up = True
        assert (link.up, ping(net, 2).lost) == (True, 0)


def test_queues_are_limits_or_disciplines(program: weir.Program):
    with weir.Network(star(queue="5p"), program) as net:
        link = net.link("h1", "s1")
        assert link.queues == ("pfifo limit 5", "pfifo limit 5")
        link.queue = "64kB"
        assert link.queue == "bfifo limit 64000b"
        eth0 = net.host("h1").interface("eth0")
        assert eth0.name == "h1-eth0"
        eth0.qdisc = qdisc.Netem(delay="7ms")
        assert link.queues == ("netem limit 1000 delay 7ms", "bfifo limit 64000b")
        port = net.interface("s1-p2")
        before = ping(net, 1).replies[0].rtt_ns or 0
        port.qdisc = qdisc.Netem(delay="5ms", queue=qdisc.Tbf(rate="1Mbit", burst="2kB", latency="50ms"))
        assert (ping(net, 1).replies[0].rtt_ns or 0) - before == 5_000_000
        net.host("h1").tc("qdisc replace dev eth0 root handle 1: fq maxrate 20mbit")
        assert eth0.qdisc == "fq limit 10000 flow_limit 100 quantum 3028b maxrate 20mbit"
        net.tc("s1", "tc qdisc replace dev s1-p1 root pfifo limit 7")
        assert net.interface("s1-p1").qdisc == "pfifo limit 7"


def test_classes_share_by_name(program: weir.Program):
    shape = qdisc.Htb(
        [
            qdisc.HtbClass("all", "5Mbit"),
            qdisc.HtbClass("bulk", "1Mbit", ceil="5Mbit", parent="all", queue="50p"),
            qdisc.HtbClass("ping", "4Mbit", ceil="5Mbit", parent="all", queue=qdisc.Fq()),
        ],
        filters=[("icmp", "ping"), ("udp portrange 5000-5010", "bulk")],
        default="bulk",
    )
    with weir.Network(star(), program) as net:
        eth0 = net.host("h1").interface()
        eth0.qdisc = shape
        assert "(icmp -> 3)" in eth0.qdisc
        assert "{2 of 1: rate 1mbit ceil 5mbit prio 0 [pfifo limit 50]}" in eth0.qdisc
        assert ping(net, 3).lost == 0
        # A class's own filters choose among those below it; None is past all of them.
        _, bulk, quick = shape.classes
        inner = qdisc.HtbClass("all", "5Mbit", filters=[("icmp", "ping")])
        eth0.qdisc = qdisc.Htb([inner, bulk, quick], filters=[("arp", None), ("ip", "all")], default="bulk")
        assert eth0.qdisc.endswith("(arp -> 0) (ip -> 1) (at 1 icmp -> 3)")
        assert ping(net, 3).lost == 0
        classes = net.host("h1").tc("-s class show").split("class ")
        assert [" 6 pkt" in line for line in classes[1:]] == [True, False, True]
        with pytest.raises(NetworkError, match='there is no class "pin"; did you mean "ping"'):
            eth0.qdisc = qdisc.Htb(shape.classes, filters=[("icmp", "pin")])
        with pytest.raises(NetworkError, match="did you mean `icmp`"):
            eth0.qdisc = qdisc.Htb(shape.classes, filters=[("imcp", "ping")])


def test_commands_of_hosts_act_on_a_network(program: weir.Program):
    topo = shapes.star(2, rate="100Mbit", ipv6=False)
    topo._do_commands(
        topo.hosts["h1"],
        [
            "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 2000 limit 100000",
            "tc qdisc add dev eth0 parent 1:1 handle 2: netem delay 9ms",
            "sysctl -w net.ipv4.tcp_congestion_control=bbr",
        ],
    )
    topo._do_commands(topo.hosts["h2"], ["ip link set eth0 mtu 1200"])
    with weir.Network(topo, program) as net:
        assert net.host("h1").interface().qdisc.startswith("tbf rate 1mbit")
        rtt = ping(net, 1).replies[0].rtt_ns or 0
        assert 13_000_000 <= rtt < 14_000_000
    topo._do_commands(topo.hosts["h2"], ["ifconfig eth0 down"])
    with weir.Network(topo, program) as net:
        assert not net.link("h2", "s1").up
    topo._do_commands(topo.hosts["h1"], ["sysctl -w net.ipv4.tcp_congestion_control=vegas"])
    with pytest.raises(NetworkError, match="expected reno, cubic, cubic-rfc, bbr or bbr-draft"):
        weir.Network(topo, program)


def test_commands_act_on_hosts_that_run(program: weir.Program):
    with weir.Network(shapes.star(2, rate="100Mbit"), program) as net:
        h1 = net.host("h1")
        h1.cmd("ip route del default")
        assert ping(net, 2).lost == 2
        h1.cmd("ip route add default via 10.0.0.254")
        assert ping(net, 2).lost == 0
        h1.cmd("arp -d 10.0.0.254")
        assert ping(net, 2).lost == 2
        h1.cmd("arp -s 10.0.0.254 08:00:00:00:ff:01")
        h1.cmd("tc qdisc add dev eth0 root netem delay 3ms")
        assert 3e6 < (ping(net, 1).replies[0].rtt_ns or 0) < 8e6
        h1.cmd("ip link set eth0 down")
        assert (net.link("h1", "s1").up, ping(net, 2).lost) == (False, 2)
        h1.cmd("ifconfig eth0 up")
        assert ping(net, 2).lost == 0
        h1.cmd("sysctl -w net.ipv4.tcp_sack=0")
        for command, message in [
            ("sysctl -w net.ipv4.tcp_sack=2", "expected 0 or 1"),
            ("iperf -s", 'host command "iperf -s" is not supported'),
            ("arp -d 10.0.0.9", "h1 has no neighbour"),
        ]:
            with pytest.raises(NetworkError, match=message):
                h1.cmd(command)


def test_running_hosts_change_addresses(program: weir.Program):
    with weir.Network(shapes.star(2, rate="100Mbit", ipv6=False), program) as net:
        h1, h2 = net.host("h1"), net.host("h2")
        # The switch knows 10.0.0.1 and 10.0.0.2 only: what h1 says from another address is not
        # answered to it.
        assert (h1.ip, h1.ping(h2, count=1).lost) == ("10.0.0.1", 0)
        h1.cmd("ip addr add 10.0.7.1/24 dev eth0")
        assert h1.addresses == ["10.0.0.1", "10.0.7.1"]
        h1.cmd("ip addr del 10.0.0.1/32 dev eth0")
        assert (h1.ip, h1.ping("10.0.0.2", count=1, timeout="1s").lost) == ("10.0.7.1", 1)
        h1.cmd("ip addr add 10.0.0.1/32 dev eth0")
        h1.cmd("ip addr del 10.0.7.1/24 dev eth0")
        assert h1.ping("10.0.0.2", count=1).lost == 0
        # The last address takes the default route along.
        h1.cmd("ifconfig eth0 10.0.0.1 netmask 255.255.255.0")
        h1.cmd("ip addr del 10.0.0.1/24 dev eth0")
        with pytest.raises(TopologyError, match="h1 has no IPv4 address at eth0"):
            _ = h1.ip
        h1.cmd("ip addr add 10.0.0.1/32 dev eth0")
        assert h1.ping("10.0.0.2", count=1, timeout="1s").lost == 1
        h1.cmd("ip route add default via 10.0.0.254")
        assert h1.ping("10.0.0.2", count=1).lost == 0
        sniffer = net.sniff("h1", "src host 10.0.0.1")
        h1.cmd("ip link set eth0 mtu 600")
        h1.ping(h2, count=1, size=1000)
        # Of 1008 bytes, 576 and 432: a fragment's payload is a multiple of 8.
        assert [len(seen.data) for seen in sniffer.frames] == [14 + 20 + 576, 14 + 20 + 432]
        for command, message in [
            ("ip link set eth0 mtu 60", "is not an MTU: expected 68 to 65535"),
            ("ip addr add 10.0.0.1/32 dev eth0", "has that address already"),
            ("ip addr del 10.0.9.9/32 dev eth0", "has no address"),
        ]:
            with pytest.raises(NetworkError, match=message):
                h1.cmd(command)


def test_commands_without_effect_are_noted_on_links(program: weir.Program):
    topo = shapes.star(2, rate="100Mbit", ipv6=False)
    h1 = topo.hosts["h1"]
    quiet = [
        "/sbin/ethtool --offload eth0 rx off tx off sg off",
        "sudo ethtool -K h1-eth0 gro off",
        "sysctl -w net.ipv6.conf.all.disable_ipv6=1",
        "sysctl net.ipv4.conf.all.rp_filter=0",
        "sysctl -w net.ipv4.ip_forward=0 net.core.rmem_max=2500000",
        "sysctl -w net.ipv4.tcp_no_metrics_save=1",
    ]
    topo._do_commands(h1, quiet)
    assert (len(h1.notes), h1.sysctls, h1.tc) == (7, [], [])
    topo._do_commands(
        h1, ["sysctl -w net.core.default_qdisc=fq", "sysctl -w net.ipv4.tcp_congestion_control=bbr"]
    )
    topo._do_commands(
        topo.hosts["h2"], ["tc qdisc add dev eth0 root netem delay 1ms", "sysctl net.core.default_qdisc=fq"]
    )
    with weir.Network(topo, program) as net:
        assert net.host("h1").interface().qdisc.startswith("fq limit")
        assert net.host("h2").interface().qdisc.startswith("netem")
    with weir.Network(shapes.star(1), program) as net:
        # What only shows is no reason to leave an interface alone.
        assert net.host("h1").cmd("tc qdisc show dev eth0").startswith("qdisc pfifo 0:")
        net.host("h1").cmd("sysctl -w net.core.default_qdisc=fq")
        assert net.host("h1").interface().qdisc.startswith("fq limit")


def test_what_a_host_has_is_shown(program: weir.Program):
    topo = Topology()
    topo.add_host("h1", ip="10.0.0.1/24", ip6="2001:db8::1/64", gateway="10.0.0.254")
    topo.add_host("h2", ip="10.0.0.2/24")
    topo.add_link("h1", "h2")
    with weir.Network(topo) as net:
        h1 = net.host("h1")
        h1.ping("10.0.0.2", count=1)
        h1.cmd("ip neigh add 10.0.0.9 lladdr 08:00:00:00:00:09 dev eth0")
        h1.cmd("ip link set eth0 mtu 1400")
        assert h1.cmd("ip addr") == (
            "1: eth0: <BROADCAST,UP> mtu 1400 state UP\n"
            "    link/ether 08:00:00:00:00:01\n"
            "    inet 10.0.0.1/24 scope global eth0\n"
            "    inet6 2001:db8::1/64 scope global eth0\n"
        )
        assert h1.cmd("ip link show").splitlines()[1:] == ["    link/ether 08:00:00:00:00:01"]
        assert h1.cmd("ip -4 route show") == (
            "default via 10.0.0.254 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1\n"
        )
        assert h1.cmd("ip neigh") == (
            "10.0.0.2 dev eth0 lladdr 08:00:00:00:00:02 REACHABLE\n"
            "10.0.0.9 dev eth0 lladdr 08:00:00:00:00:09 PERMANENT\n"
        )
        with pytest.raises(NetworkError, match="is not supported: expected ip route add"):
            h1.cmd("ip route flush all")
        with pytest.raises(NetworkError, match="cannot read the command"):
            h1.cmd('ip "addr')


def test_disciplines_show_statistics(program: weir.Program):
    with weir.Network(star(), program) as net:
        h1 = net.host("h1")
        assert h1.tc("qdisc show") == "qdisc pfifo 0: dev h1-eth0 root limit 1000p\n"
        assert h1.cmd("tc qdisc add dev eth0 root handle 1: htb default 10") == ""
        h1.cmd("tc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit")
        h1.cmd("tc qdisc add dev eth0 parent 1:10 handle 10: netem delay 2ms 1ms 25% corrupt 0.1%")
        assert ping(net, 3, size=58).lost == 0
        assert "class htb 1:10 dev h1-eth0 root leaf 10: prio 0" in h1.cmd("tc class show dev eth0")
        lines = h1.tc("-s qdisc show dev eth0").splitlines()
        assert lines[0] == "qdisc htb 1: dev h1-eth0 root r2q 10 default 0x10"
        assert lines[1].startswith(" Sent 300 bytes 3 pkt (dropped 0,")
        assert (
            lines[3] == "qdisc netem 10: dev h1-eth0 parent 1:10 limit 1000 delay 2ms  1ms 25% corrupt 0.1%"
        )
        assert net.tc("s1", "qdisc show").count("qdisc pfifo 0: dev s1-p") == 2


def test_corruption_and_correlation_strike(program: weir.Program):
    topo = star(corrupt="100%", correlation=impairments.Correlation(loss="90%"))
    with weir.Network(topo, program) as net:
        link = net.link("h1", "s1")
        assert (link.corrupt, link.correlation.loss) == ("100%", "90%")
        # A flipped bit of a MAC address does not matter to this switch; of the ICMP message it
        # does.
        assert ping(net, 50).lost > 25
        link.corrupt, link.loss = "0%", "50%"
        lost = [reply.rtt_ns is None for reply in ping(net, 400).replies]
        runs = sum(now and not before for before, now in pairwise(lost))
        assert 80 < sum(lost) < 350
        assert sum(lost) / runs > 3
        link.loss = impairments.FourState("5%", p31="50%", p32="10%", p23="50%", p14="1%")
        assert 5 < ping(net, 300).lost < 150
        link.loss, link.correlation = "0%", impairments.UNCORRELATED
        net.interface("h1").qdisc = qdisc.Netem(
            delay="1ms", jitter=impairments.ParetoNormalAround("100us"), corrupt="100%"
        )
        assert ping(net, 20).lost > 5
        with pytest.raises(UnitError, match="expected correlations such as"):
            link.correlation = "25%"  # type: ignore[assignment]


def test_links_change_at_their_time(program: weir.Program):
    with weir.Network(star(), program) as net:
        link = net.link("h1", "s1")
        net.at("10s", lambda: setattr(link, "delay", "21ms"))
        net.at("20s", lambda: setattr(link, "up", False))
        net.at("30s", lambda: net.host("h1").tc("qdisc add dev eth0 root netem delay 50ms"))
        net.at("30s", lambda: setattr(link, "up", True))
        rtts = [reply.rtt_ns for reply in ping(net, 40, interval="1s").replies]
        still = rtts[0] or 0
        assert rtts[5:10] == [still] * 5
        assert rtts[11:20] == [still + 40_000_000] * 9
        assert rtts[21:30] == [None] * 9
        assert rtts[31:] == [still + 90_000_000] * 9


@pytest.mark.parametrize(
    ("shape", "hosts", "switches", "links"),
    [
        (shapes.star(5), 5, 1, 5),
        (shapes.chain(4), 4, 4, 7),
        (shapes.dumbbell(3), 6, 2, 7),
        (shapes.fat_tree(4), 16, 20, 48),
    ],
)
def test_all_hosts_of_a_shape_reach_one_another(
    program: weir.Program, shape: Topology, hosts: int, switches: int, links: int
):
    assert (len(shape.hosts), len(shape.switches), len(shape.links)) == (hosts, switches, links)
    with weir.Network(shape, program) as net:
        assert net.ping_all().lost == 0


def test_a_large_dumbbell(program: weir.Program):
    topo = shapes.dumbbell(500)
    assert len({host.ip for host in topo.hosts.values()}) == 1000
    with weir.Network(topo, program) as net:
        for source, target in [("h1", "h1000"), ("h251", "h750"), ("h500", "h751"), ("h250", "h251")]:
            assert net.host(source).ping(target, count=1).lost == 0


def test_shapes_out_of_range_are_refused():
    for build, message in [
        (lambda: shapes.fat_tree(3), "even number of ports"),
        (lambda: shapes.fat_tree(18), "expected 2 to 16"),
        (lambda: shapes.star(0), "expected 1 to 500"),
        (lambda: shapes.dumbbell(501), "expected 1 to 500"),
        (lambda: shapes.dumbbell(True), "out of range"),
    ]:
        with pytest.raises(TopologyError, match=message):
            build()


def test_wrong_settings_of_links():
    topo = Topology()
    topo.add_host("h1", ip="10.0.1.1/24")
    topo.add_host("h2", ip="10.0.1.2/24")
    for settings, message in [
        ({"queue": 100}, 'queue: a bare number 100 has no unit; did you mean "100p"?'),
        ({"queue": "100"}, "queue '100' has no unit; did you mean \"100p\"?"),
        ({"queue": "100x"}, "unknown unit 'x' in queue '100x': use p (packets) or a size's unit such as kB"),
        ({"mtu": 1500}, 'mtu: a bare number 1500 has no unit; did you mean "1500B"?'),
        ({"jitter": 5}, 'jitter: a bare number 5 has no unit; did you mean "5ms"?'),
        ({"jitter": impairments.Normal("1")}, "jitter '1' has no unit"),
        ({"duplicate": 0.1}, 'duplicate: a bare number 0.1 has no unit; did you mean "10%" or "0.1%"?'),
        ({"reorder": "1%"}, 'expected a share and a time for reorder, such as ("1%", "5ms")'),
        ({"loss": impairments.Every(0)}, "expected the number of a packet, 1 or more, found 0"),
    ]:
        with pytest.raises(UnitError) as caught:
            topo.add_link("h1", "h2", **settings)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message)
    assert not topo.links


def test_wrong_settings_of_running_links(program: weir.Program):
    with weir.Network(star(), program) as net:
        link = net.link("h1", "s1")
        with pytest.raises(NetworkError, match="numbers from 1, in ascending order"):
            link.loss = impairments.Frames([3, 2])
        with pytest.raises(UnitError, match="either a limit"):
            link.queue = qdisc.Tbf("1Mbit", "2kB")
        with pytest.raises(NetworkError, match="at least the class's rate"):
            link.queue = qdisc.Htb([qdisc.HtbClass("a", "2Mbit", ceil="1Mbit")])
        with pytest.raises(
            NetworkError, match=r'"s1" is a switch: expected one of its ports; did you mean "s1-p1"'
        ):
            net.interface("s1")
        with pytest.raises(NetworkError, match="port 9 of `s1` is not connected"):
            net.interface("s1-p9")
        with pytest.raises(NetworkError, match='h1 has no interface "eth1"'):
            net.host("h1").interface("eth1")
        with pytest.raises(NetworkError, match="did you mean `fq`"):
            net.host("h1").tc("qdisc add dev eth0 root fk")
        assert link.loss == "0%"
        assert link.queue == "pfifo limit 1000"

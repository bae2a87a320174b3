"""Links and queueing disciplines from Python: settings take effect, wrong ones are refused."""

from itertools import pairwise

import pytest

import weir
from star import ping, star
from weir import impairments, qdisc
from weir.errors import NetworkError, TopologyError, UnitError
from weir.topology import Topology, shapes


def test_every_loss_model(wide_router: weir.Program):
    with weir.Network(star(), wide_router) as net:
        link = net.link("h1", "s1")
        link.loss = impairments.Every(4)
        # Each direction counts separately: every 4th request, and every 4th of the replies to the
        # other requests.
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
    wide_router: weir.Program, jitter: impairments.Jitter | str, least: float, most: float
):
    with weir.Network(star(jitter=jitter), wide_router) as net:
        assert net.link("h1", "s1").jitter == jitter
        spread = [reply.rtt_ns or 0 for reply in ping(net, 100).replies]
        net.link("h1", "s1").jitter = None
        still = ping(net, 1).replies[0].rtt_ns or 0
        assert len(set(spread)) > (2 if isinstance(jitter, impairments.Table) else 50)
        assert still + least <= min(spread) <= max(spread) <= still + most


def test_links_copy_hold_and_cut(wide_router: weir.Program):
    topo = star(duplicate="100%", reorder=("10%", "30ms"), mtu="1000B")
    with weir.Network(topo, wide_router) as net:
        link = net.link("h1", "s1")
        assert (link.duplicate, link.reorder, link.mtu) == ("100%", ("10%", "30ms"), "1000B")
        rtts = [reply.rtt_ns or 0 for reply in ping(net, 100, interval="100ms").replies]
        assert 2 < sum(rtt > 30e6 for rtt in rtts) < 50
        assert ping(net, 3, size=1000).lost == 3
        link.mtu, link.reorder, link.duplicate = None, None, "0%"
        assert ping(net, 3, size=1000).lost == 0


def test_links_go_down_and_up(wide_router: weir.Program):
    with weir.Network(star(up=False), wide_router) as net:
        link = net.link("h1", "s1")
        assert (link.up, ping(net, 2).lost) == (False, 2)
        link.up = True
        assert (link.up, ping(net, 2).lost) == (True, 0)


def test_queues_are_limits_or_disciplines(wide_router: weir.Program):
    with weir.Network(star(queue="5p"), wide_router) as net:
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


def test_classes_share_by_name(wide_router: weir.Program):
    shape = qdisc.Htb(
        [
            qdisc.HtbClass("all", "5Mbit"),
            qdisc.HtbClass("bulk", "1Mbit", ceil="5Mbit", parent="all", queue="50p"),
            qdisc.HtbClass("ping", "4Mbit", ceil="5Mbit", parent="all", queue=qdisc.Fq()),
        ],
        filters=[("icmp", "ping"), ("udp portrange 5000-5010", "bulk")],
        default="bulk",
    )
    with weir.Network(star(), wide_router) as net:
        eth0 = net.host("h1").interface()
        eth0.qdisc = shape
        assert "(icmp -> 3)" in eth0.qdisc
        assert "{2 of 1: rate 1mbit ceil 5mbit prio 0 [pfifo limit 50]}" in eth0.qdisc
        assert ping(net, 3).lost == 0
        # A class's own filters choose among its children; None bypasses all of them.
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


def test_corruption_and_correlation_strike(wide_router: weir.Program):
    topo = star(corrupt="100%", correlation=impairments.Correlation(loss="90%"))
    with weir.Network(topo, wide_router) as net:
        link = net.link("h1", "s1")
        assert (link.corrupt, link.correlation.loss) == ("100%", "90%")
        # A flipped bit of a MAC address does not matter to this switch, but a flipped bit of the
        # ICMP message does.
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


def test_links_change_at_their_time(wide_router: weir.Program):
    with weir.Network(star(), wide_router) as net:
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
    wide_router: weir.Program, shape: Topology, hosts: int, switches: int, links: int
):
    assert (len(shape.hosts), len(shape.switches), len(shape.links)) == (hosts, switches, links)
    with weir.Network(shape, wide_router) as net:
        assert net.ping_all().lost == 0


def test_all_pairs_of_a_large_dumbbell_are_connected(wide_router: weir.Program):
    topo = shapes.dumbbell(500)
    assert len({host.ip for host in topo.hosts.values()}) == 1000
    with weir.Network(topo, wide_router) as net:
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


def test_wrong_settings_of_running_links(wide_router: weir.Program):
    with weir.Network(star(), wide_router) as net:
        link = net.link("h1", "s1")
        with pytest.raises(NetworkError, match="numbers from 1, in ascending order"):
            link.loss = impairments.Frames([3, 2])
        with pytest.raises(UnitError, match="either a limit"):
            link.queue = qdisc.Tbf("1Mbit", "2kB")
        with pytest.raises(NetworkError, match="at least the class's rate"):
            link.queue = qdisc.Htb([qdisc.HtbClass("a", "2Mbit", ceil="1Mbit")])
        with pytest.raises(NetworkError, match=r'"s1" is a switch: expected one of its ports \(s1-p1'):
            net.interface("s1")
        with pytest.raises(NetworkError, match="port 9 of s1 is not connected"):
            net.interface("s1-p9")
        with pytest.raises(NetworkError, match='h1 has no interface "eth1"'):
            net.host("h1").interface("eth1")
        with pytest.raises(NetworkError, match="did you mean `fq`"):
            net.host("h1").tc("qdisc add dev eth0 root fk")
        assert link.loss == "0%"
        assert link.queue == "pfifo limit 1000"

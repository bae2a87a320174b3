"""Commands that hosts run, before the start and in a network that runs."""

import pytest

import weir
from star import ping, star
from weir.errors import NetworkError, TopologyError
from weir.topology import Topology, shapes


def test_commands_of_hosts_act_on_a_network(wide_router: weir.Program):
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
    with weir.Network(topo, wide_router) as net:
        assert net.host("h1").interface().qdisc.startswith("tbf rate 1mbit")
        rtt = ping(net, 1).replies[0].rtt_ns or 0
        assert 13_000_000 <= rtt < 14_000_000
    topo._do_commands(topo.hosts["h2"], ["ifconfig eth0 down"])
    with weir.Network(topo, wide_router) as net:
        assert not net.link("h2", "s1").up
    topo._do_commands(topo.hosts["h1"], ["sysctl -w net.ipv4.tcp_congestion_control=vegas"])
    with pytest.raises(NetworkError, match="expected reno, cubic, cubic-rfc, bbr or bbr-draft"):
        weir.Network(topo, wide_router)


def test_commands_act_on_hosts_that_run(wide_router: weir.Program):
    with weir.Network(shapes.star(2, rate="100Mbit"), wide_router) as net:
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


def test_running_hosts_change_addresses(wide_router: weir.Program):
    with weir.Network(shapes.star(2, rate="100Mbit", ipv6=False), wide_router) as net:
        h1, h2 = net.host("h1"), net.host("h2")
        # The switch knows only 10.0.0.1 and 10.0.0.2, so it does not answer packets from h1's other
        # addresses.
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


def test_commands_without_effect_are_noted_on_links(wide_router: weir.Program):
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
    with weir.Network(topo, wide_router) as net:
        assert net.host("h1").interface().qdisc.startswith("fq limit")
        assert net.host("h2").interface().qdisc.startswith("netem")
    with weir.Network(shapes.star(1), wide_router) as net:
        # A command that only shows an interface does not change how the network sets it up.
        assert net.host("h1").cmd("tc qdisc show dev eth0").startswith("qdisc pfifo 0:")
        net.host("h1").cmd("sysctl -w net.core.default_qdisc=fq")
        assert net.host("h1").interface().qdisc.startswith("fq limit")


def test_ip_shows_addresses_routes_and_neighbours(wide_router: weir.Program):
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


def test_disciplines_show_statistics(wide_router: weir.Program):
    with weir.Network(star(), wide_router) as net:
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

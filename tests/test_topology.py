"""Topologies: valid files and programs, and the exact message about every mistake."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from weir.errors import FileError, TopologyError, WeirError
from weir.topology import Endpoint, Route, Topology

GOOD: dict[str, Any] = {
    "hosts": {
        "h1": {
            "ip": "10.0.1.1/24",
            "mac": "08:00:00:00:01:11",
            "commands": [
                "route add default gw 10.0.1.10 dev eth0",
                "arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
            ],
        },
        "h2": {"ip": "10.0.2.2/24", "mac": "08:00:00:00:02:22"},
    },
    "switches": {"s1": {"runtime_json": "s1-runtime.json"}, "s2": {"cpu_port": "510"}},
    "links": [["h1", "s1-p1"], ["s2-p7", "h2", "5ms", 10], ["s1-p2", "s2-p1", 0.5, 0.5]],
}


def write(folder: Path, document: Any) -> Path:
    """The document as a file, next to the entries that it names."""
    (folder / "s1-runtime.json").write_text("{}")
    path = folder / "topology.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def changed(change) -> dict[str, Any]:
    """The document ``GOOD`` with one change."""
    document = copy.deepcopy(GOOD)
    change(document)
    return document


def test_a_valid_file_is_read(tmp_path: Path):
    topology = Topology.load(write(tmp_path, GOOD))
    h1 = topology.hosts["h1"]
    assert (str(h1.ip), h1.mac) == ("10.0.1.1/24", "08:00:00:00:01:11")
    assert h1.routes == [Route("0.0.0.0/0", "10.0.1.10")]
    assert h1.arp == {"10.0.1.10": "08:00:00:00:01:00"}
    assert topology.switches["s1"].entries == tmp_path / "s1-runtime.json"
    assert topology.switches["s2"].cpu_port == 510
    first, second, third = topology.links
    assert (first.a, first.b, first.rate_bps, first.delay_ns) == (
        Endpoint("h1"),
        Endpoint("s1", 1),
        1_000_000_000,
        0,
    )
    assert (second.a, second.b, second.rate_bps, second.delay_ns) == (
        Endpoint("s2", 7),
        Endpoint("h2"),
        10_000_000,
        5_000_000,
    )
    assert (third.rate_bps, third.delay_ns) == (500_000, 500_000)
    assert topology.ports("s2") == [1, 7]


def test_entries_in_the_parent_folder(tmp_path: Path):
    folder = tmp_path / "pod-topo"
    folder.mkdir()
    (folder / "s1-runtime.json").write_text("{}")
    document = changed(lambda d: d["switches"]["s1"].update(runtime_json="pod-topo/s1-runtime.json"))
    path = folder / "topology.json"
    path.write_text(json.dumps(document))
    entries = Topology.load(path).switches["s1"].entries
    assert isinstance(entries, Path)
    assert entries.samefile(folder / "s1-runtime.json")


def test_entry_errors_name_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "pod-topo"
    folder.mkdir()
    (folder / "s1-runtime.json").write_text('{"table_entires": []}')
    document = changed(lambda d: d["switches"]["s1"].update(runtime_json="pod-topo/s1-runtime.json"))
    (folder / "topology.json").write_text(json.dumps(document))
    monkeypatch.chdir(tmp_path)
    for folder_of_caller, shown in [(tmp_path, "pod-topo/s1-runtime.json"), (folder, "s1-runtime.json")]:
        monkeypatch.chdir(folder_of_caller)
        path = (folder / "topology.json").relative_to(folder_of_caller)
        assert str(Topology.load(path).switches["s1"].entries) == shown


@pytest.mark.parametrize(
    ("latency", "nanoseconds"), [("0", 0), (0, 0), (3, 3_000_000), ("2us", 2_000), (0.25, 250_000)]
)
def test_latency_keeps_the_tutorials_meaning(tmp_path: Path, latency: Any, nanoseconds: int):
    document = changed(lambda d: d["links"].__setitem__(0, ["h1", "s1-p1", latency]))
    assert Topology.load(write(tmp_path, document)).links[0].delay_ns == nanoseconds


@pytest.mark.parametrize(("bandwidth", "bits"), [(1, 10**6), (0.5, 500_000), ("1Gbit", 10**9), (None, None)])
def test_bandwidth_keeps_the_tutorials_meaning(tmp_path: Path, bandwidth: Any, bits: int | None):
    document = changed(lambda d: d["links"].__setitem__(0, ["h1", "s1-p1", "0", bandwidth]))
    assert Topology.load(write(tmp_path, document)).links[0].rate_bps == bits


@pytest.mark.parametrize(
    ("command", "routes", "arp"),
    [
        ("route add default gw 10.0.1.9 dev eth0", [Route("0.0.0.0/0", "10.0.1.9")], {}),
        ("sudo route add default gw 10.0.1.9", [Route("0.0.0.0/0", "10.0.1.9")], {}),
        ("route add -net 10.9.0.0 netmask 255.255.0.0 gw 10.0.1.9", [Route("10.9.0.0/16", "10.0.1.9")], {}),
        ("route add -net 10.9.0.0/16 gw 10.0.1.9 dev eth0", [Route("10.9.0.0/16", "10.0.1.9")], {}),
        ("route add -host 10.9.0.1 gw 10.0.1.9", [Route("10.9.0.1/32", "10.0.1.9")], {}),
        ("ip route add 10.0.0.0/24 dev eth0", [Route("10.0.0.0/24", None)], {}),
        ("ip route add default via 10.0.1.9", [Route("0.0.0.0/0", "10.0.1.9")], {}),
        ("ip route add 10.9.0.0/16 via 10.0.1.9 dev h1-eth0", [Route("10.9.0.0/16", "10.0.1.9")], {}),
        ("arp -i eth0 -s 10.0.1.9 08:00:00:00:01:AA", [], {"10.0.1.9": "08:00:00:00:01:aa"}),
        ("arp -s 10.0.1.9 08:00:00:00:01:aa", [], {"10.0.1.9": "08:00:00:00:01:aa"}),
        ("arp -s 10.0.1.9 08:00:00:00:01:aa -i eth0", [], {"10.0.1.9": "08:00:00:00:01:aa"}),
        ("ip neigh add 10.0.1.9 lladdr 08:00:00:00:01:aa dev eth0", [], {"10.0.1.9": "08:00:00:00:01:aa"}),
        (
            "ip neigh replace 10.0.1.9 lladdr 08:00:00:00:01:aa nud permanent",
            [],
            {"10.0.1.9": "08:00:00:00:01:aa"},
        ),
    ],
)
def test_host_commands(command: str, routes: list[Route], arp: dict[str, str]):
    host = Topology().add_host("h1", ip="10.0.1.1/24", commands=[command])
    assert (host.routes, host.arp) == (routes, arp)


@pytest.mark.parametrize(
    "command",
    [
        "ethtool -K eth0 tx off rx off",
        "ethtool --offload eth0 tx off",
        "sysctl -w net.ipv6.conf.all.disable_ipv6=1",
    ],
)
def test_commands_without_effect_are_noted(command: str):
    assert Topology().add_host("h1", ip="10.0.1.1/24", commands=[command]).notes == [command]


def test_commands_change_interfaces_and_routes():
    topo = Topology()
    host = topo.add_host(
        "h1",
        ip="10.0.1.1/24",
        ip6="2001:db8:1::1/64",
        gateway6="2001:db8:1::9",
        mtu="9000B",
        commands=[
            "ip addr add 10.0.5.1/24 dev eth0",
            "ip link set dev eth0 mtu 1400 down",
            "ip link set eth0 up address 08:00:00:00:01:77",
            "route add default gw 10.0.1.9",
            "route del default",
            "ip route add default via 10.0.1.8",
            "ip route replace default via 10.0.1.7",
            "ip -6 route add 2001:db8:9::/48 via 2001:db8:1::8",
            "ip -6 neigh add 2001:db8:1::9 lladdr 08:00:00:00:01:99",
            "arp -s 10.0.1.9 08:00:00:00:01:aa",
            "arp -d 10.0.1.9",
            "tc qdisc add dev h1-eth0 root fq",
            'sysctl -w net.ipv4.tcp_congestion_control=bbr "net.ipv4.tcp_rmem=4096 131072 1000000"',
        ],
    )
    assert (host.interfaces[0].mtu, host.interfaces[0].up, host.mac) == (1400, True, "08:00:00:00:01:77")
    assert [str(own) for own in host.interfaces[0].addresses] == [
        "10.0.1.1/24",
        "2001:db8:1::1/64",
        "10.0.5.1/24",
    ]
    assert host.routes == [
        Route("::/0", "2001:db8:1::9"),
        Route("0.0.0.0/0", "10.0.1.7"),
        Route("2001:db8:9::/48", "2001:db8:1::8"),
    ]
    assert host.arp == {"2001:db8:1::9": "08:00:00:00:01:99"}
    assert host.tc == ["tc qdisc add dev h1-eth0 root fq"]
    assert host.sysctls == [
        ("net.ipv4.tcp_congestion_control", "bbr"),
        ("net.ipv4.tcp_rmem", "4096 131072 1000000"),
    ]


def test_hosts_have_several_interfaces():
    topo = Topology()
    host = topo.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.9")
    end = topo.add_interface(
        "h1",
        ip="10.0.2.1/24",
        commands=["ip route add 10.7.0.0/16 via 10.0.2.9", "arp -i eth1 -s 10.0.2.9 08:00:00:00:02:00"],
    )
    topo.add_switch("s1")
    topo.add_link("h1", "s1-p1")
    topo.add_link(end, "s1-p2")
    assert [str(link) for link in topo.links] == ["h1 <-> s1-p1", "h1-eth1 <-> s1-p2"]
    assert host.routes[1] == Route("10.7.0.0/16", "10.0.2.9", interface=1)
    assert host.arp_interfaces == {"10.0.2.9": 1}
    assert topo.link("h1-eth1", "s1") is topo.links[1]
    with pytest.raises(TopologyError, match='h1 has no interface "eth2"; did you mean "h1-eth1"'):
        topo.add_link("h1-eth2", "s1")
    with pytest.raises(TopologyError, match=r"h1 already has the address 10\.0\.1\.1"):
        topo.add_interface("h1", ip="10.0.1.1/24")
    assert len(host.interfaces) == 2


def at_host(**values: Any):
    return lambda d: d["hosts"]["h1"].update(values)


def without(*path: str):
    def change(document: dict[str, Any]) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


def link(*elements: Any):
    return lambda d: d["links"].__setitem__(0, list(elements))


def at_switch(**values: Any):
    return lambda d: d["switches"]["s1"].update(values)


SUPPORTED = "(understood: route, arp, ifconfig, ip route, ip neigh, ip addr, ip link, tc, ethtool -K, sysctl)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("hosts"), '$: missing key "hosts"'),
        (without("links"), '$: missing key "links"'),
        (lambda d: d.update(host={}), '$.host: unknown key "host"; did you mean "hosts"?'),
        (lambda d: d.update(hosts=[]), "$.hosts: expected an object, found a list"),
        (lambda d: d.update(links={}), "$.links: expected a list, found an object"),
        (lambda d: d["hosts"].update({"h-1": {}}), "$.hosts.h-1: 'h-1' is not a name for a node: use letters, digits, _ and ., a letter first"),
        (lambda d: d["switches"].update({"s" * 300: {}}), f"$.switches.\"{'s' * 80}…\": 'ssssssssssssssssssss…' is too long for the name of a node: it has 300 characters, expected 63 or fewer"),
        (lambda d: d["switches"].update(h1={}), '$.switches.h1: there already is a node "h1"'),
        (without("hosts", "h1", "ip"), '$.hosts.h1: missing key "ip"'),
        (at_host(adress="x"), '$.hosts.h1.adress: unknown key "adress" (known: ip, mac, commands, ip6, gateway, gateway6, arp, mtu and 4 more)'),
        (at_host(comands=[]), '$.hosts.h1.comands: unknown key "comands"; did you mean "commands"?'),
        (at_host(ip="10.0.1.1"), '$.hosts.h1.ip: "10.0.1.1" has no prefix length; did you mean "10.0.1.1/24"?'),
        (at_host(ip="10.0.1/24"), '$.hosts.h1.ip: "10.0.1" is not an IPv4 address (expected 4 octets)'),
        (at_host(ip="10.0.1.300/24"), '$.hosts.h1.ip: "10.0.1.300" is not an IPv4 address (octet 300 (> 255) not permitted)'),
        (at_host(ip="10.0.1.1/33"), '$.hosts.h1.ip: "33" is not a prefix length: expected 0 to 32'),
        (at_host(ip="fe80::1/64"), '$.hosts.h1.ip: "fe80::1" is an IPv6 address, expected an IPv4 address such as "10.0.1.1"'),
        (at_host(ip="224.0.0.1/24"), "$.hosts.h1.ip: 224.0.0.1 cannot be the address of a host: 224.0.0.0/4 is for multicast"),
        (at_host(ip="10.0.1.255/24"), "$.hosts.h1.ip: 10.0.1.255 is its network's broadcast address, not a host's"),
        (at_host(ip=7), '$.hosts.h1.ip: expected an address such as "10.0.1.1/24", found a number 7'),
        (at_host(ip="10.0.2.2/24", commands=[]), "$.hosts.h2: h1 already has the address 10.0.2.2"),
        (at_host(mac="08:00:00:00:01"), '$.hosts.h1.mac: "08:00:00:00:01" is not a MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)'),
        (at_host(mac="01:00:00:00:01:11"), "$.hosts.h1.mac: 01:00:00:00:01:11 is a group address (odd first byte): a host needs an individual one"),
        (at_host(mac="00:00:00:00:00:00"), "$.hosts.h1.mac: a host cannot have the all-zero MAC address"),
        (at_host(mac="08:00:00:00:02:22"), "$.hosts.h2: h1 already has the MAC address 08:00:00:00:02:22"),
        (at_host(mac=None), '$.hosts.h1.mac: expected a MAC address such as "08:00:00:00:01:11", found null'),
        (at_host(commands="arp"), '$.hosts.h1.commands: expected a list, found a string "arp"'),
        (at_host(commands=[1]), "$.hosts.h1.commands[0]: expected a command (a string), found a number 1"),
        (at_host(commands=[""]), "$.hosts.h1.commands[0]: the command is empty"),
        (at_host(commands=['a "b']), "$.hosts.h1.commands[0]: cannot read the command: no closing quotation"),
        (at_host(commands=["iperf -s"]), '$.hosts.h1.commands[0]: host command "iperf -s" is not supported: host.iperf(…) sends a flow'),
        (at_host(commands=["/usr/bin/python3 send.py &"]), '$.hosts.h1.commands[0]: host command "/usr/bin/python3 send.py &" is not supported: host.run(…) runs a weir.HostProgram on a host'),
        (at_host(commands=["iptables -A OUTPUT -j DROP"]), '$.hosts.h1.commands[0]: host command "iptables -A OUTPUT -j DROP" is not supported: hosts have no packet filter'),
        (at_host(commands=["hostname h1"]), f'$.hosts.h1.commands[0]: host command "hostname h1" is not supported {SUPPORTED}'),
        (at_host(commands=["ethtool -s eth0 speed 100"]), '$.hosts.h1.commands[0]: host command "ethtool -s eth0 speed 100" is not supported: add_link(…, rate="100Mbit") or net.link(…).rate = "100Mbit" sets the rate of a link'),
        (at_host(commands=["ethtool -K eth0 tso"]), '$.hosts.h1.commands[0]: "tso" in the host command "ethtool -K eth0 tso" must be on or off, found nothing'),
        (at_host(commands=["ethtool eth0"]), '$.hosts.h1.commands[0]: host command "ethtool eth0" is not supported: expected ethtool -K eth0 FEATURE on|off, such as ethtool -K eth0 tso off gso off'),
        (at_host(commands=["sysctl -w net.ipv4.ip_forward=1"]), '$.hosts.h1.commands[0]: the setting "net.ipv4.ip_forward" is not supported: hosts do not forward, switches do'),
        (at_host(commands=["sysctl -w net.core.default_qdisc=sfq"]), '$.hosts.h1.commands[0]: "sfq" in the host command "sysctl -w net.core.default_qdisc=sfq" is not a queueing discipline for all interfaces (known: fq, fq_codel, codel, pfifo, bfifo); did you mean "fq"?'),
        (at_host(commands=["rout add default gw 10.0.1.9"]), f'$.hosts.h1.commands[0]: host command "rout add default gw 10.0.1.9" is not supported {SUPPORTED}; did you mean "route"?'),
        (at_host(commands=["route add default gw 10.0.1"]), '$.hosts.h1.commands[0]: "10.0.1" is not an IPv4 address (expected 4 octets)'),
        (at_host(commands=["route add default via 10.0.1.9"]), '$.hosts.h1.commands[0]: "via" in the host command "route add default via 10.0.1.9" is not understood (known: gw, netmask, dev, metric)'),
        (at_host(commands=["route add default gw"]), '$.hosts.h1.commands[0]: nothing follows "gw" in the host command "route add default gw"'),
        (at_host(commands=["route add"]), '$.hosts.h1.commands[0]: host command "route add" has no destination'),
        (at_host(commands=["route add default dev eth1"]), '$.hosts.h1.commands[0]: h1 has no interface "eth1"; did you mean "eth0"?'),
        (at_host(commands=["ip route add 10.0.0.1/24"]), '$.hosts.h1.commands[0]: "10.0.0.1/24" has bits set past its prefix; did you mean "10.0.0.0/24"?'),
        (at_host(commands=["ip route add x/24"]), '$.hosts.h1.commands[0]: "x/24" is not an IPv4 network such as 10.0.0.0/24'),
        (at_host(commands=["ip neigh add 10.0.0.1"]), '$.hosts.h1.commands[0]: host command "ip neigh add 10.0.0.1" has no lladdr'),
        (at_host(commands=["ip link set eth0 speed 10"]), '$.hosts.h1.commands[0]: "speed" in the host command "ip link set eth0 speed 10" is not understood (known: up, down, mtu, address)'),
        (at_host(commands=["ip link show"]), '$.hosts.h1.commands[0]: host command "ip link show" is not supported: expected ip route add NETWORK via GATEWAY, ip neigh add IP lladdr MAC, ip addr add IP/LENGTH dev eth0 or ip link set eth0 up|down|mtu BYTES|address MAC'),
        (at_host(commands=["ip link set eth0 mtu 9"]), '$.hosts.h1.commands[0]: "9" in the host command "ip link set eth0 mtu 9" is not an MTU: expected 68 to 65535 bytes'),
        (at_host(commands=["ip link set eth0 mtu"]), '$.hosts.h1.commands[0]: nothing follows "mtu" in the host command "ip link set eth0 mtu"'),
        (at_host(commands=["ip link set eth1 up"]), '$.hosts.h1.commands[0]: h1 has no interface "eth1"; did you mean "eth0"?'),
        (at_host(commands=["ip addr add 10.0.9.1/24"]), '$.hosts.h1.commands[0]: host command "ip addr add 10.0.9.1/24" has no dev'),
        (at_host(commands=["ip addr add 10.0.9.1 dev eth0"]), '$.hosts.h1.commands[0]: "10.0.9.1" has no prefix length; did you mean "10.0.9.1/24"?'),
        (at_host(commands=["ip addr del 10.0.1.1/24 dev eth0"]), '$.hosts.h1: h1 has no IPv4 address at eth0'),
        (at_host(commands=["ip route del default"]), '$.hosts.h1.commands[0]: host command "ip route del default": there is no route to 0.0.0.0/0'),
        (at_host(commands=["ip route add 2001:db8::/32 via 10.0.1.9"]), '$.hosts.h1.commands[0]: host command "ip route add 2001:db8::/32 via 10.0.1.9": network and gateway have different IP versions'),
        (at_host(commands=["ifconfig eth0"]), '$.hosts.h1.commands[0]: host command "ifconfig eth0" is not supported: expected ifconfig eth0 mtu BYTES, up, down, or an address'),
        (at_host(commands=["ifconfig eth0 10.0.1.7 netmask 255.0.255.0"]), '$.hosts.h1.commands[0]: "255.0.255.0" is not a network mask such as 255.255.255.0'),
        (at_host(commands=["tc qdisc add dev eth0 root fk"]), '$.hosts.h1.commands[0]: host command `tc qdisc add dev eth0 root fk`: queueing discipline `fk` is not supported (supported: pfifo, bfifo, tbf, htb, fq, codel, fq_codel, red, dualpi2, netem); did you mean `fq`?'),
        (at_host(commands=["tc qdisc add dev eth3 root fq"]), '$.hosts.h1.commands[0]: h1 has no interface "eth3"; did you mean "eth0"?'),
        (at_host(commands=["sysctl"]), '$.hosts.h1.commands[0]: host command "sysctl" is not supported: expected sysctl -w NAME=VALUE'),
        (at_host(commands=["sysctl -w net.ipv4.tcp_sac=0"]), '$.hosts.h1.commands[0]: the setting "net.ipv4.tcp_sac" is not supported; did you mean "net.ipv4.tcp_sack"?'),
        (at_host(commands=["arp -d 10.0.0.1"]), '$.hosts.h1.commands[0]: host command "arp -d 10.0.0.1": h1 has no neighbour 10.0.0.1'),
        (at_host(commands=["arp -n"]), '$.hosts.h1.commands[0]: host command "arp -n" is not supported: expected arp -i eth0 -s IP MAC or arp -d IP, such as arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00'),
        (at_host(commands=["arp -s 10.0.0.1 08:00"]), '$.hosts.h1.commands[0]: "08:00" is not a MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)'),
        (at_host(commands=["route add default gw 10.0.1.9", "ip route add default via 10.0.1.8"]), '$.hosts.h1.commands[1]: host command "ip route add default via 10.0.1.8" adds a second route to 0.0.0.0/0'),
        (at_switch(runtime="x"), '$.switches.s1.runtime: unknown key "runtime"; did you mean "runtime_json"?'),
        (at_switch(runtime_json="s1-runtim.json"), '$.switches.s1.runtime_json: there is no file "s1-runtim.json" next to topology.json, in the parent folder or in the current one; did you mean "s1-runtime.json"?'),
        (at_switch(runtime_json=["x"]), "$.switches.s1.runtime_json: expected the name of a file (a string), found a list"),
        (at_switch(program="build/firewall.json"), '$.switches.s1.program: there is no compiled program "build/firewall.json", and no firewall.p4 to compile next to topology.json, in the parent folder or in the current one'),
        (at_switch(program="firewal.p4"), '$.switches.s1.program: there is no file "firewal.p4" next to topology.json, in the parent folder or in the current one'),
        (at_switch(cpu_port=2**32), "$.switches.s1.cpu_port: port 4294967296 is out of range: a switch has ports 0 to 4294967295 at most"),
        (at_switch(cpu_port="x"), '$.switches.s1.cpu_port: expected a port number, found a string "x"'),
        (link("h9", "s1-p1"), '$.links[0][0]: there is no host or switch "h9"; did you mean "h1"?'),
        (link("h1", "s9-p1"), '$.links[0][1]: there is no host or switch "s9-p1"; did you mean "s1-p1"?'),
        (link("h1", "router"), '$.links[0][1]: there is no host or switch "router" (known: h1, h2, s1, s2)'),
        (link("h1", "s1"), '$.links[0][1]: "s1" is a switch: expected one of its ports; did you mean "s1-p1"?'),
        (link("h1", "s1-1"), '$.links[0][1]: cannot read the port in "s1-1": expected a switch and its port; did you mean "s1-p1"?'),
        (link("h1", "s1-p4294967296"), "$.links[0][1]: port 4294967296 is out of range: a switch has ports 0 to 4294967295 at most"),
        (link("h1-p1", "s1-p1"), '$.links[0][0]: a host has no ports: "h1-p1"; did you mean "h1"?'),
        (link("h1", 1), '$.links[0][1]: expected a link\'s end such as "h1" or "s1-p1", found a number 1'),
        (link("s1-p1", "s1-p3"), "$.links[0]: a link needs two nodes, both ends are on s1"),
        (lambda d: d["links"].append(["h1", "s1-p5"]), "$.links[3][0]: host h1 is already linked (h1 <-> s1-p1); Topology.add_interface gives h1 another interface"),
        (lambda d: d["links"].append(["s2-p9", "s1-p1"]), "$.links[3][1]: port 1 of s1 is already linked (h1 <-> s1-p1)"),
        (link("h1"), "$.links[0]: a link has two ends and optionally latency and bandwidth, found 1 elements"),
        (link("h1", "s1-p1", 0, 1, 2), "$.links[0]: a link has two ends and optionally latency and bandwidth, found 5 elements"),
        (lambda d: d["links"].append("h1"), '$.links[3]: expected a link such as ["h1", "s1-p1", "5ms", 10], found a string "h1"'),
        (link("h1", "s1-p1", "5"), "$.links[0][2]: latency '5' has no unit; did you mean \"5ms\"?"),
        (link("h1", "s1-p1", -1), "$.links[0][2]: latency '-1ms' is negative"),
        (link("h1", "s1-p1", None), '$.links[0][2]: expected a latency such as "1ms", found null'),
        (link("h1", "s1-p1", 0, 0), "$.links[0][3]: bandwidth '0Mbit' lets nothing through: a rate must be above zero (null means unlimited)"),
        (link("h1", "s1-p1", 0, "10 Mbyte"), "$.links[0][3]: unknown unit 'Mbyte' in bandwidth '10 Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)"),
    ],
)  # fmt: skip
def test_mistakes_name_file_place_and_nearest(tmp_path: Path, change, message: str):
    path = write(tmp_path, changed(change))
    with pytest.raises(TopologyError) as caught:
        Topology.load(path)
    place, _, rest = str(caught.value).partition(" ")
    assert re.fullmatch(re.escape(f"{path}:") + r"1:[0-9]+:", place)
    assert rest == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1:1: is not JSON: the file is empty"),
        ('{"hosts": {', ":1:11: is not JSON: this bracket is never closed"),
        ('{"hosts":\n {,}}', ":2:3: is not JSON: unexpected token in object"),
        ('{"hosts": 1, "hosts": 2}', ':1:14: $.hosts: the key "hosts" appears twice in one object'),
        ('{"hosts": NaN}', ":1:11: is not JSON: unexpected token"),
        ("[" * 100_000, ":1:513: is nested too deeply"),
        ("[]", ":1:1: $: expected an object, found a list"),
    ],
)
def test_broken_json(tmp_path: Path, text: str, message: str):
    path = write(tmp_path, text)
    with pytest.raises(WeirError) as caught:
        Topology.load(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_missing_file_names_its_neighbour(tmp_path: Path):
    path = write(tmp_path, GOOD)
    with pytest.raises(FileError) as caught:
        Topology.load(tmp_path / "topologi.json")
    assert str(caught.value) == f'{tmp_path / "topologi.json"}: no such file; did you mean "{path}"?'


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(FileError) as caught:
        Topology.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a directory, expected a file"


def test_bytes_that_are_no_text(tmp_path: Path):
    path = tmp_path / "topology.json"
    path.write_bytes(b'{"hosts": "\xff"}')
    with pytest.raises(FileError) as caught:
        Topology.load(path)
    assert str(caught.value) == f"{path}: is not UTF-8 text (byte 11)"


def test_built_by_hand():
    topology = Topology()
    topology.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.254", arp={"10.0.1.254": "08:00:00:00:01:00"})
    topology.add_host("h2", ip="10.0.2.2/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1-p1", rate="10Mbit", delay="5ms", loss="1%")
    topology.add_link("h2", "s1")
    assert topology.hosts["h1"].mac != topology.hosts["h2"].mac
    assert [str(link) for link in topology.links] == ["h1 <-> s1-p1", "h2 <-> s1-p2"]
    assert topology.links[0].loss == 0.01
    assert topology.link("s1", "h1") is topology.links[0]
    assert topology.link("h2", "s1-p2") is topology.links[1]


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        (("h1", "h2"), "no link joins h1 and h2 (h1 has h1 <-> s1-p1)"),
        (("s1", "s2"), "2 links join s1 and s2: name one by its ports, such as s1-p2 and s2-p1"),
        (("h1", "s3"), 'there is no host or switch "s3"; did you mean "s1"?'),
    ],
)
def test_unknown_link_ends(ends: tuple[str, str], message: str):
    topology = Topology()
    topology.add_host("h1", ip="10.0.1.1/24")
    topology.add_host("h2", ip="10.0.2.2/24")
    topology.add_switch("s1")
    topology.add_switch("s2")
    for a, b in [("h1", "s1"), ("s1", "s2"), ("s1", "s2")]:
        topology.add_link(a, b)
    with pytest.raises(TopologyError) as caught:
        topology.link(*ends)
    assert str(caught.value) == message


def test_a_mistake_leaves_the_topology_as_it_was():
    topology = Topology()
    topology.add_host("h1", ip="10.0.1.1/24")
    topology.add_switch("s1")
    for wrong in [lambda: topology.add_link("h1", "h1"), lambda: topology.add_host("h1", ip="10.0.1.2/24")]:
        with pytest.raises(TopologyError):
            wrong()
    assert (list(topology.hosts), topology.links) == (["h1"], [])

"""``weir topology check`` refuses what the network refuses, at its place."""

import json
from pathlib import Path
from typing import Any

import pytest

import weir
from command import weir as weir_command

SWITCHES = {"s1": {}}
LINKS = [["h1", "s1-p1"], ["h2", "s1-p2"]]


def written(folder: Path, h1: dict[str, Any], switches: object = SWITCHES, links: object = LINKS) -> Path:
    """A topology file with these settings of h1."""
    hosts = {"h1": {"ip": "10.0.0.1/24", **h1}, "h2": {"ip": "10.0.0.2/24"}}
    file = folder / "topology.json"
    file.write_text(json.dumps({"hosts": hosts, "switches": switches, "links": links}, indent=1))
    return file


def command(line: str) -> dict[str, Any]:
    return {"commands": [line]}


@pytest.mark.parametrize(
    ("h1", "path", "reason"),
    [
        ({"ip6": "2001:db8::1/64", "mtu": "1000B"}, "mtu", "expected 1280 or more for IPv6"),
        ({"interfaces": [{"ip6": "2001:db8::1/64", "mtu": "1000B"}]}, "interfaces[0].mtu", "1280 or more"),
        ({"arp": {"10.0.0.2": "01:00:5e:00:00:01"}}, 'arp."10.0.0.2"', "expected unicast addresses"),
        (command("arp -s 10.0.0.2 01:00:5e:00:00:01"), "commands[0]", "expected unicast addresses"),
        (command("ip neigh add 224.0.0.9 lladdr 08:00:00:00:00:09"), "commands[0]", "expected unicast"),
        (command("sysctl -w net.ipv4.tcp_congestion_control=foo"), "commands[0]", "expected reno, cubic"),
        (command("sysctl -w net.ipv4.tcp_rmem=0"), "commands[0]", "expected a whole number from 1"),
        (command("tc qdisc change dev eth0 root fq"), "commands[0]", "tc qdisc change"),
        (command("tc qdisc add dev eth0 parent 1: fq"), "commands[0]", "tc qdisc add"),
        ({"ip": "10.0.0.1/32", **command("ip route add default via 224.0.0.1")}, "commands[0]", "unicast"),
    ],
)
def test_hosts_that_the_network_refuses(tmp_path: Path, h1: dict[str, Any], path: str, reason: str):
    file = written(tmp_path, h1)
    code, out, err = weir_command("topology", "check", file)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {file}:") and f": $.hosts.h1.{path}: " in err and reason in err


@pytest.mark.parametrize("qdisc", ["", {"s1-p1": "netem delay"}, {"h1": "tbf rate 1Mbit"}])
def test_disciplines_that_the_network_refuses(tmp_path: Path, qdisc: object):
    file = written(tmp_path, {}, links=[{"ends": ["h1", "s1-p1"], "qdisc": qdisc}, ["h2", "s1-p2"]])
    code, _, err = weir_command("topology", "check", file)
    assert code == 1 and err.startswith(f"error: {file}:") and ": $.links[0].qdisc" in err


def test_a_second_discipline_of_an_interface(tmp_path: Path):
    links = [{"ends": ["h1", "s1-p1"], "qdisc": {"h1": "fq"}}, ["h2", "s1-p2"]]
    file = written(tmp_path, command("tc qdisc add dev eth0 root fq"), links=links)
    code, _, err = weir_command("topology", "check", file)
    assert code == 1 and ": $.links[0].qdisc" in err


def test_a_profile_that_does_not_exist(tmp_path: Path):
    file = written(tmp_path, {}, switches={"s1": {"profile": "bmv2-wm"}})
    code, _, err = weir_command("topology", "check", file)
    assert code == 1
    assert 'there is no timing profile "bmv2-wm"; did you mean "bmv2-vm"?' in err
    assert f"{file}:" in err and "$.switches.s1.profile" in err


def test_a_mistake_that_a_later_command_corrects_is_none(tmp_path: Path):
    h1 = {"ip6": "2001:db8::1/64", "mtu": "1000B", **command("ip link set eth0 mtu 1500")}
    file = written(tmp_path, h1)
    assert weir_command("topology", "check", file)[0] == 0
    weir.Network(file).close()


@pytest.mark.parametrize(
    "own", ["127.0.0.1/8", "0.1.2.3/8", "0.0.0.0/8", "240.0.0.1/24", "224.0.0.1/24", "255.255.255.255/32"]
)
def test_addresses_that_no_host_can_have(tmp_path: Path, own: str):
    reason = f"{own.split('/')[0]} cannot be the address of a host: "
    code, _, err = weir_command("topology", "check", written(tmp_path, {"ip": own}))
    assert code == 1 and f"$.hosts.h1.ip: {reason}" in err
    with pytest.raises(weir.TopologyError, match=reason):
        weir.Topology().add_host("h1", own)


@pytest.mark.parametrize("own", ["::1/128", "::/64", "::ffff:1.2.3.4/96", "ff02::1/64"])
def test_addresses_of_ipv6_that_no_host_can_have(tmp_path: Path, own: str):
    reason = f"{own.split('/')[0]} cannot be the address of a host: "
    code, _, err = weir_command("topology", "check", written(tmp_path, {"ip6": own}))
    assert code == 1 and f"$.hosts.h1.ip6: {reason}" in err
    with pytest.raises(weir.TopologyError, match=reason):
        weir.Topology().add_host("h1", "10.0.0.1/24", ip6=own)


def test_addresses_that_a_running_host_cannot_get(tmp_path: Path):
    reason = r"127\.0\.0\.2 cannot be the address of a host"
    with weir.Network(written(tmp_path, {})) as net, pytest.raises(weir.NetworkError, match=reason):
        net.host("h1").cmd("ip addr add 127.0.0.2/8 dev eth0")


@pytest.mark.parametrize("key", ["runtime_json", "program", "cli_input"])
def test_a_folder_is_no_file_of_a_switch(tmp_path: Path, key: str):
    file = written(tmp_path, {}, switches={"s1": {key: "/"}})
    code, _, err = weir_command("topology", "check", file)
    assert code == 1 and f'$.switches.s1.{key}: there is no file "/"' in err


def test_errors_in_programs_have_their_place(tmp_path: Path):
    (tmp_path / "wrong.p4").write_text("#include <v1model.p4>\nconst bit<8> X = y;\n")
    (tmp_path / "right.p4").write_text("#include <core.p4>\nconst bit<8> X = 1;\n")
    switches = {"s1": {"program": "wrong.p4"}, "s2": {"program": "wrong.p4"}, "s3": {"program": "right.p4"}}
    links = [["h1", "s1-p1"], ["h2", "s1-p2"], ["s1-p3", "s2-p1"], ["s2-p2", "s3-p1"]]
    file = written(tmp_path, {}, switches=switches, links=links)
    code, out, err = weir_command("topology", "check", file)
    assert (code, out) == (1, "")
    assert err.count("error[unknown-name]") == 1
    assert "wrong.p4:2:18" in err and "right.p4" not in err
    (tmp_path / "wrong.p4").write_text("#include <v1model.p4>\nconst bit<8> X = 1;\n")
    assert weir_command("topology", "check", file)[0] == 0

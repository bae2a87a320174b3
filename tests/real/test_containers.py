"""The lab for containerlab and Kathará, with namespaces in place of containers.

Each node is a host of the Linux world, and runs what the lab's files say, as both tools would in a
container. Neither the tools nor images run here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from linux_networks import eventually

import needed
import weir

ROOT = Path(__file__).parents[2]
LAB = ROOT / "docs" / "how-to" / "containers"
pytestmark = pytest.mark.usefixtures("namespaces")


@dataclass
class Lab:
    """What a tool reads from the lab's files."""

    links: list[tuple[str, str]]
    """The two interfaces that each link connects, such as ``r1:eth0``."""
    commands: dict[str, list[str]] = field(default_factory=dict)
    """Lines for the shell of each node. A line that starts FRR is left out."""


def containerlab() -> Lab:
    """What containerlab reads."""
    topology = yaml.safe_load((LAB / "ospf.clab.yml").read_text(encoding="utf-8"))["topology"]
    lab = Lab([tuple(link["endpoints"]) for link in topology["links"]])
    for name, node in topology["nodes"].items():
        lab.commands[name] = list(node.get("exec", []))
        if group := topology["groups"].get(node.get("group")):
            assert (group["image"], group["user"]) == ("localhost/weir", "root")
            command = f"{group['entrypoint']} {node['cmd']}"
            for bind in node["binds"]:
                ours, theirs, *_ = bind.split(":")
                command = command.replace(f"{theirs}/", f"{LAB / ours}/")
            assert "/lab/" not in command
            count = sum(end.startswith(f"{name}:") for link in lab.links for end in link)
            lab.commands[name] = [f"CLAB_INTFS={count} {command} &"]
        else:
            for bind in node.get("binds", []):
                assert (LAB / bind.partition(":")[0]).is_file()
    return lab


def kathara() -> Lab:
    """What Kathará reads."""
    domains: dict[str, list[str]] = {}
    images: dict[str, str] = {}
    for line in (LAB / "lab.conf").read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r'(\w+)\[(\w+)\]="([\w/-]+)"', line):
            node, key, value = match.groups()
            if key == "image":
                images[node] = value
            else:
                domains.setdefault(value, []).append(f"{node}:eth{key}")
        else:
            assert not line or line.startswith(("#", "LAB_")), line
    lab = Lab([tuple(ends) for ends in domains.values()])
    assert images["s1"] == "weir-kathara"
    for node in images:
        lines = (LAB / f"{node}.startup").read_text(encoding="utf-8").splitlines()
        # Files in the folder of a node are in the root folder of its container.
        lines = [line.replace(" /wire.p4", f" {LAB / node}/wire.p4") for line in lines]
        lab.commands[node] = [line for line in lines if line != "/usr/lib/frr/frrinit.sh start"]
    return lab


def start_frr(net: weir.Network, router: str, folder: Path) -> None:
    """Starts the daemons that the lab's file names, with the lab's settings."""
    settings = LAB / router / "etc" / "frr"
    daemons = re.findall(r"^(\w+d|zebra)=yes$", (settings / "daemons").read_text(), re.MULTILINE)
    assert daemons == ["zebra", "ospfd"]
    for daemon in daemons:
        own = folder / f"{router}-{daemon}"
        own.mkdir()
        # Daemons do not know each other's commands, so zebra only reads the hostname.
        text = (settings / "frr.conf").read_text()
        (own / "frr.conf").write_text(text if daemon == "ospfd" else text.splitlines()[0] + "\n")
        for file in (own, own / "frr.conf"):
            shutil.chown(file, "frr", "frr")
        files = f"-f {own}/frr.conf -i {own}/pid --vty_socket {own} -z {folder}/{router}.api -P 0"
        net.host(router).popen(
            f"exec /usr/lib/frr/{daemon} {files}", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


@pytest.mark.slow
@pytest.mark.parametrize("routes", ["static", "frr"])
@pytest.mark.parametrize("read", [containerlab, kathara])
def test_hosts_reach_each_other(read, routes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if routes == "frr":
        needed.need("vtysh", required="WEIR_REQUIRE_FRR")
        if os.geteuid() != 0:
            needed.skip("FRR changes to its own user, which only root can", "WEIR_REQUIRE_FRR")
    needed.need("ping", required="WEIR_REQUIRE_NAMESPACES")
    weir_command = tmp_path / "weir"
    weir_command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m weir "$@"\n')
    weir_command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    # FRR's user cannot enter pytest's folders.
    with tempfile.TemporaryDirectory() as temporary, network(lab := read()) as net:
        folder = Path(temporary)
        folder.chmod(0o777)
        monkeypatch.chdir(tmp_path)
        # The switch starts before its interfaces have their names, as in containerlab.
        for command in lab.commands.pop("s1"):
            net.host("s1").cmd(command.replace("/var/log/weir.log", f"{folder}/weir.log"))
        give_names(net, lab, "s1")
        for name, commands in lab.commands.items():
            give_names(net, lab, name)
            assert [net.host(name).cmd(command) for command in commands] == [""] * len(commands)
        for router, other in (("r1", 2), ("r2", 1)):
            net.host(router).cmd("sysctl -w net.ipv4.ip_forward=1")
            if routes == "frr":
                start_frr(net, router, folder)
            else:
                net.host(router).cmd(f"ip route add 10.0.{other}.0/24 via 10.0.12.{other}")
        eventually(lambda: " 0% packet loss" in net.host("h1").cmd("ping -c 1 -W 1 10.0.2.1"), 120)


def network(lab: Lab) -> weir.Network:
    """Returns a network of hosts with the lab's links. The addresses are those of no lab."""
    topology = weir.Topology()
    ends = sorted(end for link in lab.links for end in link)
    nodes: dict[str, list[str]] = {}
    for end in ends:
        nodes.setdefault(end.partition(":")[0], []).append(end)
    names = {}
    for number, (node, own) in enumerate(sorted(nodes.items()), 1):
        topology.add_host(node, f"192.0.2.{number}/32")
        for place, end in enumerate(own):
            names[end] = f"{node}-eth{place}"
            if place:
                topology.add_interface(node, f"198.51.100.{10 * number + place}/32")
    for one, two in lab.links:
        topology.add_link(names[one], names[two])
    return weir.Network(topology, world="linux")


def give_names(net: weir.Network, lab: Lab, node: str) -> None:
    """Gives the interfaces of a node the names that the lab's files use."""
    names = sorted(end.partition(":")[2] for link in lab.links for end in link if end.startswith(f"{node}:"))
    # The last first: eth1 becomes eth2 before eth0 becomes eth1.
    for place, name in reversed(list(enumerate(names))):
        net.host(node).cmd(f"ip address flush dev eth{place}")
        if name != f"eth{place}":
            net.host(node).cmd(f"ip link set eth{place} down; ip link set eth{place} name {name}")
            net.host(node).cmd(f"ip link set {name} up")

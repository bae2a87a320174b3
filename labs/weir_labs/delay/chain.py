"""The lab's network: h1 and h2 at the ends of a chain of switches that recirculate packets."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import weir

from .machines import Machine

_FOLDER = Path(__file__).resolve().parent

H1, H2 = ("10.0.1.1", "08:00:00:00:01:11"), ("10.0.2.2", "08:00:00:00:02:22")
"""The IPv4 and MAC addresses of the hosts, as in the thesis."""


@cache
def program(name: str) -> weir.Program:
    """Compiles one of the lab's P4 programs, once in each process."""
    return weir.compile(_FOLDER / f"{name}.p4")


def chain(switches: int, machine: Machine, rate: str | None = None) -> weir.Topology:
    """Creates the topology h1 – s1 – … – sN – h2.

    Port 1 of each switch leads to h1, port 2 to h2.

    Args:
        switches: the number of switches, 1 to 200.
        machine: the timing of the hosts.
        rate: the rate of all links; ``None`` for links without transmission time.
    """
    topology = weir.Topology()
    for (ip, mac), name, gateway_ip, end in ((H1, "h1", "10.0.1.10", 1), (H2, "h2", "10.0.2.20", switches)):
        gateway = port_mac(end, 1 if name == "h1" else 2)
        host = topology.add_host(name, f"{ip}/24", mac, gateway=gateway_ip, arp={gateway_ip: gateway})
        if machine.computer is None:
            host.processing_ns, host.processing_jitter_ns = machine.host_ns, machine.host_jitter_ns
    for number in range(1, switches + 1):
        topology.add_switch(f"s{number}", entries=_entries(number, switches))
    topology.add_link("h1", "s1-p1", rate=rate)
    for number in range(1, switches):
        topology.add_link(f"s{number}-p2", f"s{number + 1}-p1", rate=rate)
    topology.add_link("h2", f"s{switches}-p2", rate=rate)
    return topology


def network(
    p4: str,
    machine: Machine,
    *,
    switches: int = 1,
    rate: str | None = None,
    seed: int = 1,
    noise: str = "none",
    world: str = "virtual",
    switch: str = "weir",
    computer: weir.Computer | None = None,
) -> weir.Network:
    """Starts the network of a chain; see :func:`chain`.

    Args:
        p4: the name of one of the lab's programs.
        machine: the timing of switches and hosts.
        switches: the number of switches.
        rate: the rate of all links; ``None`` for links without transmission time.
        seed: the seed of all random numbers.
        noise: see :class:`weir.Network`.
        computer: the computer that switches and hosts share in the virtual world; its times replace
            the machine's.
        world: ``virtual`` or ``linux``, where switches and hosts are as fast as this computer.
        switch: the kind of switch in the Linux world, see :class:`weir.Network`.
    """
    topology = chain(switches, machine, rate)
    if world == "linux":
        return weir.Network(topology, program(p4), seed=seed, world="linux", switches=switch)
    if computer is not None or machine.computer is not None:
        shared = computer or machine.computer
        return weir.Network(topology, program(p4), computer=shared, seed=seed, noise=noise)
    return weir.Network(topology, program(p4), profile=machine.profile, seed=seed, noise=noise)


def recirculate(network: weir.Network, x: int) -> None:
    """Configures all switches to recirculate each packet X times (strategy 1)."""
    for switch in network.switches:
        switch.table("recirculations").set_default("set_limit", {"x": x})


def link_rate(rate: str) -> str | None:
    """Converts the value of the parameter ``link`` to a link's rate; ``unlimited`` becomes
    ``None``."""
    return None if rate == "unlimited" else rate


def port_mac(switch: int, port: int) -> str:
    """Returns the MAC address of a switch's port."""
    return f"08:00:00:01:{switch:02x}:{port:02x}"


def _entries(number: int, switches: int) -> dict[str, Any]:
    """Builds the table entries of a switch: routes to both hosts, and the MAC addresses of the
    ports."""
    next_hops = (
        (H1[0], 1, H1[1] if number == 1 else port_mac(number - 1, 2)),
        (H2[0], 2, H2[1] if number == switches else port_mac(number + 1, 1)),
    )
    routes = [
        {
            "table": "MyIngress.ipv4_lpm",
            "match": {"hdr.ipv4.dstAddr": [address, 32]},
            "action_name": "MyIngress.ipv4_forward",
            "action_params": {"dstAddr": mac, "port": port},
        }
        for address, port, mac in next_hops
    ]
    ports = [
        {
            "table": "MyEgress.port_mac",
            "match": {"standard_metadata.egress_port": port},
            "action_name": "MyEgress.set_source",
            "action_params": {"srcAddr": port_mac(number, port)},
        }
        for port in (1, 2)
    ]
    return {"target": "bmv2", "table_entries": [*routes, *ports]}

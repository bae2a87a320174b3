"""A fat tree of switches with balance.p4, in which edge switches choose whole paths."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, Final

import weir
from weir import units
from weir.topology import shapes

from .balancers import Balancer, Entry, row
from .fabric import QUEUE_PACKETS

PORTS: Final = 4
"""The number of ports of each switch, for 16 hosts in 4 pods, 8 edge, 8 aggregation and 4 core
switches."""

HOSTS: Final = PORTS**3 // 4

SENDERS: Final = range(1, HOSTS + 1)
"""The numbers of hosts that may send."""

_HALF_PORTS: Final = PORTS // 2
_POD_HOSTS: Final = _HALF_PORTS * _HALF_PORTS  # hosts
_CLONE_SESSION, _UNLINKED_PORT = 1, 100


def fat_tree(balancer: Balancer | None = None, *, rate: str = "10Mbit") -> weir.Topology:
    """Creates the topology of the fat tree, with table entries.

    A packet to another pod has four paths, over two aggregation switches with two core switches
    each. The edge switch chooses both switches. It writes the core switch into the destination MAC
    address, as a label for the aggregation switch.

    Args:
        balancer: the scheme with which edge switches choose paths; ``None`` for the hash alone.
        rate: the rate of all links.
    """
    topology = shapes.fat_tree(
        PORTS, rate=rate, delay="0us", queue=f"{QUEUE_PACKETS}p", routes=None, ipv6=False
    )
    for host in topology.hosts.values():
        host.interfaces[0] = replace(host.interfaces[0], mtu=units.size_bytes("9000B"))
    for pod in range(PORTS):
        for number in range(_HALF_PORTS):
            topology.switches[f"e{pod}_{number}"].entries = _edge_document(topology, pod, number, balancer)
            topology.switches[f"a{pod}_{number}"].entries = _document(_aggregation_entries(pod), balancer)
    for up in range(_HALF_PORTS):
        for core in range(_HALF_PORTS):
            topology.switches[f"c{up}_{core}"].entries = _document(_core_entries(), balancer)
    return topology


def pairs(count: int, seed: int) -> list[tuple[str, str]]:
    """Draws random pairs of a sender and a receiver in another pod, in which no host sends or
    receives twice."""
    numbers = random.Random(seed)
    sources = list(range(HOSTS))
    targets = sources.copy()
    numbers.shuffle(targets)
    while any(a // _POD_HOSTS == target // _POD_HOSTS for a, target in zip(sources, targets, strict=True)):
        numbers.shuffle(targets)
    chosen = sorted(numbers.sample(sources, count))
    return [(f"h{source + 1}", f"h{targets[source] + 1}") for source in chosen]


def _edge_document(
    topology: weir.Topology, pod: int, number: int, balancer: Balancer | None
) -> dict[str, Any]:
    rows = [] if balancer is None else balancer.edge_entries()
    for place in range(_HALF_PORTS):
        host = topology.hosts[f"h{(pod * _HALF_PORTS + number) * _HALF_PORTS + place + 1}"]
        mac = str(host.interfaces[0].mac)
        rows.append(
            row(
                "ipv4_lpm",
                _address_key(str(host.ip.address), 32),
                "to_host",
                {"dstAddr": mac, "port": place + 1},
            )
        )
        rows.append(row("host_ports", {"standard_metadata.ingress_port": place + 1}, "is_host"))
    for other_pod in range(PORTS):
        for edge in range(_HALF_PORTS):
            if (other_pod, edge) == (pod, number):
                continue
            # Within a pod, the edge switch has no core switch to choose.
            cores = 1 if other_pod == pod else _HALF_PORTS
            group = other_pod * _HALF_PORTS + edge
            params = {"paths_of_group": group, "number": _HALF_PORTS * cores}
            rows.append(row("ipv4_lpm", _address_key(f"10.{other_pod}.{edge}.0", 24), "to_paths", params))
            rows += [
                row(
                    "next_hops",
                    {"group": group, "path": up * cores + core},
                    "forward",
                    {"dstAddr": _core_mac(core), "port": _HALF_PORTS + up + 1},
                )
                for up in range(_HALF_PORTS)
                for core in range(cores)
            ]
    document = _document(rows, balancer)
    session = {
        "clone_session_id": _CLONE_SESSION,
        "replicas": [{"egress_port": _UNLINKED_PORT, "instance": 1}],
    }
    return {**document, "clone_session_entries": [session]}


def _aggregation_entries(pod: int) -> list[Entry]:
    rows = [
        row("ipv4_lpm", _address_key(f"10.{pod}.{edge}.0", 24), "forward", _forward_by(edge + 1))
        for edge in range(_HALF_PORTS)
    ]
    rows += [
        row("ipv4_lpm", _address_key(f"10.{other}.0.0", 16), "follow_label")
        for other in range(PORTS)
        if other != pod
    ]
    rows += [
        row(
            "labels",
            {"hdr.ethernet.dstAddr": _core_mac(core)},
            "forward",
            _forward_by(_HALF_PORTS + core + 1),
        )
        for core in range(_HALF_PORTS)
    ]
    return rows


def _core_entries() -> list[Entry]:
    return [
        row("ipv4_lpm", _address_key(f"10.{pod}.0.0", 16), "forward", _forward_by(pod + 1))
        for pod in range(PORTS)
    ]


def _document(rows: list[Entry], balancer: Balancer | None) -> dict[str, Any]:
    every = [] if balancer is None else balancer.entries()
    return {"target": "bmv2", "table_entries": [*every, *rows]}


def _address_key(address: str, bits: int) -> dict[str, Any]:
    return {"hdr.ipv4.dstAddr": [address, bits]}


def _forward_by(port: int) -> dict[str, Any]:
    return {"dstAddr": shapes.GATEWAY_MAC, "port": port}


def _core_mac(core: int) -> str:
    return f"02:00:00:00:00:{core:02x}"

"""The lab's network of two switches with four hosts each and four paths between them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import weir

from .balancers import Balancer, row

FOLDER: Final = Path(__file__).resolve().parent

PAIRS: Final = 4
"""The number of flows: h1 to h5, h2 to h6, h3 to h7, and h4 to h8."""

PATHS: Final = 4
"""The number of paths between s1 and s6: over s2, s3, s4 and s5."""

QUEUE_PACKETS: Final = 64
"""The capacity in packets of the queue at each end of a link, as in BMv2."""

PATH_ENDS: Final = tuple(f"s1-p{PAIRS + 1 + path}" for path in range(PATHS))
"""The ports where the paths begin, in the order of the paths."""

_NEAR, _FAR = 1, 2  # ports of the switches in the middle, to s1 and to s6
_CLONE_SESSION = 1
_UNLINKED_PORT = 100  # a port without a link


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(FOLDER / "balance.p4")


def fabric(
    balancer: Balancer | None = None, *, rate: str = "10Mbit", host_rate: str = "10Mbit"
) -> weir.Topology:
    """Creates the topology h1 to h4 – s1 – s2, s3, s4 or s5 – s6 – h5 to h8.

    Args:
        balancer: the scheme with which s1 and s6 choose paths; ``None`` for the hash alone.
        rate: the rate of all other links.
        host_rate: the rate of the links of h1 to h4, which send.
    """
    topology = weir.Topology()
    for number in range(1, 2 * PAIRS + 1):
        switch, port = _place(number)
        gateway = f"10.{switch}.{number}.1"
        topology.add_host(
            f"h{number}",
            f"{_address(number)}/24",
            _host_mac(number),
            gateway=gateway,
            arp={gateway: _port_mac(switch, port)},
            mtu="9000B",
        )
    middle = range(2, 2 + PATHS)
    topology.add_switch("s1", entries=_edge_entries(1, balancer))
    for switch in middle:
        topology.add_switch(f"s{switch}", entries=_middle_entries(switch, balancer))
    topology.add_switch("s6", entries=_edge_entries(6, balancer))
    queue = f"{QUEUE_PACKETS}p"
    for number in range(1, 2 * PAIRS + 1):
        switch, port = _place(number)
        own_rate = host_rate if number <= PAIRS else rate
        topology.add_link(f"h{number}", f"s{switch}-p{port}", rate=own_rate, queue=queue)
    for path, switch in enumerate(middle):
        topology.add_link(f"s1-p{PAIRS + 1 + path}", f"s{switch}-p{_NEAR}", rate=rate, queue=queue)
        topology.add_link(f"s{switch}-p{_FAR}", f"s6-p{PAIRS + 1 + path}", rate=rate, queue=queue)
    return topology


def _edge_entries(switch: int, balancer: Balancer | None) -> dict[str, Any]:
    """Builds the entries of s1 or s6, where flows begin and end."""
    other = 7 - switch
    rows = [] if balancer is None else [*balancer.entries(), *balancer.edge_entries()]
    for number in range(1, 2 * PAIRS + 1):
        if _place(number)[0] == switch:
            port = _place(number)[1]
            rows.append(
                row("ipv4_lpm", _network(number), "to_host", {"dstAddr": _host_mac(number), "port": port})
            )
            rows.append(row("host_ports", {"standard_metadata.ingress_port": port}, "is_host"))
    rows.append(
        row(
            "ipv4_lpm",
            {"hdr.ipv4.dstAddr": [f"10.{other}.0.0", 16]},
            "to_paths",
            {"paths_of_group": other, "number": PATHS},
        )
    )
    rows += [
        row(
            "next_hops",
            {"group": other, "path": path},
            "forward",
            {"dstAddr": _port_mac(2 + path, _NEAR if switch == 1 else _FAR), "port": PAIRS + 1 + path},
        )
        for path in range(PATHS)
    ]
    # A clone waits in a port's queue before it is recirculated. In the queue of a path, the clone
    # would wait as long as the original packet.
    session = {
        "clone_session_id": _CLONE_SESSION,
        "replicas": [{"egress_port": _UNLINKED_PORT, "instance": 1}],
    }
    return {"target": "bmv2", "table_entries": rows, "clone_session_entries": [session]}


def _middle_entries(switch: int, balancer: Balancer | None) -> dict[str, Any]:
    """Builds the entries of a switch in the middle of the paths."""
    path = switch - 2
    rows = [] if balancer is None else list(balancer.entries())
    rows += [
        row(
            "ipv4_lpm",
            {"hdr.ipv4.dstAddr": [f"10.{edge}.0.0", 16]},
            "forward",
            {"dstAddr": _port_mac(edge, PAIRS + 1 + path), "port": port},
        )
        for edge, port in ((1, _NEAR), (6, _FAR))
    ]
    return {"target": "bmv2", "table_entries": rows}


def _place(host: int) -> tuple[int, int]:
    """Returns the switch and the port to which a host is connected."""
    return (1, host) if host <= PAIRS else (6, host - PAIRS)


def _address(host: int) -> str:
    return f"10.{_place(host)[0]}.{host}.2"


def _network(host: int) -> dict[str, Any]:
    return {"hdr.ipv4.dstAddr": [_address(host), 32]}


def _host_mac(host: int) -> str:
    return f"08:00:00:00:{host:02x}:01"


def _port_mac(switch: int, port: int) -> str:
    return f"08:00:00:01:{switch:02x}:{port:02x}"

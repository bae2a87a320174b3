"""The paper's network of hosts and a server at one switch."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import weir
from weir import units

from .codel import Codel

FOLDER: Final = Path(__file__).resolve().parent

SILENCE: Final = "1s"
"""The time without packets after which the switch assumes that a flow has left."""

REFRESH: Final = "1s"
"""The time after which the switch repeats a notification, in case it was lost."""

SERVER: Final = "server"

_CLONE_SESSION, _UNLINKED_PORT = 1, 511  # a port without a link, where a clone is recirculated at once


@cache
def program(name: str = "pace.p4") -> weir.Program:
    """Compiles a P4 program of the lab, ``pace.p4`` or ``aqm.p4``, once in each process."""
    return weir.compile(FOLDER / name)


def star(
    hosts: int = 4,
    *,
    rate: str = "100Mbit",
    rtt: str = "20ms",
    host_rate: str = "1Gbit",
    queue: str = "16p",
    loss: str = "0%",
    silence: str = SILENCE,
    refresh: str = REFRESH,
    codel: Codel | None = None,
) -> weir.Topology:
    """Creates the topology h1, h2, … – s1 – server.

    Args:
        hosts: the number of sending hosts.
        rate: the rate of the link to the server, the bottleneck.
        rtt: the delay of this link in both directions together.
        host_rate: the rate of the hosts' links.
        queue: the queue in front of each link.
        loss: the share of packets that the bottleneck loses at random, in each direction.
        silence: the time without packets after which the switch assumes that a flow has left.
        refresh: how often each flow's host is notified of its share again; ``0s`` for never.
        codel: the CoDel settings of the bottleneck's queue, if the switch runs ``aqm.p4``.
    """
    topology = weir.Topology()
    rows = [scheme_entry(1, silence, refresh)] if codel is None else codel.entries(hosts + 1)
    for number in range(1, hosts + 1):
        topology.add_host(**host(f"h{number}", number, 1, number))
        rows.append(route_entry(address(number), host_mac(number), number))
    topology.add_host(**host(SERVER, 0, 1, hosts + 1))
    rows.append(route_entry(address(0), host_mac(0), hosts + 1))
    topology.add_switch("s1", entries=runtime(rows, clones=codel is None))
    for number in range(1, hosts + 1):
        topology.add_link(f"h{number}", f"s1-p{number}", rate=host_rate, queue=queue)
    delay = f"{units.time_ns(rtt, 'rtt') // 2}ns"
    topology.add_link(SERVER, f"s1-p{hosts + 1}", rate=rate, delay=delay, queue=queue, loss=loss)
    return topology


def set_capacity(network: weir.Network, switch: str, port: int, rate: str) -> None:
    """Sets the capacity that a switch divides among the flows of a port."""
    network.switch(switch).register("capacity").write(port, units.rate_bps(rate) // 1000)


def address(number: int) -> str:
    """Returns the IPv4 address of the host with this number; the server has number 0."""
    return f"10.0.{number}.2"


def host_mac(number: int) -> str:
    """Returns the MAC address of the host with this number."""
    return f"08:00:00:00:{number:02x}:01"


def port_mac(switch: int, port: int) -> str:
    """Returns the MAC address of a switch's port."""
    return f"08:00:00:01:{switch:02x}:{port:02x}"


def host(name: str, number: int, switch: int, port: int) -> dict[str, Any]:
    """Returns the arguments of :meth:`weir.Topology.add_host` for a host."""
    gateway = f"10.0.{number}.1"
    return {
        "name": name,
        "ip": f"{address(number)}/24",
        "mac": host_mac(number),
        "gateway": gateway,
        "arp": {gateway: port_mac(switch, port)},
    }


def route_entry(to: str, mac: str, port: int) -> dict[str, Any]:
    """Builds a table entry that forwards packets to a host."""
    return {
        "table": "MyIngress.route.ipv4_lpm",
        "match": {"hdr.ipv4.dstAddr": [to, 32]},
        "action_name": "MyIngress.route.forward",
        "action_params": {"dstAddr": mac, "port": port},
    }


def scheme_entry(switch: int, silence: str, refresh: str) -> dict[str, Any]:
    """Builds the table entry that turns on the scheme. A switch without this entry only routes."""
    return {
        "table": "MyIngress.scheme",
        "default_action": True,
        "action_name": "MyIngress.set_scheme",
        "action_params": {
            "id": switch,
            "silence_us": units.time_ns(silence, "silence") // 1000,
            "refresh_us": units.time_ns(refresh, "refresh") // 1000,
        },
    }


def runtime(rows: list[dict[str, Any]], clones: bool = True) -> dict[str, Any]:
    """Builds a switch's entries as runtime JSON; ``clones`` says whether the switch's program makes
    clones."""
    session = {
        "clone_session_id": _CLONE_SESSION,
        "replicas": [{"egress_port": _UNLINKED_PORT, "instance": 1}],
    }
    sessions = [session] if clones else []
    return {"target": "bmv2", "table_entries": rows, "clone_session_entries": sessions}

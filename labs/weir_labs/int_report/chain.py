"""The lab's network: a chain of switches with one or two hosts at each end (thesis, figure 3.7)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import weir
from weir.lab import switches_of, within
from weir.network import WorldName

FOLDER: Final = Path(__file__).resolve().parent
_LEFT, _RIGHT, _SECOND = 1, 2, 3

SWITCHES: Final = range(1, 64)
"""The numbers of switches in a chain: as many as hosts' TTL of 64 allows."""

QUEUE_PACKETS: Final = 64
"""The maximum number of packets that wait at each end of a link: as many as in a queue of BMv2."""


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(FOLDER / "int.p4")


def chain(
    switches: int, rate: str | None = "6Mbit", *, pairs: int = 1, every: int = 1, tcp: bool = False
) -> weir.Topology:
    """Creates the topology h1 – s1 – … – sN – h2; with two pairs of hosts also h3 – s1 and sN – h4.

    Port 1 leads towards h1, port 2 towards h2; h3 and h4 are at port 3, h4 at port 4 if there is
    one switch only.

    Args:
        switches: the number of switches, one of :data:`SWITCHES`.
        rate: the rate of all links; ``None`` for links that take no time.
        pairs: the number of pairs of hosts, 1 or 2.
        every: every n-th packet of a flow gets telemetry; 0 for none.
        tcp: whether TCP segments get telemetry too.
    """
    within("switches", switches, SWITCHES)
    hosts = _hosts(switches)[: 2 * pairs]
    topology = weir.Topology()
    for name, switch, port in hosts:
        number = int(name[1:])
        gateway = f"10.0.{number}.254"
        topology.add_host(
            name,
            f"{_address(name)}/24",
            _host_mac(name),
            gateway=gateway,
            arp={gateway: _port_mac(switch, port)},
        )
    for number in range(1, switches + 1):
        topology.add_switch(f"s{number}", entries=entries(number, switches, pairs, every, tcp))
    for name, switch, port in hosts:
        topology.add_link(name, f"s{switch}-p{port}", rate=rate, queue=f"{QUEUE_PACKETS}p")
    for number in range(1, switches):
        topology.add_link(
            f"s{number}-p{_RIGHT}", f"s{number + 1}-p{_LEFT}", rate=rate, queue=f"{QUEUE_PACKETS}p"
        )
    return topology


def network(
    switches: int,
    rate: str | None = "6Mbit",
    *,
    pairs: int = 1,
    every: int = 1,
    tcp: bool = False,
    seed: int = 1,
    noise: str = "none",
    world: WorldName = "virtual",
    switch: str = "weir",
    computer: weir.Computer | None = None,
) -> weir.Network:
    """Starts the network of a chain; see :func:`chain`.

    Args:
        switches: the number of switches.
        rate: the rate of all links; ``None`` for links that take no time.
        pairs: the number of pairs of hosts.
        every: every n-th packet of a flow gets telemetry; 0 for none.
        tcp: whether TCP segments get telemetry too.
        seed: the seed of all random numbers.
        noise: see :class:`weir.Network`.
        world: see :class:`weir.Network`.
        switch: the kind of switch in the Linux world, see :class:`weir.Network`.
        computer: the computer that switches and hosts share.
    """
    topology = chain(switches, rate, pairs=pairs, every=every, tcp=tcp)
    kind = switches_of(world, switch)
    return weir.Network(
        topology, program(), seed=seed, noise=noise, world=world, switches=kind, computer=computer
    )


def entries(number: int, switches: int, pairs: int = 1, every: int = 1, tcp: bool = False) -> dict[str, Any]:
    """Builds the entries of switch ``number`` of ``switches``, as runtime JSON."""
    rows: list[dict[str, Any]] = [
        _default_entry("MyEgress.identity", "MyEgress.set_switch_id", {"id": number}),
    ]
    ports = set()
    for name, switch, host_port in _hosts(switches)[: 2 * pairs]:
        address = _address(name)
        if switch == number:
            port, mac = host_port, _host_mac(name)
            rows.append(
                _entry(
                    "MyIngress.edge_ports",
                    {"standard_metadata.ingress_port": port},
                    "MyIngress.instrument" if every else "MyIngress.plain",
                    {"every": every, "tcp": int(tcp)} if every else {},
                )
            )
            rows.append(_entry("MyIngress.sinks", {"hdr.ipv4.dstAddr": [address, 32]}, "MyIngress.sink"))
        elif switch < number:
            port, mac = _LEFT, _port_mac(number - 1, _RIGHT)
        else:
            port, mac = _RIGHT, _port_mac(number + 1, _LEFT)
        ports.add(port)
        rows.append(
            _entry(
                "MyIngress.ipv4_lpm",
                {"hdr.ipv4.dstAddr": [address, 32]},
                "MyIngress.ipv4_forward",
                {"dstAddr": mac, "port": port},
            )
        )
        # The number of a clone session is the number of the port to which it sends.
        rows.append(
            _entry(
                "MyEgress.report_routes",
                {"hdr.ipv4.srcAddr": [address, 32]},
                "MyEgress.report_to",
                {"session": port, "dstAddr": mac},
            )
        )
    rows += [
        _entry(
            "MyEgress.port_mac",
            {"standard_metadata.egress_port": port},
            "MyEgress.set_source",
            {"srcAddr": _port_mac(number, port)},
        )
        for port in sorted(ports)
    ]
    sessions = [
        {"clone_session_id": port, "replicas": [{"egress_port": port, "instance": 1}]}
        for port in sorted(ports)
    ]
    return {"target": "bmv2", "table_entries": rows, "clone_session_entries": sessions}


def _hosts(switches: int) -> list[tuple[str, int, int]]:
    """Lists the name of each host, its switch, and the switch's port."""
    fourth = _SECOND if switches > 1 else _SECOND + 1
    return [("h1", 1, _LEFT), ("h2", switches, _RIGHT), ("h3", 1, _SECOND), ("h4", switches, fourth)]


def _address(host: str) -> str:
    return f"10.0.{host[1:]}.{host[1:]}"


def _host_mac(host: str) -> str:
    return f"08:00:00:00:{int(host[1:]):02x}:01"


def _port_mac(switch: int, port: int) -> str:
    return f"08:00:00:01:{switch:02x}:{port:02x}"


def _entry(
    table: str, match: dict[str, Any], action: str, params: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {"table": table, "match": match, "action_name": action, "action_params": params or {}}


def _default_entry(table: str, action: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"table": table, "default_action": True, "action_name": action, "action_params": params}

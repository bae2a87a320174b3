"""The lab's network: a chain of switches with a host at each end, and a collector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import weir
from weir import units
from weir.lab import within
from weir.telemetry import Instruction

FOLDER: Final = Path(__file__).resolve().parent
_LEFT, _RIGHT, _COLLECTOR, _CROSS, _BYPASS = 1, 2, 3, 4, 5

SWITCHES: Final = range(1, 64)
"""The numbers of switches in a chain: as many as hosts' TTL of 64 allows."""

SWITCHES_WITH_CROSS: Final = range(4, SWITCHES.stop)
"""The numbers of switches in a chain with cross traffic or a bypass, whose ends are s2 and the last
switch but one."""

PORT_REPORT: Final = 6000
"""The UDP port at which the collector receives reports."""

QUEUE_PACKETS: Final = 64
"""The maximum number of packets that wait at each end of a link."""

BIN_LOG2_US: Final = 13
"""The binary logarithm of the length of a bin in microseconds: utilization is counted in bins of
2^13 µs, 8.192 ms."""

FROM_H1: Final = {"hdr.packet.ipv4.srcAddr": ["10.0.1.1", "255.255.255.255"]}
"""The match of packets from h1."""

PATH: Final = Instruction.NODE | Instruction.INTERFACES | Instruction.LATENCY | Instruction.QUEUE
"""The instructions that report which nodes a packet crossed, its time in each node, and the packets
ahead of it."""


@cache
def program() -> weir.Program:
    """Compiles the lab's P4 program, once in each process."""
    return weir.compile(FOLDER / "int.p4")


def chain(
    switches: int,
    rate: str | None = "6Mbit",
    *,
    mtu: Mapping[int, int] | None = None,
    payload: int = 0,
    watch: Sequence[Mapping[str, Any]] = (),
    cross: bool = False,
    logical: bool = False,
    bypass: bool = False,
    detect: bool = False,
) -> weir.Topology:
    """Creates the topology h1 – s1 – … – sN – h2, and the collector h3 at sN.

    Port 1 leads towards h1, port 2 towards h2; h3 is at port 3.

    Args:
        switches: the number of switches, 1 to 63: as many as hosts' TTL allows.
        rate: the rate of all links; ``None`` for links that take no time.
        mtu: the MTU of the link from a switch towards h2, by the switch's number; 1500 for switches
            that are not named.
        payload: the bytes of a packet's payload that reports repeat.
        watch: additional entries of all switches, as :func:`watch_entry` makes them.
        cross: whether there are two more hosts, for traffic that shares links: h4 at port 4 of s2,
            h5 at port 4 of the last switch but one. These hosts need a number of switches of
            :data:`SWITCHES_WITH_CROSS`.
        logical: whether ports have logical interfaces; see :func:`logical_interface`.
        bypass: whether there is a link from port 5 of s2 to port 5 of the last switch but one, on
            which no route leads at first. It needs as many switches as ``cross``.
        detect: whether sinks look at the metadata of other nodes, to detect events.
    """
    within("switches", switches, SWITCHES_WITH_CROSS if cross or bypass else SWITCHES)
    topology = weir.Topology()
    for name, switch, port in _hosts(switches, cross):
        gateway = f"10.0.{name[1:]}.254"
        topology.add_host(
            name,
            f"{_address(name)}/24",
            _host_mac(name),
            gateway=gateway,
            arp={gateway: _port_mac(switch, port)},
        )
    for number in range(1, switches + 1):
        document = entries(
            number,
            switches,
            rate,
            mtu=(mtu or {}).get(number, 1500),
            payload=payload,
            cross=cross,
            logical=logical,
            bypass=bypass,
            detect=detect,
        )
        document["table_entries"] += watch
        topology.add_switch(f"s{number}", entries=document)
    for name, switch, port in _hosts(switches, cross):
        topology.add_link(name, f"s{switch}-p{port}", rate=rate, queue=f"{QUEUE_PACKETS}p")
    for number in range(1, switches):
        topology.add_link(
            f"s{number}-p{_RIGHT}", f"s{number + 1}-p{_LEFT}", rate=rate, queue=f"{QUEUE_PACKETS}p"
        )
    if bypass:
        gateway, far = f"s2-p{_BYPASS}", f"s{switches - 1}-p{_BYPASS}"
        topology.add_link(gateway, far, rate=rate, queue=f"{QUEUE_PACKETS}p")
    return topology


def entries(
    number: int,
    switches: int,
    rate: str | None = "6Mbit",
    *,
    mtu: int = 1500,
    payload: int = 0,
    cross: bool = False,
    logical: bool = False,
    bypass: bool = False,
    detect: bool = False,
) -> dict[str, Any]:
    """Builds the entries of switch ``number`` of ``switches``, as runtime JSON; see
    :func:`chain`."""
    rows: list[dict[str, Any]] = [_default_entry("MyEgress.node", "MyEgress.set_node", {"id": number})]
    host_ports, ports = [], set()
    for name, switch, host_port in _hosts(switches, cross):
        if switch == number:
            port, mac = host_port, _host_mac(name)
            host_ports.append(port)
            rows.append(
                _entry("MyEgress.sinks", {"standard_metadata.egress_port": port}, "MyEgress.set_sink")
            )
        elif switch < number:
            port, mac = _LEFT, _port_mac(number - 1, _RIGHT)
        else:
            port, mac = _RIGHT, _port_mac(number + 1, _LEFT)
        ports.add(port)
        rows.append(
            _entry(
                "MyIngress.ipv4_lpm",
                {"hdr.packet.ipv4.dstAddr": [_address(name), 32]},
                "MyIngress.ipv4_forward",
                {"dstAddr": mac, "port": port},
            )
        )
    if bypass and number in (2, switches - 1):
        ports.add(_BYPASS)
    to_collector = _COLLECTOR if number == switches else _RIGHT
    next_hop = _host_mac("h3") if number == switches else _port_mac(number + 1, _LEFT)
    rows.append(
        _default_entry(
            "MyEgress.collector",
            "MyEgress.report_to",
            {
                "session": 1,
                "next_hop": next_hop,
                "source": node_address(number),
                "address": _address("h3"),
                "src_port": PORT_REPORT,
                "dst_port": PORT_REPORT,
                "hw_id": 0,
                "payload": payload,
            },
        )
    )
    rows += [
        _entry(
            "MyEgress.links",
            {"standard_metadata.egress_port": port},
            "MyEgress.set_link",
            {
                "srcAddr": _port_mac(number, port),
                "mtu": mtu if port == _RIGHT else 1500,
                "ppm_per_byte": ppm_per_byte(rate),
                "bin_log2_us": BIN_LOG2_US,
            },
        )
        for port in sorted(ports)
    ]
    if logical:
        rows += [
            _entry(
                f"MyEgress.observe.logical_{way}",
                {f"standard_metadata.{way}_port": port},
                f"MyEgress.observe.set_logical_{way}",
                {"id": logical_interface(number, port)},
            )
            for way in ("ingress", "egress")
            for port in sorted(ports)
        ]
    receivers = [
        _address(name)
        for name, switch, port in _hosts(switches, cross)
        if detect and switch == number and port != _COLLECTOR
    ]
    return {
        "target": "bmv2",
        "table_entries": rows,
        "value_set_entries": [
            {"value_set": "MyParser.host_ports", "members": sorted(host_ports)},
            {"value_set": "MyParser.watched_receivers", "members": receivers},
        ],
        "clone_session_entries": [
            {"clone_session_id": 1, "replicas": [{"egress_port": to_collector, "instance": 1}]}
        ],
    }


def watch_entry(
    action: str,
    instructions: int,
    match: Mapping[str, Any] | None = None,
    *,
    priority: int = 10,
    **parameters: int,
) -> dict[str, Any]:
    """Builds an entry of a watchlist.

    Args:
        action: ``embed_data`` (INT-MD), ``embed_instructions`` (MX) or ``export_data`` (XD).
        instructions: an instruction bitmap; see :class:`Instruction`.
        match: the flow, by key field; all flows if ``None``.
        priority: the entry's priority; of the matching entries, the one with the largest priority
            applies.
        parameters: the other parameters of the action.
    """
    return {
        "table": "MyIngress.watchlist",
        "match": dict(match or {}),
        "priority": priority,
        "action_name": f"MyIngress.{action}",
        "action_params": {"instructions": int(instructions), **parameters},
    }


def event_entry(
    *, latency_us: int = 0, queue_packets: int = 0, idle_us: int = 0, reset_us: int = 0
) -> dict[str, Any]:
    """Builds an entry that makes switches report only events, for all flows.

    Args:
        latency_us: the change of a hop's latency that is an event; with 0, no change is.
        queue_packets: the change of a hop's queue, in packets, that is an event; with 0, no change
            is.
        idle_us: the time without a packet after which a flow starts again; 0 for never.
        reset_us: the time after which all packets are reported again; 0 for never.
    """
    parameters = {
        "latency_us": latency_us,
        "queue_packets": queue_packets,
        "idle_us": idle_us,
        "reset_us": reset_us,
    }
    return {
        "table": "MyEgress.monitor.detect.events",
        "match": {},
        "priority": 1,
        "action_name": "MyEgress.monitor.detect.detect",
        "action_params": parameters,
    }


def drop_entries(
    match: Mapping[str, Any], reset_us: int, limit: int = QUEUE_PACKETS - 4
) -> list[dict[str, Any]]:
    """Builds entries that make switches report drops, and drop packets before one of their queues
    is full.

    Args:
        match: the flows whose drops are reported, by key field.
        reset_us: the time in which further drops of the same flow are not reported.
        limit: the packets that may wait at a port. The port's queue must have room for more: for
            reports, and for packets that have been counted but have not joined the queue yet.
    """
    watched = {
        "table": "MyIngress.report_drop.drop_watchlist",
        "match": dict(match),
        "priority": 1,
        "action_name": "MyIngress.report_drop.report_drops",
        "action_params": {"clone_session": 1, "reset_us": reset_us},
    }
    return [watched] + [
        _entry(
            "MyIngress.queue_limit.queue_limits",
            {"standard_metadata.egress_spec": port},
            "MyIngress.queue_limit.limit_queue",
            {"packets": limit},
        )
        for port in (_LEFT, _RIGHT, _COLLECTOR, _CROSS, _BYPASS)
    ]


def ppm_per_byte(rate: str | None) -> int:
    """Computes the utilization that one byte causes in a bin of time, in millionths, times 65536; 0
    for instant links."""
    if rate is None:
        return 0
    bits_in_bin = units.rate_bps(rate) * 2**BIN_LOG2_US / 1e6
    return round(8 / bits_in_bin * 1e6 * 65536)


def packed_address(host: str) -> bytes:
    """Returns a host's IPv4 address as 4 bytes."""
    return ip_address(_address(host)).packed


def node_address(number: int) -> str:
    """Returns the IPv4 address from which a switch sends its reports."""
    return f"10.1.{number}.1"


def logical_interface(switch: int, port: int) -> int:
    """Returns the number of the logical interface that a port belongs to."""
    return 100 * switch + port


def bypass_hop(switches: int) -> dict[str, Any]:
    """Returns the parameters of ``ipv4_forward`` with which s2 sends packets over the bypass."""
    return {"dstAddr": _port_mac(switches - 1, _BYPASS), "port": _BYPASS}


def link_ends(switches: int, cross: bool = False, bypass: bool = False) -> list[str]:
    """Lists all ends of links at switches, such as ``s1-p2``."""
    ends = {f"s{switch}-p{port}" for _, switch, port in _hosts(switches, cross)}
    for number in range(1, switches):
        ends |= {f"s{number}-p{_RIGHT}", f"s{number + 1}-p{_LEFT}"}
    if bypass:
        ends |= {f"s2-p{_BYPASS}", f"s{switches - 1}-p{_BYPASS}"}
    return sorted(ends)


def _hosts(switches: int, cross: bool) -> list[tuple[str, int, int]]:
    """Lists the name of each host, its switch, and the switch's port."""
    hosts = [("h1", 1, _LEFT), ("h2", switches, _RIGHT), ("h3", switches, _COLLECTOR)]
    return hosts + [("h4", 2, _CROSS), ("h5", switches - 1, _CROSS)] * cross


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

"""The lab's network: two switches with four hosts each, and four paths between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import weir
from weir import units

FOLDER: Final = Path(__file__).resolve().parent

PAIRS: Final = 4
"""Flows: from h1 to h5, and so on to the one from h4 to h8."""

PATHS: Final = 4
"""Between s1 and s6: over s2, s3, s4 and s5."""

QUEUE_PACKETS: Final = 64
"""The packets that wait at each end of a link: as many as in a queue of BMv2."""

PATH_ENDS: Final = tuple(f"s1-p{PAIRS + 1 + path}" for path in range(PATHS))
"""Where the paths begin, in their order."""

LEAST_BYTES: Final = 200
"""Shorter packets do not make a queue a shared one: acknowledgements, pings."""

_NEAR, _FAR = 1, 2  # ports of the switches in the middle, to s1 and to s6
_SESSION = 1
_NOWHERE = 100  # a port without a link


@dataclass(frozen=True)
class Feedback:
    """When the last switch of a packet sends feedback about its flow.

    Attributes:
        queues: which queues count: ``all``, or only ``shared`` ones, with packets of several flows.
        threshold: the longest queue of the packet, in packets, must be above it.
        timeout: from one feedback about a flow to the next, such as ``500ms``, at least.
        percent: the probability of each packet that may send feedback, 1 to 100.
    """

    queues: str
    threshold: int
    timeout: str
    percent: int

    def __post_init__(self) -> None:
        """Checks all values.

        Raises:
            ValueError: one is out of range.
            UnitError: the time-out cannot be read.
        """
        if self.queues not in ("all", "shared"):
            raise ValueError(f"queues={self.queues}: expected all or shared")
        if not 0 <= self.threshold < 1 << 16:
            raise ValueError(f"threshold={self.threshold}: expected 0 to 65535 packets")
        if not 1 <= self.percent <= 100:
            raise ValueError(f"percent={self.percent}: expected 1 to 100")
        units.time_ns(self.timeout, "timeout")

    def edge_entry(self) -> dict[str, Any]:
        """The entry by which a switch sends feedback, as runtime JSON."""
        return default(
            "MyEgress.feedback",
            "MyEgress.send_feedback",
            {
                "above": self.threshold,
                "timeout_us": units.time_ns(self.timeout, "timeout") // 1000,
                "probability": self.percent,
            },
        )

    def entry(self) -> dict[str, Any]:
        """The entry by which a switch measures queues, as runtime JSON."""
        table = "MyEgress.occupancy.queues"
        if self.queues == "all":
            return default(table, "MyEgress.occupancy.all_queues", {})
        return default(table, "MyEgress.occupancy.shared_queues", {"bytes": LEAST_BYTES})


@cache
def program() -> weir.Program:
    """The lab's P4 program, compiled once in each process."""
    return weir.compile(FOLDER / "balance.p4")


def fabric(
    feedback: Feedback | None = None, *, rate: str = "10Mbit", host_rate: str = "10Mbit"
) -> weir.Topology:
    """h1 to h4 – s1 – s2, s3, s4 or s5 – s6 – h5 to h8.

    Args:
        feedback: when s1 and s6 send feedback; None for never.
        rate: of the links between switches.
        host_rate: of the hosts' links.
    """
    topology = weir.Topology()
    for number in range(1, 2 * PAIRS + 1):
        switch, port = _place(number)
        near = f"10.{switch}.{number}.1"
        topology.add_host(
            f"h{number}",
            f"{_address(number)}/24",
            _host_mac(number),
            gateway=near,
            arp={near: _port_mac(switch, port)},
            mtu="9000B",
        )
    middle = range(2, 2 + PATHS)
    topology.add_switch("s1", entries=_edge_entries(1, feedback))
    for switch in middle:
        topology.add_switch(f"s{switch}", entries=_middle_entries(switch, feedback))
    topology.add_switch("s6", entries=_edge_entries(6, feedback))
    queue = f"{QUEUE_PACKETS}p"
    for number in range(1, 2 * PAIRS + 1):
        switch, port = _place(number)
        topology.add_link(f"h{number}", f"s{switch}-p{port}", rate=host_rate, queue=queue)
    for path, switch in enumerate(middle):
        topology.add_link(f"s1-p{PAIRS + 1 + path}", f"s{switch}-p{_NEAR}", rate=rate, queue=queue)
        topology.add_link(f"s{switch}-p{_FAR}", f"s6-p{PAIRS + 1 + path}", rate=rate, queue=queue)
    return topology


def _edge_entries(switch: int, feedback: Feedback | None) -> dict[str, Any]:
    """The entries of s1 or s6."""
    other = 7 - switch
    rows = [] if feedback is None else [feedback.entry(), feedback.edge_entry()]
    for number in range(1, 2 * PAIRS + 1):
        if _place(number)[0] == switch:
            port = _place(number)[1]
            rows.append(
                _row("ipv4_lpm", _network(number), "to_host", {"dstAddr": _host_mac(number), "port": port})
            )
            rows.append(_row("host_ports", {"standard_metadata.ingress_port": port}, "is_host"))
    rows.append(
        _row(
            "ipv4_lpm",
            {"hdr.ipv4.dstAddr": [f"10.{other}.0.0", 16]},
            "to_paths",
            {"paths_of_group": other, "number": PATHS},
        )
    )
    rows += [
        _row(
            "next_hops",
            {"group": other, "path": path},
            "forward",
            {"dstAddr": _port_mac(2 + path, _NEAR if switch == 1 else _FAR), "port": PAIRS + 1 + path},
        )
        for path in range(PATHS)
    ]
    # A clone passes the queue of a port before it is recirculated. In that of a path it would take
    # as long as the packet it is a clone of.
    session = {"clone_session_id": _SESSION, "replicas": [{"egress_port": _NOWHERE, "instance": 1}]}
    return {"target": "bmv2", "table_entries": rows, "clone_session_entries": [session]}


def _middle_entries(switch: int, feedback: Feedback | None) -> dict[str, Any]:
    """The entries of a switch in the middle."""
    path = switch - 2
    rows = [] if feedback is None else [feedback.entry()]
    rows += [
        _row(
            "ipv4_lpm",
            {"hdr.ipv4.dstAddr": [f"10.{edge}.0.0", 16]},
            "forward",
            {"dstAddr": _port_mac(edge, PAIRS + 1 + path), "port": port},
        )
        for edge, port in ((1, _NEAR), (6, _FAR))
    ]
    return {"target": "bmv2", "table_entries": rows}


def _place(host: int) -> tuple[int, int]:
    """The switch and port of a host."""
    return (1, host) if host <= PAIRS else (6, host - PAIRS)


def _address(host: int) -> str:
    return f"10.{_place(host)[0]}.{host}.2"


def _network(host: int) -> dict[str, Any]:
    return {"hdr.ipv4.dstAddr": [_address(host), 32]}


def _host_mac(host: int) -> str:
    return f"08:00:00:00:{host:02x}:01"


def _port_mac(switch: int, port: int) -> str:
    return f"08:00:00:01:{switch:02x}:{port:02x}"


def _row(
    table: str, match: dict[str, Any], action: str, params: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "table": f"MyIngress.{table}",
        "match": match,
        "action_name": f"MyIngress.{action}",
        "action_params": params or {},
    }


def default(table: str, action: str, params: dict[str, Any]) -> dict[str, Any]:
    """A table's default action, as runtime JSON."""
    return {"table": table, "default_action": True, "action_name": action, "action_params": params}

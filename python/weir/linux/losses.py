"""Drops in the nodes of the Linux world, as far as the nodes count them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from weir.errors import NetworkError
from weir.linux import wiring
from weir.linux.switch import METRICS
from weir.top.metrics import Metrics, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weir._core_traffic import LossRows
    from weir.linux.ground import Ground
    from weir.linux.switch import SwitchProcess
    from weir.topology import Endpoint

_PATIENCE: Final = 2.0
_LINKS: Final = {
    "dropped_loss": "lost on the wire",
    "dropped_limit": "queue full",
    "dropped_down": "link down",
}
"""The counts of the process that delays frames, by the reasons of the virtual world."""

_HOSTS: Final = {
    ("Ip", "OutNoRoutes"): "no route",
    ("Ip6", "OutNoRoutes"): "no route",
    ("Udp", "NoPorts"): "no receiver for this UDP port",
    ("Udp", "RcvbufErrors"): "receive buffer full",
}
"""The counts of hosts' kernels."""

_REPEATS = ("recirculated", "resubmitted")


def losses(network: Ground, switches: Mapping[str, SwitchProcess]) -> LossRows:
    """All drops since the start: by switches, on links, in queues and by the kernels.

    Counts that cannot be read, such as those of a switch that has ended, are left out.
    """
    drops: list[tuple[str, str, int]] = []
    misses: list[tuple[str, str, int, int, str | None]] = []
    copies: list[tuple[str, int]] = []
    repeats: list[tuple[str, int, int]] = []
    for name, process in switches.items():
        with suppress(NetworkError, OSError):
            metrics = _metrics(network, name)
            for labels, count in metrics.of("dropped_packets").items():
                known = dict(labels)
                drops.append((f"{name} {known['place']}", known["reason"], int(count)))
            entries = {dict(labels)["table"]: count for labels, count in metrics.of("table_entries").items()}
            for labels, count in metrics.of("table_misses").items():
                table = dict(labels)["table"]
                if count:
                    default = _default(process, table)
                    misses.append((name, table, int(count), int(entries.get(table, 0)), default))
            copies += [(name, int(count)) for count in metrics.of("copied_packets").values()]
            again = sum(count for kind in _REPEATS for count in metrics.of(f"{kind}_packets").values())
            inside = sum(metrics.of("packets_inside").values())
            repeats.append((name, int(inside), int(again)))
    with suppress(NetworkError):
        drops += _links(network)
    for name in [*network.topology.hosts, *switches]:
        with suppress(NetworkError, ValueError):
            drops += _queues(network, name)
    for name in network.topology.hosts:
        with suppress(NetworkError, ValueError):
            drops += _host(name, network.tool(name, ["cat", "/proc/net/snmp", "/proc/net/snmp6"]))
    return [row for row in drops if row[2]], [], misses, copies, repeats, []


def _metrics(network: Ground, switch: str) -> Metrics:
    with network.namespaces.open(switch, socket.AF_INET, socket.SOCK_STREAM) as sock:
        sock.settimeout(_PATIENCE)
        sock.connect(METRICS)
        sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        parts = []
        while part := sock.recv(1 << 16):
            parts.append(part)
    _, _, body = b"".join(parts).partition(b"\r\n\r\n")
    return parse(body.decode("utf-8", "replace"), time.monotonic())


def _default(process: SwitchProcess, table: str) -> str | None:
    """The default action of a table, if it does anything."""
    actions = process.core.default_action(table)[2]
    action = actions[0][0] if actions else "an action profile"
    return None if action.rpartition(".")[2] == "NoAction" else action


def _links(network: Ground) -> Iterator[tuple[str, str, int]]:
    """Drops of links that are delayed or lose frames."""
    wires = {str(wire.spec): wire.spec for wire in network.staged_wires}
    if not wires:
        return
    for link in network.stage.statistics():
        spec = wires[link["name"]]
        for way, start, end in (("a_to_b", spec.a, spec.b), ("b_to_a", spec.b, spec.a)):
            for key, reason in _LINKS.items():
                yield f"{start.interface_name}->{end.interface_name}", reason, link[way][key]


def _queues(network: Ground, node: str) -> Iterator[tuple[str, str, int]]:
    """Drops of the queues of a node's interfaces."""
    ends: dict[str, tuple[Endpoint, Endpoint]] = {}
    for wire in network.wires:
        for end, other in ((wire.spec.a, wire.spec.b), (wire.spec.b, wire.spec.a)):
            if end.node == node:
                ends[wiring.device(end)] = end, other
    for queue in json.loads(network.tool(node, ["tc", "-s", "-j", "qdisc", "show"]) or "[]"):
        if queue.get("root") and queue["dev"] in ends:
            end, other = ends[queue["dev"]]
            yield f"{end.interface_name}->{other.interface_name}", "queue full", queue.get("drops", 0)


def _host(name: str, text: str) -> Iterator[tuple[str, str, int]]:
    """Drops of a host's kernel, from ``/proc/net/snmp`` and ``snmp6``."""
    lines = text.splitlines()
    for heads, values in pairwise(lines):
        kind, _, names = heads.partition(": ")
        if names and names.split()[0].isalpha() and values.startswith(f"{kind}: "):
            counts = dict(zip(names.split(), values.partition(": ")[2].split(), strict=False))
            for (protocol, count), reason in _HOSTS.items():
                if protocol == kind and count in counts:
                    yield name, reason, int(counts[count])
    for line in lines:
        word, _, value = line.partition("\t")
        if word.strip() == "Ip6OutNoRoutes":
            yield name, _HOSTS["Ip6", "OutNoRoutes"], int(value)

"""The packets that nodes and links of the Linux world dropped and counted."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from weir._core import Drop, LossCounts, Misses, Repeats, Waiting
from weir.errors import NetworkError
from weir.linux import wiring
from weir.linux.switch import METRICS
from weir.top.metrics import Metrics, parse
from weir.topology import Endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weir.linux.network_base import NetworkBase
    from weir.linux.switch import SwitchProcess

_TIMEOUT_S: Final = 2.0
_LINK_DROP_REASONS: Final = {
    "dropped_loss": "lost on the wire",
    "dropped_limit": "queue full",
    "dropped_down": "link down",
}
"""The counts of the link process, with the virtual world's drop reason for each."""

_HOST_DROP_REASONS: Final = {
    "Ip: OutNoRoutes": "no route",
    "Ip6OutNoRoutes": "no route",
    "Udp: NoPorts": "no receiver for this UDP port",
    "Udp: RcvbufErrors": "receive buffer full",
}
"""The counts of hosts' kernels, with the virtual world's drop reason for each."""

_TOO_LARGE_REASON: Final = "larger than the link's MTU"
_PORT_DROP_REASONS: Final = {
    ("out", "longer than the MTU"): _TOO_LARGE_REASON,
    ("out", "no link"): "link down",
    ("out", "interface queue full"): "queue full",
}
"""The counts of a switch's ports, with the virtual world's drop reason for each."""

_COUNTERS_OF_UNANSWERED: Final = {
    "no answer to ARP": ("Icmp: OutDestUnreachs", "Udp: NoPorts", "Ip: InUnknownProtos"),
    "no answer to NDP": ("Icmp6OutDestUnreachs", "Udp6NoPorts", "Ip6InUnknownProtos"),
}
"""The counts from which the packets without an answer to ARP or NDP are computed. A host's kernel
counts an ICMP error, destination unreachable, for each such packet; the same count includes the
packets of the other two counts."""

_COUNTS_COMMAND: Final = (
    r"tc -s -j qdisc show; printf '\f'; ip -s -j link show; printf '\f'; cat /proc/net/snmp /proc/net/snmp6; "
    r"printf '\f'; ip -j neigh show nud incomplete"
)
"""The command that prints a node's kernel counts (queues and interfaces in JSON, and protocols) and
the neighbours that have not answered yet."""

_REPEAT_KINDS = ("recirculated", "resubmitted")


def losses(network: NetworkBase, switches: Mapping[str, SwitchProcess]) -> LossCounts:
    """Collects all packets dropped since the start by switches, links, queues and kernels.

    Counts that cannot be read, such as those of a switch that has ended, are left out.
    """
    drops: list[Drop] = []
    misses: list[Misses] = []
    copies: list[tuple[str, int]] = []
    repeats: list[Repeats] = []
    waiting: list[Waiting] = []
    for name, process in switches.items():
        with suppress(NetworkError, OSError):
            metrics = _metrics(network, name)
            for labels, count in metrics.values_of("dropped_packets").items():
                values = dict(labels)
                drops.append(Drop(f"{name} {values['place']}", values["reason"], int(count)))
            for labels, count in metrics.values_of("port_dropped_frames").items():
                drops.append(_port_drop(network, name, dict(labels), int(count)))
            entries = {
                dict(labels)["table"]: count for labels, count in metrics.values_of("table_entries").items()
            }
            for labels, count in metrics.values_of("table_misses").items():
                table = dict(labels)["table"]
                # Tables without a key always miss.
                if count and (part := process.control_of_table(table)) is not None:
                    size, default = int(entries.get(table, 0)), _default(process, table)
                    misses.append(Misses(name, table, part, int(count), size, default))
            copies += [(name, int(count)) for count in metrics.values_of("copied_packets").values()]
            again = sum(
                count for kind in _REPEAT_KINDS for count in metrics.values_of(f"{kind}_packets").values()
            )
            inside = sum(metrics.values_of("packets_inside").values())
            repeats.append(Repeats(name, int(inside), int(again)))
    statistics: dict[str, Mapping[str, Any]] = {}
    if network.process_wires:
        with suppress(NetworkError):
            statistics = {link["name"]: link for link in network.link_process.statistics()}
    drops += _links(network, statistics)
    interfaces: dict[str | None, dict[str, Any]] = {}
    for name in [*network.topology.hosts, *switches]:
        with suppress(NetworkError, ValueError):
            queues, links, counts, neighbours = _node(network.tool(name, ["sh", "-c", _COUNTS_COMMAND]))
            drops += _queues(network, name, queues)
            interfaces[name] = links
            if name in network.topology.hosts:
                drops += _host(name, counts)
                waiting += [Waiting(name, neighbour["dst"], 0) for neighbour in neighbours]
    if network.process_wires:
        with suppress(NetworkError, ValueError):
            interfaces[None] = _links_by_name(
                json.loads(network.tool(None, ["ip", "-s", "-j", "link", "show"]))
            )
    drops += _mtu_drops(network, interfaces, statistics)
    return LossCounts([drop for drop in drops if drop.packets], [], misses, copies, repeats, waiting)


def _metrics(network: NetworkBase, switch: str) -> Metrics:
    with network.namespaces.open(switch, socket.AF_INET, socket.SOCK_STREAM) as sock:
        sock.settimeout(_TIMEOUT_S)
        sock.connect(METRICS)
        sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        parts = []
        while part := sock.recv(1 << 16):
            parts.append(part)
    _, _, body = b"".join(parts).partition(b"\r\n\r\n")
    return parse(body.decode("utf-8", "replace"), time.monotonic())


def _default(process: SwitchProcess, table: str) -> str | None:
    """Returns the default action of a table; ``None`` if the action does nothing."""
    actions = process.core.default_action(table).actions
    action = actions[0].name if actions else "an action profile"
    return None if action.rpartition(".")[2] == "NoAction" else action


def _links(network: NetworkBase, statistics: Mapping[str, Mapping[str, Any]]) -> Iterator[Drop]:
    """Yields the frames that were dropped by links with a delay or loss."""
    wires = {str(wire.spec): wire.spec for wire in network.process_wires}
    for name, link in statistics.items():
        spec = wires[name]
        for way, start, end in (("a_to_b", spec.a, spec.b), ("b_to_a", spec.b, spec.a)):
            reasons = [(reason, link[way][key]) for key, reason in _LINK_DROP_REASONS.items()]
            if link[way]["queue"] is not None:
                reasons += link[way]["queue"]["drops"].items()
            for reason, count in reasons:
                yield Drop(f"{start.interface_name}->{end.interface_name}", reason, count)


def _port_drop(network: NetworkBase, switch: str, labels: Mapping[str, str], count: int) -> Drop:
    """Describes frames that were dropped between a switch's port and its interface."""
    reason = _PORT_DROP_REASONS.get((labels["direction"], labels["reason"]))
    end = Endpoint(switch, int(labels["port"]))
    wire = network.wire_at(end)
    if reason is None or wire is None:
        return Drop(f"{switch} port {labels['port']}", labels["reason"], count)
    other = wire.spec.b if end == wire.spec.a else wire.spec.a
    return Drop(f"{end.interface_name}->{other.interface_name}", reason, count)


def _node(text: str) -> tuple[Any, dict[str, Any], str, Any]:
    """Parses the output of the command :data:`_COUNTS_COMMAND` for a node; returns queues,
    interfaces by name, kernel counts and neighbours."""
    queues, links, counts, neighbours = text.split("\f")
    waiting = json.loads(neighbours.strip() or "[]")
    return json.loads(queues.strip() or "[]"), _links_by_name(json.loads(links)), counts, waiting


def _links_by_name(links: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {link["ifname"]: link for link in links}


def _mtu_drops(
    network: NetworkBase,
    interfaces: Mapping[str | None, Mapping[str, Any]],
    statistics: Mapping[str, Mapping[str, Any]],
) -> Iterator[Drop]:
    """Yields the frames that a link's end refused because its MTU is smaller than the other end's.

    The kernel counts these frames at the interface that sent them. The link process copies the
    frames of some links from one interface to another; it tries a refused frame several times and
    counts it once.
    """
    outside = interfaces.get(None, {})
    for wire in network.wires:
        a, b = wire.spec.a, wire.spec.b
        for (start, leaves), (end, arrives) in permutations(zip((a, b), wire.outer, strict=True)):
            place = f"{start.interface_name}->{end.interface_name}"
            first = interfaces.get(start.node, {}).get(wiring.device(start))
            last = interfaces.get(end.node, {}).get(wiring.device(end))
            taker = outside.get(leaves) if wire.uses_link_process else last
            if _exceeds(first, taker):
                yield Drop(place, _TOO_LARGE_REASON, first["stats64"]["tx"]["dropped"])
            if (
                wire.uses_link_process
                and str(wire.spec) in statistics
                and _exceeds(outside.get(arrives), last)
            ):
                way = "a_to_b" if start == a else "b_to_a"
                yield Drop(place, _TOO_LARGE_REASON, statistics[str(wire.spec)][way]["dropped_output"])


def _exceeds(sender: Any, taker: Any) -> TypeGuard[Mapping[str, Any]]:
    """Returns whether both interfaces are known and the sender's MTU is larger than the taker's."""
    return sender is not None and taker is not None and taker["mtu"] < sender["mtu"]


def _queues(network: NetworkBase, node: str, queues: Sequence[Mapping[str, Any]]) -> Iterator[Drop]:
    """Yields the packets that the queues of a node's interfaces dropped."""
    ends: dict[str, tuple[Endpoint, Endpoint]] = {}
    for wire in network.wires:
        for end, other in ((wire.spec.a, wire.spec.b), (wire.spec.b, wire.spec.a)):
            if end.node == node:
                ends[wiring.device(end)] = end, other
    for queue in queues:
        if queue.get("root") and queue["dev"] in ends:
            end, other = ends[queue["dev"]]
            yield Drop(f"{end.interface_name}->{other.interface_name}", "queue full", queue.get("drops", 0))


def _host(name: str, text: str) -> Iterator[Drop]:
    """Yields the packets that a host's kernel dropped, from ``/proc/net/snmp`` and ``snmp6``."""
    lines = text.splitlines()
    counts: dict[str, int] = {}
    for heads, values in pairwise(lines):
        kind, _, names = heads.partition(": ")
        if names and names.split()[0].isalpha() and values.startswith(f"{kind}: "):
            for count, value in zip(names.split(), values.partition(": ")[2].split(), strict=False):
                counts[f"{kind}: {count}"] = int(value)
    for line in lines:
        word, tab, value = line.partition("\t")
        if tab:
            counts[word.strip()] = int(value)
    for count, reason in _HOST_DROP_REASONS.items():
        yield Drop(name, reason, counts.get(count, 0))
    for reason, (unreachable, *subtracted) in _COUNTERS_OF_UNANSWERED.items():
        reported = counts.get(unreachable, 0) - sum(counts.get(other, 0) for other in subtracted)
        yield Drop(name, reason, max(reported, 0))

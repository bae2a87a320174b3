"""Views of a network and its parts for the page, as values for JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from weir.control import Switch
from weir.control.cells import Count
from weir.control.entry import read_entry
from weir.display.layout import layout
from weir.errors import WeirError
from weir.impairments import Loss

if TYPE_CHECKING:
    from weir.host import Host
    from weir.links.link import Link
    from weir.measure.losses import Losses
    from weir.network import Network

_MAX_ROWS: Final = 200
"""The maximum number of entries of a table, and of cells of an object, that a page shows."""

_MAX_READ: Final = 10_000
"""The maximum number of cells of an object that are read, because reading stops the network."""

_MAX_ENTRIES: Final = 50_000
"""The maximum number of entries of a table of which some are shown."""

_BACKLOG: Final = re.compile(r"^qdisc .* dev (\S+) root.*\n(?:.*\n)*?\s*backlog \S+ (\d+)p", re.MULTILINE)


def network_view(network: Network) -> dict[str, Any]:
    """Describes what does not change: nodes with their places in a drawing, and the ends of
    links."""
    topology = network.topology
    pairs = [(link.a.node, link.b.node) for link in topology.links]
    places = layout(list(topology.hosts), list(topology.switches), pairs).places
    nodes = [
        {"name": name, "kind": kind, "note": note, "x": places[name][0], "y": places[name][1]}
        for kind, notes in (
            ("host", {host.name: _first_address(host) for host in network.hosts}),
            ("switch", {switch.name: _program_name(switch) for switch in network.switches}),
        )
        for name, note in notes.items()
    ]
    links = [
        {"a": str(link.a), "b": str(link.b), "nodes": [link.a.node, link.b.node]} for link in topology.links
    ]
    return {"nodes": nodes, "links": links, "seed": network.seed}


def _first_address(host: Host) -> str:
    return host.addresses[0] if host.addresses else ""


def _program_name(switch: Switch) -> str:
    from pathlib import Path

    return Path(switch.program.path).name if switch.has_program else ""


def link_views(network: Network) -> list[dict[str, Any]]:
    """Describes the settings of all links, in the topology's order."""
    return [_link_view(link) for link in network.links]


def _link_view(link: Link) -> dict[str, Any]:
    loss = link.loss
    return {
        "rate": link.rate or "unlimited",
        "rate_bps": link.rate_bps,
        "delay": link.delay,
        "loss": str(loss),
        "model": isinstance(loss, Loss),
        "up": link.up,
        "queues": list(link.queues),
    }


def queue_lengths(network: Network) -> list[tuple[int, int | None]]:
    """Counts the packets that wait at each link end, in the switch or at the link, and the most
    that may wait; ``None`` if the queue has no limit in packets."""
    waiting: dict[str, int] = {}
    for node in (*network.topology.hosts, *network.topology.switches):
        for interface, packets in _BACKLOG.findall(network.tc(node, "-s qdisc show")):
            waiting[interface] = int(packets)
    lengths: list[tuple[int, int | None]] = []
    for link in network.topology.links:
        for end in (link.a, link.b):
            interface = network.interface(str(end))
            at_link, limit = waiting.get(interface.name, 0), interface._core.packet_limit
            if end.port is not None and end.node in network.topology.switches:
                queues = network.switch(end.node).queues(end.port)
                at_link += sum(queue.waiting for queue in queues)
                if any(queue.port_rate for queue in queues):
                    limit = max(queue.depth for queue in queues)
            lengths.append((at_link, limit))
    return lengths


def drop_views(network: Network, losses: Losses) -> list[dict[str, Any]]:
    """Describes dropped packets: how many, where, and why in a sentence."""
    ends = {
        str(end): number for number, link in enumerate(network.topology.links) for end in (link.a, link.b)
    }
    return [
        {
            "packets": drop.packets,
            "text": losses.explain(drop),
            **_place(drop.place, network, ends),
        }
        for drop in losses.ranked()
    ]


def _place(place: str, network: Network, ends: dict[str, int]) -> dict[str, Any]:
    """Finds the link or the node of a place such as ``s1 ingress``, ``h1->s1-p1`` or
    ``h1-eth0``."""
    sender, arrow, _ = place.partition("->")
    if arrow and sender in ends:
        return {"link": ends[sender]}
    node = place.partition(" ")[0]
    names = {*network.topology.hosts, *network.topology.switches}
    return {"node": node if node in names else node.rpartition("-")[0]}


def node_view(network: Network, name: str) -> dict[str, Any]:
    """Describes a host or a switch in detail.

    Raises:
        NetworkError: there is no such node.
    """
    node = network[name]
    return _switch_view(node) if isinstance(node, Switch) else _host_view(node)


def _host_view(host: Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "kind": "host",
        "addresses": host.prefixes,
        "mac": host.mac,
        "routes": host.cmd("ip route").splitlines(),
        "neighbours": host.cmd("ip neigh").splitlines(),
    }


def _switch_view(switch: Switch) -> dict[str, Any]:
    if not switch.has_program:
        return {"name": switch.name, "kind": "switch", "program": "", "tables": [], "objects": []}
    tables = []
    for table in switch.tables.values():
        count = len(table)
        entries = []
        if count <= _MAX_ENTRIES:
            entries = [read_entry(entry) for entry in switch._core.entries(table.name)[:_MAX_ROWS]]
        tables.append(
            {
                "name": table.name,
                "keys": [[key.name, key.match_kind] for key in table.info.keys],
                "actions": [
                    [action.name, [param.name for param in action.params]]
                    for action in table.info.actions
                    if not action.default_only
                ],
                "priorities": table.info.needs_priority,
                # Entries that use members of a profile are changed in Python.
                "fixed": table.info.const_entries or table.info.profile is not None,
                "size": table.info.size,
                "count": count,
                "entries": [
                    {
                        "text": str(entry),
                        "match": dict(entry.match),
                        "action": entry.action,
                        "params": dict(entry.params),
                        "priority": entry.priority,
                        "fixed": entry.is_const,
                    }
                    for entry in entries
                ],
                "default": str(table.default),
                "hits": table.hits,
                "misses": table.misses,
            }
        )
    return {
        "name": switch.name,
        "kind": "switch",
        "program": str(switch.program.path),
        "tables": tables,
        "objects": [*_objects(switch)],
    }


def _objects(switch: Switch) -> list[dict[str, Any]]:
    """Describes the counters, registers and meters with the cells that are not 0 or not unset."""
    views = []
    for kind, find in (("counter", switch.counter), ("register", switch.register), ("meter", switch.meter)):
        for name in switch.program.objects(kind):
            found: Any = find(name)
            size = len(found)
            try:
                cells = _cells(found)
            except WeirError as error:
                views.append({"kind": kind, "name": name, "size": 0, "cells": [], "note": str(error)})
                continue
            used = [(index, cell) for index, cell in cells if cell not in (0, None, Count())]
            notes = []
            if len(cells) < size:
                notes.append(
                    f"only the first {len(cells)} cells are shown" if cells else "too many cells to show"
                )
            if len(used) > _MAX_ROWS:
                notes.append(f"{len(used) - _MAX_ROWS} more")
            views.append(
                {
                    "kind": kind,
                    "name": name,
                    "size": size,
                    "cells": [[index, _cell_text(cell)] for index, cell in used[:_MAX_ROWS]],
                    "note": "; ".join(notes),
                }
            )
    return views


def _cells(found: Any) -> list[tuple[int, Any]]:
    """Reads the cells of an object; of a large one, only the first, and none if they are those of a
    table's entries."""
    if len(found) <= _MAX_READ:
        return list(enumerate(found.cells()))
    return [] if found.info.table is not None else [(index, found[index]) for index in range(_MAX_READ)]


def _cell_text(cell: object) -> str:
    if isinstance(cell, Count):
        return f"{cell.packets} packets, {cell.bytes} bytes"
    return str(cell)

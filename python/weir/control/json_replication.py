"""Multicast groups and clone sessions in the public tutorials' runtime JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weir import _core
from weir.control.json_tables import number
from weir.jsonfile import Node

_GROUP_KEYS = ("multicast_group_id", "replicas")
_SESSION_KEYS = ("clone_session_id", "replicas", "packet_length_bytes")
_REPLICA_KEYS = ("egress_port", "instance")

_LAST_GROUP = 0xFFFF


def multicast_group(node: Node) -> _core.Update:
    """The change that one element of ``multicast_group_entries`` asks for."""
    node.only(_GROUP_KEYS)
    group = number(node.require("multicast_group_id"), "a group's number", 1, _LAST_GROUP)
    return _core.Update.set_multicast_group(group, list(_replicas(node)))


def clone_session(node: Node, groups: set[Any]) -> list[_core.Update]:
    """The changes that one element of ``clone_session_entries`` asks for.

    A session sends to one port, or to a multicast group. More replicas than one, or one with an instance of its own, so
    take a group from the top of the numbers, as BMv2's P4Runtime server does.

    Args:
        node: the element.
        groups: the numbers of groups that are taken; one that is made here is added.
    """
    node.only(_SESSION_KEYS)
    session = number(node.require("clone_session_id"), "a session's number", 1, (1 << 32) - 1)
    cut = node.get("packet_length_bytes")
    # 0 means the whole packet (P4Runtime, CloneSessionEntry).
    length = None if cut is None else number(cut, "a packet length in bytes", 0, (1 << 31) - 1) or None
    replicas = list(_replicas(node))
    if not replicas:
        node.require("replicas").fail("a clone session needs a replica")
    if len(replicas) == 1 and replicas[0][1] == 0:
        return [_core.Update.set_clone_session(session, replicas[0][0], None, length)]
    group = next(free for free in range(_LAST_GROUP, 0, -1) if free not in groups)
    groups.add(group)
    return [
        _core.Update.set_multicast_group(group, replicas),
        _core.Update.set_clone_session(session, None, group, length),
    ]


def _replicas(node: Node) -> Iterator[tuple[int, int]]:
    """Ports and instances (replication ids)."""
    for replica in node.require("replicas").items():
        replica.only(_REPLICA_KEYS)
        port = number(replica.require("egress_port"), "a port", 0, (1 << 32) - 1)
        instance = replica.get("instance")
        yield port, 0 if instance is None else number(instance, "an instance", 0, 0xFFFF)

"""Commands on clone sessions and multicast groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import _core
from weir.control.commands.registry import command
from weir.control.commands.values import whole
from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_CLONES = "Clone sessions"
_MULTICAST = "Multicast"
_LAST_PORT = (1 << 32) - 1


def _session(text: str) -> int:
    return whole(text, "a session's number", 0, _LAST_PORT)


def _port(text: str) -> int:
    return whole(text, "a port", 0, _LAST_PORT)


def _mgrp(text: str) -> int:
    return whole(text, "a group's number", 1, 0xFFFF)


def _rid(text: str) -> int:
    return whole(text, "a replication id", 0, 0xFFFF)


def _node(text: str) -> int:
    return whole(text, "a node's handle")


@command(_CLONES, "SESSION PORT", "send a session's clones to a port", example="mirroring_add 5 2")
def mirroring_add(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.write([_core.Update.set_clone_session(_session(args[0]), _port(args[1]), None, None)])
    return []


@command(
    _CLONES, "SESSION GROUP", "send a session's clones to a multicast group", example="mirroring_add_mc 5 1"
)
def mirroring_add_mc(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.write([_core.Update.set_clone_session(_session(args[0]), None, _mgrp(args[1]), None)])
    return []


@command(_CLONES, "SESSION", "take a session away", example="mirroring_delete 5")
def mirroring_delete(runtime: Runtime, args: list[str]) -> list[str]:
    session = _session(args[0])
    _known_session(runtime, session)
    runtime.switch.core.delete_clone_session(session)
    return []


@command(_CLONES, "SESSION", "show where a session's clones go", example="mirroring_get 5")
def mirroring_get(runtime: Runtime, args: list[str]) -> list[str]:
    session = _session(args[0])
    port, group, cut = _known_session(runtime, session)
    parts = [
        "" if port is None else f"port {port}",
        "" if group is None else f"multicast group {group}",
        "" if cut is None else f"cut to {cut} bytes",
    ]
    return [f"session {session}: {', '.join(part for part in parts if part)}"]


def _known_session(runtime: Runtime, session: int) -> tuple[int | None, int | None, int | None]:
    found = runtime.switch.core.clone_session(session)
    if found is None:
        raise ControlError(f"there is no clone session {session} (mirroring_add makes one)")
    return found


@command(_MULTICAST, "GROUP", "make an empty multicast group", example="mc_mgrp_create 1")
def mc_mgrp_create(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.create_group(_mgrp(args[0]))
    return []


@command(_MULTICAST, "GROUP", "take a multicast group away; its nodes stay", example="mc_mgrp_destroy 1")
def mc_mgrp_destroy(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.destroy_group(_mgrp(args[0]))
    return []


@command(
    _MULTICAST,
    "RID [PORT…]",
    "make a node: copies to these ports with this replication id",
    example="mc_node_create 0 1 2 3",
    details="The node's handle is printed: the smallest that is free, from 0.",
    most=None,
)
def mc_node_create(runtime: Runtime, args: list[str]) -> list[str]:
    return [f"node {runtime.nodes.create(_rid(args[0]), _ports(args[1:]))} created"]


@command(_MULTICAST, "NODE [PORT…]", "give a node other ports", example="mc_node_update 0 1 2", most=None)
def mc_node_update(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.change(_node(args[0]), _ports(args[1:]))
    return []


@command(_MULTICAST, "GROUP NODE", "put a node into a group", example="mc_node_associate 1 0")
def mc_node_associate(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.associate(_mgrp(args[0]), _node(args[1]))
    return []


@command(_MULTICAST, "GROUP NODE", "take a node out of a group", example="mc_node_dissociate 1 0")
def mc_node_dissociate(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.dissociate(_mgrp(args[0]), _node(args[1]))
    return []


@command(_MULTICAST, "NODE", "take a node away", example="mc_node_destroy 0")
def mc_node_destroy(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.destroy(_node(args[0]))
    return []


@command(_MULTICAST, "", "show groups and nodes", example="mc_dump")
def mc_dump(runtime: Runtime, args: list[str]) -> list[str]:
    nodes = runtime.nodes
    lines = []
    for group, handles in sorted(nodes.groups.items()):
        lines.append(f"group {group}")
        lines += [f"  node {handle}: {_shown(runtime, handle)}" for handle in handles]
    free = [handle for handle, node in sorted(nodes.by_handle.items()) if node.group is None]
    lines += [f"node {handle}: {_shown(runtime, handle)}, in no group" for handle in free]
    return lines


def _shown(runtime: Runtime, handle: int) -> str:
    node = runtime.nodes.by_handle[handle]
    return f"rid {node.rid}, ports {' '.join(map(str, node.ports)) or 'none'}"


def _ports(words: list[str]) -> list[int]:
    if "|" in words:
        raise ControlError("link aggregation groups (behind |) are not there: give the ports")
    return [_port(word) for word in words]

"""Commands on clone sessions and multicast groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.control.commands.registry import command
from weir.control.commands.values import whole
from weir.control.sessions import CloneSession
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
    runtime.switch.set_clone_session(_session(args[0]), _port(args[1]))
    return []


@command(
    _CLONES, "SESSION GROUP", "send a session's clones to a multicast group", example="mirroring_add_mc 5 1"
)
def mirroring_add_mc(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.switch.set_clone_session(_session(args[0]), group=_mgrp(args[1]))
    return []


@command(_CLONES, "SESSION", "take a session away", example="mirroring_delete 5")
def mirroring_delete(runtime: Runtime, args: list[str]) -> list[str]:
    session = _session(args[0])
    _known_session(runtime, session)
    runtime.switch.delete_clone_session(session)
    return []


@command(_CLONES, "SESSION", "show where a session's clones go", example="mirroring_get 5")
def mirroring_get(runtime: Runtime, args: list[str]) -> list[str]:
    session = _session(args[0])
    found = _known_session(runtime, session)
    parts = [
        "" if found.port is None else f"port {found.port}",
        "" if found.group is None else f"multicast group {found.group}",
        "" if found.length is None else f"cut to {found.length} bytes",
    ]
    return [f"session {session}: {', '.join(part for part in parts if part)}"]


def _known_session(runtime: Runtime, session: int) -> CloneSession:
    sessions = runtime.switch.clone_sessions()
    if session not in sessions:
        raise ControlError(f"there is no clone session {session} (mirroring_add makes one)")
    return sessions[session]


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
    "RID [PORT…] [|] [LAG…]",
    "make a node: copies to these ports, and to a port of each LAG, with this replication id",
    example="mc_node_create 0 1 2 3",
    details="The node's handle is printed: the smallest that is free, from 0. Link aggregation groups (LAGs) stand behind |.",
    most=None,
)
def mc_node_create(runtime: Runtime, args: list[str]) -> list[str]:
    ports, lags = _ports_and_lags(args[1:])
    return [f"node {runtime.nodes.create(_rid(args[0]), ports, lags)} created"]


@command(
    _MULTICAST,
    "NODE [PORT…] [|] [LAG…]",
    "give a node other ports and LAGs",
    example="mc_node_update 0 1 2",
    most=None,
)
def mc_node_update(runtime: Runtime, args: list[str]) -> list[str]:
    ports, lags = _ports_and_lags(args[1:])
    runtime.nodes.change(_node(args[0]), ports, lags)
    return []


@command(
    _MULTICAST,
    "LAG [PORT…]",
    "set the ports of a link aggregation group",
    example="mc_set_lag_membership 1 3 4",
    details="A copy for a LAG goes to one of its ports. As in simple_switch that is always the same one: of n ports, smallest first, the\n"
    "one at place 255 mod n. A LAG without ports takes no copy.",
    most=None,
)
def mc_set_lag_membership(runtime: Runtime, args: list[str]) -> list[str]:
    runtime.nodes.set_lag(_lag(args[0]), [_port(word) for word in args[1:]])
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


@command(_MULTICAST, "", "show groups, nodes and LAGs", example="mc_dump")
def mc_dump(runtime: Runtime, args: list[str]) -> list[str]:
    nodes, lines = runtime.nodes, []
    made = nodes.made_groups()
    for group, replicas in runtime.switch.multicast_groups().items():
        if group in made:
            lines.append(f"group {group}")
            lines += [f"  node {handle}: {_shown(runtime, handle)}" for handle in made[group]]
        else:
            lines.append(f"group {group}, made without nodes")
            lines += [f"  rid {replica.instance}, port {replica.port}" for replica in replicas]
    free = [handle for handle, node in sorted(nodes.by_handle.items()) if node.group is None]
    lines += [f"node {handle}: {_shown(runtime, handle)}, in no group" for handle in free]
    lines += [f"lag {lag}: ports {_listed(ports)}" for lag, ports in sorted(nodes.lags.items())]
    return lines


def _shown(runtime: Runtime, handle: int) -> str:
    node = runtime.nodes.by_handle[handle]
    lags = f", lags {_listed(node.lags)}" if node.lags else ""
    return f"rid {node.rid}, ports {_listed(node.ports)}{lags}"


def _listed(numbers: list[int]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _lag(text: str) -> int:
    return whole(text, "a LAG's number", 0, 255)


def _ports_and_lags(words: list[str]) -> tuple[list[int], list[int]]:
    bar = words.index("|") if "|" in words else len(words)
    return [_port(word) for word in words[:bar]], [_lag(word) for word in words[bar + 1 :]]

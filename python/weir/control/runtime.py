"""The public tutorials' runtime JSON (``sN-runtime.json``), read and applied through the control interface."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, jsonfile
from weir.control.replication import clone_session, multicast_group
from weir.control.table import Table
from weir.errors import ControlError
from weir.jsonfile import Node

if TYPE_CHECKING:
    from weir.control.switch import Switch

_KEYS = ("target", "p4info", "bmv2_json", "table_entries", "multicast_group_entries", "clone_session_entries")
_ENTRY_KEYS = ("table", "match", "default_action", "action_name", "action_params", "priority")

Change = tuple[Node, _core.Update]
"""A change and the place in the document that asks for it."""


def load(switch: Switch, entries: str | Path | Mapping[str, Any]) -> int:
    """Applies a document to a switch; see :meth:`Switch.load_entries`."""
    if isinstance(entries, (str, Path)):
        root = jsonfile.load(entries, ControlError)
    else:
        root = Node(dict(entries), None, "$", ControlError)
    changes = _changes(switch, root)
    failed = switch.try_write([update for _, update in changes])
    if failed is not None:
        number, message = failed
        changes[number][0].fail(message)
    return len(changes)


def _changes(switch: Switch, root: Node) -> list[Change]:
    root.only(_KEYS)
    if (target := root.get("target")) is not None and target.text("a target's name") != "bmv2":
        target.fail(f'unknown target "{target.value}"', "bmv2")
    # Both name what p4c made of the program; Weir has the program itself and knows its names and widths.
    for name in ("p4info", "bmv2_json"):
        if (made := root.get(name)) is not None:
            made.text("a file's name")
    changes: list[Change] = []
    if (groups := root.get("multicast_group_entries")) is not None:
        changes += [(node, multicast_group(node)) for node in groups.items()]
    if (sessions := root.get("clone_session_entries")) is not None:
        used = {node.value["multicast_group_id"] for node in groups.items()} if groups is not None else set()
        for node in sessions.items():
            changes += [(node, update) for update in clone_session(node, used)]
    if (rows := root.get("table_entries")) is not None:
        changes += [(node, _entry(switch, node)) for node in rows.items()]
    return changes


def _entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``table_entries`` asks for."""
    node.only(_ENTRY_KEYS)
    name = node.require("table")
    name.text("a table's name")
    table = name.read(switch.table)
    default = node.get("default_action")
    is_default = default is not None and bool(default.expect(bool, "true or false"))
    action, params = _call(table, node, default=is_default)
    match = node.get("match")
    priority = node.get("priority")
    if is_default:
        if match is not None and match.value:
            match.fail("a default action has no match")
        if priority is not None and priority.value not in (None, 0):
            priority.fail("a default action has no priority")
        return node.attempt(partial(table.new_default, action, params))
    wanted = _match(table, node, match)
    rank = None
    if priority is not None and priority.value is not None:
        rank = priority.integer("a priority")
        priority.read(table.read_priority)
    return node.attempt(partial(table.insertion, wanted, action, params, rank))


def _call(table: Table, node: Node, *, default: bool) -> tuple[str, dict[str, Any]]:
    name = node.require("action_name")
    name.text("an action's name")
    action = name.read(table.find_action)
    given = node.get("action_params")
    params: dict[str, Any] = {}
    if given is not None and given.value is not None:
        for param, value in given.members():
            value.attempt(partial(table.read_param, action, param, value.value))
            params[param] = value.value
    (node if given is None else given).attempt(partial(table.order_params, action, params))
    name.attempt(partial(table.read_call, action.name, params, default=default))
    return action.name, params


def _match(table: Table, node: Node, match: Node | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if match is not None and match.value is not None:
        for key, value in match.members():
            value.attempt(partial(table.read_one, key, value.value))
            found[key] = value.value
    (node if match is None else match).attempt(partial(table.order, found))
    return found

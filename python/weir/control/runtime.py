"""The public tutorials' runtime JSON (``sN-runtime.json``), read and applied through the control interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, jsonfile
from weir.control.json_cells import (
    counter_entry,
    direct_counter_entry,
    direct_meter_entry,
    meter_entry,
    register_entry,
)
from weir.control.json_profiles import member, profile_group
from weir.control.json_replication import clone_session, multicast_group
from weir.control.json_tables import entry, named
from weir.errors import ControlError
from weir.jsonfile import Node

if TYPE_CHECKING:
    from weir.control.switch import Switch

_SECTIONS: dict[str, Callable[[Switch, Node], _core.Update]] = {
    "action_profile_members": member,
    "action_profile_groups": profile_group,
    "table_entries": entry,
    "counter_entries": counter_entry,
    "direct_counter_entries": direct_counter_entry,
    "meter_entries": meter_entry,
    "direct_meter_entries": direct_meter_entry,
    "register_entries": register_entry,
}
_KEYS = (
    "target",
    "p4info",
    "bmv2_json",
    "multicast_group_entries",
    "clone_session_entries",
    "value_set_entries",
    *_SECTIONS,
)

Change = tuple[Node, _core.Update]
"""A change and the place in the document that asks for it."""


def load(switch: Switch, entries: str | Path | Mapping[str, Any]) -> int:
    """Applies a document to a switch; see :meth:`Switch.load_entries`."""
    if isinstance(entries, (str, Path)):
        root = jsonfile.load(entries, ControlError)
    else:
        root = Node(dict(entries), None, "$", ControlError)
    changes = _changes(switch, root)
    _, failed = switch.core.write([update for _, update in changes])
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
        used |= set(switch.multicast_groups())
        for node in sessions.items():
            changes += [(node, update) for update in clone_session(node, used)]
    if (sets := root.get("value_set_entries")) is not None:
        changes += [(node, _value_set(switch, node)) for node in sets.items()]
    for name, read in _SECTIONS.items():
        if (rows := root.get(name)) is not None:
            changes += [(node, read(switch, node)) for node in rows.items()]
    return changes


def _value_set(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``value_set_entries`` asks for."""
    node.only(("value_set", "members"))
    found = named(node, "value_set", switch.value_set)
    members = []
    for one in node.require("members").items():
        value = one.value if isinstance(one.value, list) else [one.value]
        members.append(one.attempt(partial(found.read, value)))
    return _core.Update.set_value_set(found.name, members)

"""Table entries in the public tutorials' runtime JSON, with what P4Runtime's entries have beside an action."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from weir import _core
from weir.control.table import Table
from weir.jsonfile import Node

if TYPE_CHECKING:
    from weir.control.switch import Switch

T = TypeVar("T")

_MEMBER = "action_profile_member_id"
_GROUP = "action_profile_group_id"
_SET = "action_profile_action_set"
_TARGETS = ("action_name", _MEMBER, _GROUP, _SET)
_KEYS = ("table", "match", "default_action", "action_params", "priority", "idle_timeout_ns", *_TARGETS)
_ACTION_KEYS = ("action_name", "action_params", "weight")

_MOST = (1 << 32) - 1


def entry(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``table_entries`` asks for."""
    node.only(_KEYS)
    table = named(node, "table", switch.table)
    default = node.get("default_action")
    is_default = default is not None and bool(default.expect(bool, "true or false"))
    target = _target(table, node, default=is_default)
    match = node.get("match")
    priority = node.get("priority")
    timeout = node.get("idle_timeout_ns")
    if is_default:
        if match is not None and match.value:
            match.fail("a default action has no match")
        if priority is not None and priority.value not in (None, 0):
            priority.fail("a default action has no priority")
        if timeout is not None:
            timeout.fail("a default action has no idle time-out")
        return node.attempt(partial(table.new_default, target))
    wanted = _match(table, node, match)
    rank = None
    if priority is not None and priority.value is not None:
        rank = priority.integer("a priority")
        priority.read(table.read_priority)
    span = None if timeout is None else number(timeout, "a time-out in nanoseconds", 0, (1 << 63) - 1) or None
    return node.attempt(partial(table.insertion, wanted, target, rank, span))


def _target(table: Table, node: Node, *, default: bool) -> _core.Target:
    given = [name for name in _TARGETS if node.get(name) is not None]
    if len(given) > 1:
        node.child(given[1]).fail(f"an entry has one of {given[0]} and {given[1]}")
    if given == [_MEMBER]:
        return _core.Target.member(number(node.child(_MEMBER), "a member's number", 0, _MOST))
    if given == [_GROUP]:
        return _core.Target.group(number(node.child(_GROUP), "a group's number", 0, _MOST))
    if given == [_SET]:
        return _core.Target.one_of([_weighted(table, one) for one in node.child(_SET).items()])
    return _core.Target.action(*call(table, node, default=default))


def _weighted(table: Table, node: Node) -> tuple[str, _core.Args, int]:
    node.only(_ACTION_KEYS)
    weight = node.get("weight")
    name, args = call(table, node, default=False)
    return name, args, 1 if weight is None else number(weight, "a weight", 1, _MOST)


def call(table: Table, node: Node, *, default: bool) -> tuple[str, _core.Args]:
    """The action that ``action_name`` and ``action_params`` name."""
    name = node.require("action_name")
    name.text("an action's name")
    action = name.read(table.find_action)
    given = node.get("action_params")
    params: dict[str, Any] = {}
    if given is not None and given.value is not None:
        for param, value in given.members():
            params[param] = value.attempt(partial(table.read_param, action, param, value.value))
    args = (node if given is None else given).attempt(partial(table.order_params, action, params))
    name.attempt(partial(table.read_call, action.name, params, default=default))
    return action.name, args


def entry_key(switch: Switch, node: Node) -> tuple[Table, _core.EntryKey]:
    """The table's entry that ``table``, ``match`` and ``priority`` name."""
    table = named(node, "table", switch.table)
    wanted, priority = _match(table, node, node.get("match")), node.get("priority")
    rank = None if priority is None else priority.integer("a priority")
    return table, (node if priority is None else priority).attempt(partial(table.key, wanted, rank))


def _match(table: Table, node: Node, match: Node | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if match is not None and match.value is not None:
        for key, value in match.members():
            value.attempt(partial(table.read_one, key, value.value))
            found[key] = value.value
    (node if match is None else match).attempt(partial(table.need_keys, found))
    return found


def named(node: Node, key: str, read: Callable[[str], T]) -> T:
    """The object that the member ``key`` names."""
    name = node.require(key)
    what = key.replace("_", " ")
    name.text(f"{'an' if what[0] in 'aeiou' else 'a'} {what}'s name")
    return name.read(read)


def number(node: Node, what: str, least: int, most: int) -> int:
    """A whole number between bounds."""
    value = node.integer(what)
    if not least <= value <= most:
        node.fail(f"{value} is out of range: expected {what} from {least} to {most}")
    return value

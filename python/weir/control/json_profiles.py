"""Action profiles in the runtime JSON, in the shape of P4Runtime's ``ActionProfileMember`` and ``ActionProfileGroup``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from weir import _core
from weir.control.json_tables import call, named, number
from weir.jsonfile import Node

if TYPE_CHECKING:
    from weir.control.switch import Switch

_MEMBER_KEYS = ("action_profile", "member_id", "action_name", "action_params")
_GROUP_KEYS = ("action_profile", "group_id", "members")
_WEIGHT_KEYS = ("member_id", "weight")

_MOST = (1 << 32) - 1


def member(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``action_profile_members`` asks for."""
    node.only(_MEMBER_KEYS)
    profile = named(node, "action_profile", switch.action_profile)
    table = node.child("action_profile").attempt(profile.actions_table)
    wish = number(node.require("member_id"), "a member's number", 0, _MOST)
    return _core.Update.insert_member(profile.name, wish, *call(table, node, default=False))


def profile_group(switch: Switch, node: Node) -> _core.Update:
    """The change that one element of ``action_profile_groups`` asks for."""
    node.only(_GROUP_KEYS)
    profile = named(node, "action_profile", switch.action_profile)
    wish = number(node.require("group_id"), "a group's number", 0, _MOST)
    members: dict[int, int] = {}
    for one in node.require("members").items():
        one.only(_WEIGHT_KEYS)
        of_group = one.require("member_id")
        chosen, weight = number(of_group, "a member's number", 0, _MOST), one.get("weight")
        if chosen in members:
            of_group.fail(f"member {chosen} is given twice; give it a larger weight instead")
        members[chosen] = 1 if weight is None else number(weight, "a weight", 1, _MOST)
    return node.child("action_profile").attempt(partial(profile.new_group, wish, members))

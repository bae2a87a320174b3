"""Random entries that fit a table."""

from __future__ import annotations

import random
from typing import Any

from weir.control import Table
from weir.errors import ControlError
from weir.program import ActionInfo


def insert(table: Table, chance: random.Random) -> bool:
    """Inserts a random entry.

    Returns whether the table accepted it; it may have the entry, or be full.
    """
    info = table.info
    actions = [action for action in info.actions if not action.default_only]
    if info.const_entries or not info.keys or not actions:
        return False
    match = {
        key.name: _match(key.match_kind, key.width, chance)
        for key in info.keys
        if key.match_kind != "optional" or chance.random() < 0.7
    }
    priority = chance.randrange(1, 100) if info.needs_priority else None
    try:
        if info.profile is not None:
            table.insert(match, member=_member(table, chance.choice(actions), chance), priority=priority)
        else:
            action = chance.choice(actions)
            table.insert(match, action.name, params(action, chance), priority=priority)
    except ControlError:
        return False
    return True


def params(action: ActionInfo, chance: random.Random) -> dict[str, Any]:
    """Random action data; small numbers often, which can be ports."""
    return {own.name: value(own.width, chance) for own in action.params}


def value(width: int, chance: random.Random) -> int:
    """A random value of a width."""
    return chance.choice([chance.randrange(8), chance.getrandbits(width) if width else 0]) & (
        (1 << width) - 1
    )


def _member(table: Table, action: ActionInfo, chance: random.Random) -> int:
    profile = table._switch.action_profile(table.info.profile or "")
    return profile.add_member(action.name, params(action, chance))


def _match(kind: str, width: int, chance: random.Random) -> Any:
    number = value(width, chance)
    if kind == "lpm":
        length = chance.randrange(width + 1)
        return [number >> (width - length) << (width - length), length]
    if kind == "ternary":
        mask = value(width, chance)
        return [number & mask, mask]
    if kind == "range":
        return sorted([number, value(width, chance)])
    return number

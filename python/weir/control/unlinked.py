"""Warnings about entries that send packets to a port without a link, where they are dropped."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.errors import WeirWarning

if TYPE_CHECKING:
    from weir.control.switch import Switch
    from weir.program import Program

_DROP = 511
"""The port that means drop, in v1model."""

_PACKAGE = str(Path(__file__).parents[1])

_Call = tuple[str, str, Mapping[str, Any]]
"""The table, action and parameters of an entry or default."""


def warn_of_document(switch: Switch, document: object) -> None:
    """Warns about a runtime JSON document that was applied: a warning for each table and port."""
    if switch.program._port_params and isinstance(document, Mapping):
        entries = document.get("table_entries") or ()
        _warn_of_calls(
            switch,
            ((entry["table"], entry["action_name"], entry.get("action_params") or {})
             for entry in entries if "action_name" in entry),
        )  # fmt: skip


def warn_of_text(switch: Switch, text: str) -> None:
    """Warns about a runtime JSON file that was applied, likewise."""
    if switch.program._port_params:
        try:
            warn_of_document(switch, json.loads(text))
        except ValueError:
            # A number of thousands of digits, in a part that is ignored.
            return


def warn_of_commands(switch: Switch, commands: Iterable[Sequence[str]]) -> None:
    """Warns about runtime commands that were run, likewise."""
    if switch.program._port_params:
        _warn_of_calls(switch, _calls(switch.program, commands))


def warn_of_call(switch: Switch, table: str, action: str | None, params: Mapping[str, Any] | None) -> None:
    """Warns about one entry or default."""
    if action is not None and params:
        for name, port in _unlinked(switch, [(table, action, params)]):
            _warn(switch, f"{table}: the entry sends packets to port {port} ({name[1]})")


def _warn_of_calls(switch: Switch, calls: Iterable[_Call]) -> None:
    found = Counter(_unlinked(switch, calls))
    for ((table, action), port), count in found.items():
        entries = "1 entry sends" if count == 1 else f"{count} entries send"
        _warn(switch, f"{table}: {entries} packets to port {port} ({action})")


def _unlinked(switch: Switch, calls: Iterable[_Call]) -> Iterator[tuple[tuple[str, str], int]]:
    """The tables, actions and ports of the calls that send packets to a port without a link."""
    senders = switch.program._port_params
    linked = {*switch.ports, _DROP}
    for table, action, params in calls:
        for param in senders.get(action, ()):
            port = _number(params.get(param))
            if port is not None and port not in linked:
                yield (table, action), port


def _calls(program: Program, commands: Iterable[Sequence[str]]) -> Iterator[_Call]:
    """The entries and defaults that commands set, of actions that choose a port."""
    senders = program._port_params
    order = {
        name: [param.name for param in action.params]
        for table in program.tables.values()
        for action in table.actions
        for name in (action.name, action.name.rpartition(".")[2])
        if name in senders
    }
    for words in commands:
        match words:
            case ["table_add", table, action, *rest] if action in order and "=>" in rest:
                values = rest[rest.index("=>") + 1 :]
            case ["table_set_default", table, action, *rest] if action in order:
                values = [word for word in rest if word != "=>"]
            case ["table_modify", table, action, _, *rest] if action in order:
                values = [word for word in rest if word != "=>"]
            case _:
                continue
        yield table, action, dict(zip(order[action], values, strict=False))


def _number(value: object) -> int | None:
    if isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _warn(switch: Switch, what: str) -> None:
    linked = ", ".join(map(str, switch.ports)) or "none"
    text = f"{switch.name}: {what}, which no link is connected to (linked: {linked})"
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, WeirWarning, stacklevel=level)

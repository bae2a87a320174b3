"""Warnings about entries that send packets to a port without a link, where they are dropped.

The warnings also cover members of action profiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from weir.control.warned import warn_caller
from weir.files.jsontext import json_object

if TYPE_CHECKING:
    from weir.control.entry import WeightedAction
    from weir.control.owner import Owner
    from weir.program import DeclaredObjects

_Kind = Literal["entry", "member"]
"""The kind of caller of an action: an entry or a default of a table, or a member of an action
profile."""

_Call = tuple[_Kind, str, str, Mapping[str, Any]]
"""An action call: the kind of the caller, the name of its table or action profile, the action, and
the action's parameters."""


def warn_of_document(switch: Owner, document: object) -> None:
    """Warns about the calls in a runtime JSON document that send packets to a port without a link.

    There is one warning for each pair of a table or profile and a port.
    """
    if switch.program._port_params and isinstance(document, Mapping):
        _warn_of_calls(switch, _calls_of_document(document))


def document_of(text: str) -> object:
    """Parses the text of an applied runtime JSON document; returns ``None`` if a number has too
    many digits.

    Only ignored parts of a document can have such a number.
    """
    try:
        return json_object(text)
    except ValueError:
        return None


def warn_of_commands(switch: Owner, commands: Iterable[Sequence[str]]) -> None:
    """Warns about the calls in executed runtime commands that send packets to a port without a
    link, like :func:`warn_of_document`."""
    if switch.program._port_params:
        _warn_of_calls(switch, _calls_of_commands(switch.program, commands))


def warn_of_call(
    switch: Owner,
    holder: str,
    action: str | None,
    params: Mapping[str, Any] | None,
    kind: _Kind = "entry",
) -> None:
    """Warns if an entry, a default or a member of ``holder`` (a table or action profile) sends
    packets to a port without a link."""
    if action is not None and params:
        for (_, _, name), port in _unlinked_calls(switch, [(kind, holder, action, params)]):
            warn_unlinked(switch, f"{holder}: the {kind} sends packets to port {port} ({name})")


def warn_of_actions(switch: Owner, table: str, actions: Sequence[WeightedAction]) -> None:
    """Warns if an entry that chooses among actions sends packets to a port without a link."""
    for weighted in actions:
        warn_of_call(switch, table, weighted.action, weighted.params)


def _warn_of_calls(switch: Owner, calls: Iterable[_Call]) -> None:
    calls_without_link = Counter(_unlinked_calls(switch, calls))
    for ((kind, holder, action), port), count in calls_without_link.items():
        several = {"entry": "entries", "member": "members"}[kind]
        senders = f"1 {kind} sends" if count == 1 else f"{count} {several} send"
        warn_unlinked(switch, f"{holder}: {senders} packets to port {port} ({action})")


def _unlinked_calls(switch: Owner, calls: Iterable[_Call]) -> Iterator[tuple[tuple[_Kind, str, str], int]]:
    """Finds the calls that send packets to a port without a link, each with its port."""
    senders = switch.program._port_params
    if not senders:
        return
    linked = {*switch.ports, switch.program._drop_port}
    for kind, holder, action, params in calls:
        for param in senders.get(action, ()):
            port = number_of(params.get(param))
            if port is not None and port not in linked:
                yield (kind, holder, action), port


def _calls_of_document(document: Mapping[str, Any]) -> Iterator[_Call]:
    for member in document.get("action_profile_members") or ():
        params = member.get("action_params") or {}
        yield "member", member["action_profile"], member["action_name"], params
    for entry in document.get("table_entries") or ():
        for call in entry.get("action_profile_action_set") or [entry]:
            if "action_name" in call:
                yield "entry", entry["table"], call["action_name"], call.get("action_params") or {}


def _calls_of_commands(program: DeclaredObjects, commands: Iterable[Sequence[str]]) -> Iterator[_Call]:
    """Yields the action calls with a port in the entries, defaults and members that commands
    set."""
    senders = program._port_params
    order = {
        name: [param.name for param in action.params]
        for table in program.tables.values()
        for action in table.actions
        for name in (action.name, action.name.rpartition(".")[2])
        if name in senders
    }
    kind: _Kind
    values: list[str]
    for words in commands:
        kind, values = "entry", []
        match words:
            case ["table_add", holder, action, *rest] if "=>" in rest:
                values = rest[rest.index("=>") + 1 :]
            case ["table_set_default", holder, action, *values]:
                pass
            case ["table_modify", holder, action, _, *values]:
                pass
            case ["act_prof_create_member" | "table_indirect_create_member", holder, action, *values]:
                kind = "member"
            case ["act_prof_modify_member" | "table_indirect_modify_member", holder, action, _, *values]:
                kind = "member"
            case _:
                continue
        if action in order:
            values = [word for word in values if word != "=>"]
            yield kind, holder, action, dict(zip(order[action], values, strict=False))


def number_of(value: object) -> int | None:
    """Reads a port number from a document or command; returns ``None`` if the value is not a
    number."""
    if isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def warn_unlinked(switch: Owner, what: str) -> None:
    """Warns that no link is connected to a port, at the line of the user's code that called this
    package."""
    linked = ", ".join(map(str, switch.ports)) or "none"
    warn_caller(f"{switch.name}: {what}, which no link is connected to (linked: {linked})")

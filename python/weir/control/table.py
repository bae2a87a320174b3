"""A running switch's table: its entries read and changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.control.match import ANY, PRIORITY_KINDS, Match, format_match, read_match, to_bytes
from weir.control.values import format_value, read_value
from weir.errors import ControlError
from weir.program import ActionInfo, KeyInfo, TableInfo
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    import polars

    from weir.control.switch import Switch


@dataclass(frozen=True)
class TableEntry:
    """An entry of a table, as text that :meth:`Table.insert` takes again.

    Attributes:
        match: what it says about each key, ``*`` for any value; empty for the default entry.
        action: its action's control-plane name.
        params: the action's parameters.
        priority: larger is preferred; None where the table needs none.
        is_const: whether the program gives it and the control plane may not change it.
    """

    match: Mapping[str, str]
    action: str
    params: Mapping[str, str]
    priority: int | None = None
    is_const: bool = False

    def __str__(self) -> str:
        keys = ", ".join(f"{name}={value}" for name, value in self.match.items()) or "(default)"
        params = ", ".join(f"{name}={value}" for name, value in self.params.items())
        priority = "" if self.priority is None else f"  priority {self.priority}"
        return f"{keys} -> {self.action}({params}){priority}"


class Table:
    """A table of a switch. Got from :meth:`Switch.table`; changes act at once on the packets that follow.

    Attributes:
        info: the table as its program declares it.
    """

    def __init__(self, switch: Switch, info: TableInfo) -> None:
        self._switch = switch
        self.info = info

    @property
    def name(self) -> str:
        """Its control-plane name."""
        return self.info.name

    def entries(self) -> list[TableEntry]:
        """All entries, the program's own among them, without the default."""
        return [self._entry(entry) for entry in self._switch.core.entries(self.name)]

    @property
    def default(self) -> TableEntry:
        """What runs when no entry matches."""
        action, args = self._switch.core.default_action(self.name)
        return TableEntry({}, action, self._params_text(action, args), None, self.info.const_default)

    def insert(
        self,
        match: Mapping[str, Any],
        action: str,
        params: Mapping[str, Any] | None = None,
        priority: int | None = None,
    ) -> None:
        """Adds an entry.

        Args:
            match: what it says about each key, by control-plane name: exact ``5``; lpm ``["10.0.1.0", 24]`` or ``"10.0.1.0/24"``;
                ternary ``[value, mask]`` or ``"1 &&& 3"``; range ``[low, high]`` or ``"1..5"``; optional a value. Keys that are
                not exact may be left out: any value then.
            action: the action's control-plane name, or its last part.
            params: the action's parameters, by name.
            priority: larger is preferred; required with ternary, range and optional keys, refused otherwise.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, the entry is there already, or the table is full or const.
        """
        self._switch.write([self.insertion(match, action, params or {}, priority)])

    def insertion(
        self, match: Mapping[str, Any], action: str, params: Mapping[str, Any], priority: int | None
    ) -> _core.Update:
        """The change that :meth:`insert` makes, checked but not made."""
        matches = self.read_matches(match)
        chosen, args = self.read_call(action, params, default=False)
        return _core.Update.insert(self.name, matches, chosen.name, args, self.read_priority(priority))

    def modify(
        self,
        match: Mapping[str, Any],
        action: str,
        params: Mapping[str, Any] | None = None,
        priority: int | None = None,
    ) -> None:
        """Gives an entry another action or other parameters; see :meth:`insert`.

        Raises:
            ControlError: as :meth:`insert`, or there is no such entry.
        """
        matches = self.read_matches(match)
        chosen, args = self.read_call(action, params or {}, default=False)
        rank = self.read_priority(priority)
        self._switch.write([_core.Update.modify(self.name, matches, chosen.name, args, rank)])

    def delete(self, match: Mapping[str, Any], priority: int | None = None) -> None:
        """Takes an entry away.

        Raises:
            ControlError: there is no such entry, or the table is const.
        """
        update = _core.Update.delete(self.name, self.read_matches(match), self.read_priority(priority))
        self._switch.write([update])

    def set_default(self, action: str, params: Mapping[str, Any] | None = None) -> None:
        """Sets what runs when no entry matches.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, or the default is const.
        """
        self._switch.write([self.new_default(action, params or {})])

    def new_default(self, action: str, params: Mapping[str, Any]) -> _core.Update:
        """The change that :meth:`set_default` makes, checked but not made."""
        chosen, args = self.read_call(action, params, default=True)
        return _core.Update.set_default(self.name, chosen.name, args)

    def to_frame(self) -> polars.DataFrame:
        """A row an entry: a column a key, ``action``, ``params`` as text, ``priority``."""
        import polars

        entries = self.entries()
        columns: dict[str, list[Any]] = {
            key.name: [entry.match[key.name] for entry in entries] for key in self.info.keys
        }
        columns["action"] = [entry.action for entry in entries]
        columns["params"] = [", ".join(f"{k}={v}" for k, v in entry.params.items()) for entry in entries]
        columns["priority"] = [entry.priority for entry in entries]
        schema: dict[str, Any] = dict.fromkeys(columns, polars.String)
        schema["priority"] = polars.Int64
        return polars.DataFrame(columns, schema=schema)

    def __repr__(self) -> str:
        return f"<weir.Table {self.name} of {self._switch.name}>"

    def find_key(self, name: str) -> KeyInfo:
        """The key of that name."""
        for key in self.info.keys:
            if key.name == name:
                return key
        names = [key.name for key in self.info.keys]
        suggestion = nearest(name, names, dotted=True)
        known = "" if suggestion else f" (its keys: {listing(names)})"
        raise ControlError(f'table {self.name} has no key "{name}"{known}', suggestion=suggestion)

    def find_action(self, name: str) -> ActionInfo:
        """The action of that name, or of that last part."""
        if not isinstance(name, str):
            raise ControlError(f"expected an action's name, found {name!r}")
        found = self.info.find_action(name)
        if found is None:
            names = [action.name for action in self.info.actions]
            suggestion = nearest(name, names, dotted=True)
            known = "" if suggestion else f" (its actions: {listing(names)})"
            raise ControlError(f'table {self.name} has no action "{name}"{known}', suggestion=suggestion)
        return found

    def read_matches(self, match: Mapping[str, Any]) -> list[_core.MatchParts]:
        """One match a key, in the table's order, as the core takes them."""
        for name, value in match.items():
            self.read_one(name, value)
        return self.order(match)

    def read_one(self, name: str, value: Any) -> Match:
        """What an entry says about the key of that name."""
        key = self.find_key(name)
        try:
            return read_match(value, key)
        except ControlError as error:
            raise self._about(f"key {name}", error) from None

    def order(self, match: Mapping[str, Any]) -> list[_core.MatchParts]:
        """The matches in the table's order; left-out ones are any value."""
        missing = [key.name for key in self.info.keys if key.match_kind == "exact" and key.name not in match]
        if missing:
            raise ControlError(f"table {self.name} needs a value for the exact key {missing[0]}")
        if not self.info.keys:
            raise ControlError(f"table {self.name} has no keys: it takes a default action, no entries")
        return [
            _parts(read_match(match[key.name], key) if key.name in match else ANY, key)
            for key in self.info.keys
        ]

    def read_priority(self, priority: int | None) -> int | None:
        """Checks that there is a priority where the table needs one, and none elsewhere."""
        needed = [key for key in self.info.keys if key.match_kind in PRIORITY_KINDS]
        if not needed:
            if priority not in (None, 0):
                raise ControlError(
                    f"table {self.name} has no ternary, range or optional key: its entries have no priority"
                )
            return None
        if (
            priority is None
            or isinstance(priority, bool)
            or not isinstance(priority, int)
            or not 0 < priority < 1 << 31
        ):
            raise ControlError(
                f"table {self.name} has the {needed[0].match_kind} key {needed[0].name}: its entries need a priority of 1 or more"
            )
        return priority

    def read_call(
        self, name: str, params: Mapping[str, Any], *, default: bool
    ) -> tuple[ActionInfo, list[tuple[str, bytes]]]:
        """An action and its parameters in order."""
        action = self.find_action(name)
        if action.default_only and not default:
            raise ControlError(f"{action.name} is for the default of table {self.name} only (@defaultonly)")
        if action.table_only and default:
            raise ControlError(f"{action.name} is not for the default of table {self.name} (@tableonly)")
        for given in params:
            self.read_param(action, given, params[given])
        return action, self.order_params(action, params)

    def read_param(self, action: ActionInfo, name: str, value: Any) -> int:
        """One parameter's value."""
        for param in action.params:
            if param.name == name:
                try:
                    return read_value(value, param.width)
                except ControlError as error:
                    raise self._about(f"parameter {name} of {action.name}", error) from None
        names = [param.name for param in action.params]
        suggestion = nearest(name, names, dotted=True)
        known = "" if suggestion else f" (its parameters: {listing(names)})"
        raise ControlError(f'action {action.name} has no parameter "{name}"{known}', suggestion=suggestion)

    def order_params(self, action: ActionInfo, params: Mapping[str, Any]) -> list[tuple[str, bytes]]:
        """The parameters as the core takes them."""
        for param in action.params:
            if param.name not in params:
                raise ControlError(
                    f"action {action.name} needs the parameter {param.name} ({param.width} bits)"
                )
        return [(p.name, to_bytes(read_value(params[p.name], p.width), p.width)) for p in action.params]

    def _about(self, what: str, error: ControlError) -> ControlError:
        return ControlError(f"{what}: {error.message}", suggestion=error.suggestion)

    def _entry(self, raw: _core.Entry) -> TableEntry:
        found = {name: (kind, first, second) for name, kind, first, second in raw.matches}
        match = {}
        for key in self.info.keys:
            kind, first, second = found.get(key.name, ("any", b"", b""))
            b = second if isinstance(second, int) else int.from_bytes(second, "big")
            match[key.name] = format_match((kind, int.from_bytes(first, "big"), b), key)
        params = self._params_text(raw.action, raw.args)
        return TableEntry(match, raw.action, params, raw.priority, raw.is_const)

    def _params_text(self, action: str, args: list[tuple[str, bytes]]) -> dict[str, str]:
        found = self.info.find_action(action)
        widths = {param.name: param.width for param in found.params} if found else {}
        return {
            name: format_value(int.from_bytes(value, "big"), widths.get(name, 8 * len(value)), name)
            for name, value in args
        }


def _parts(match: Match, key: KeyInfo) -> _core.MatchParts:
    kind, a, b = match
    second = b if kind == "lpm" else to_bytes(b, key.width)
    return (key.name, kind, to_bytes(a, key.width), second)

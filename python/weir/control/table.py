"""A running switch's table: its entries read and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.control.cells import Rates, rates_in, rates_out
from weir.control.entry import TableEntry, WeightedAction, read_default, read_entry
from weir.control.match import ANY, Match, read_match, to_bytes, to_parts
from weir.control.values import bounded, format_value, read_value
from weir.errors import ControlError
from weir.program import ActionInfo, KeyInfo, TableInfo
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    import polars

    from weir.control.switch import Switch

_MOST = (1 << 32) - 1

EntryName = Mapping[str, Any] | TableEntry | int
"""How an entry that is there is named: by what it matches, by what was read back of it, or by its handle."""


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

    def __len__(self) -> int:
        """How many entries it has, without the default."""
        return self._switch._core.table_state(self.name)[0]

    @property
    def hits(self) -> int:
        """Look-ups so far that found an entry."""
        return self._switch._core.table_state(self.name)[1]

    @property
    def misses(self) -> int:
        """Look-ups so far that found none."""
        return self._switch._core.table_state(self.name)[2]

    @property
    def memory(self) -> int:
        """Bytes of memory that its entries take, with all that is needed to find and change them."""
        return self._switch._core.table_state(self.name)[3]

    def entries(self) -> list[TableEntry]:
        """All entries, the program's own among them, without the default."""
        entries = self._switch._core.entries(self.name)
        return [self.describe(entry) for entry in entries]

    def entry(self, entry: EntryName, priority: int | None = None) -> TableEntry:
        """One entry.

        Args:
            entry: what it matches, or its handle.
            priority: its priority, with what it matches.

        Raises:
            ControlError: there is no such entry.
        """
        return self.describe(self._switch._core.entry(self.name, self.key(entry, priority)))

    @property
    def default(self) -> TableEntry:
        """What runs when no entry matches."""
        return read_default(self.info, self._switch._core.default_action(self.name), self.params_text)

    def insert(
        self,
        match: Mapping[str, Any],
        action: str | None = None,
        params: Mapping[str, Any] | None = None,
        priority: int | None = None,
        *,
        member: int | None = None,
        group: int | None = None,
        actions: Sequence[WeightedAction] = (),
        idle_timeout: str | None = None,
    ) -> int:
        """Adds an entry. One of ``action``, ``member``, ``group`` and ``actions`` says what it does.

        Args:
            match: what it says about each key, by control-plane name: exact ``5``; lpm ``["10.0.1.0", 24]`` or ``"10.0.1.0/24"``;
                ternary ``[value, mask]`` or ``"1 &&& 3"``; range ``[low, high]`` or ``"1..5"``; optional a value. Keys that are
                not exact may be left out: any value then.
            action: the action's control-plane name, or its last part.
            params: the action's parameters, by name.
            priority: larger is preferred; required with ternary, range and optional keys (and with two lpm keys), refused otherwise.
            member: the member of the table's action profile to lead to.
            group: the group of the table's selector to lead to.
            actions: the actions to choose among by the table's selector.
            idle_timeout: after how long without a hit to report it idle, such as ``"5s"``; for tables with ``support_timeout``.

        Returns:
            The entry's handle.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, the entry is there already, or the table is full or const.
            UnitError: the time-out cannot be read.
        """
        target = self.target(action, params, member=member, group=group, actions=actions)
        return self._switch.make(self.insertion(match, target, priority, idle_timeout))

    def insertion(
        self,
        match: Mapping[str, Any],
        target: _core.Target,
        priority: int | None,
        idle_timeout: str | int | None = None,
    ) -> _core.Update:
        """The change that :meth:`insert` makes, checked but not made; a time-out may be a number of nanoseconds."""
        matches, rank = self.read_matches(match), self.read_priority(priority)
        return _core.Update.insert(self.name, matches, target, rank, _timeout(idle_timeout))

    def target(
        self,
        action: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        member: int | None = None,
        group: int | None = None,
        actions: Sequence[WeightedAction] = (),
        default: bool = False,
    ) -> _core.Target:
        """What an entry, or the default, is to do: one of an action, a member, a group and several actions."""
        given = [action is not None, member is not None, group is not None, bool(actions)]
        if sum(given) != 1:
            raise ControlError("expected one of an action, a member, a group and a list of actions")
        if params and action is None:
            raise ControlError("parameters belong to an action, and there is none")
        if member is not None:
            return _core.Target.member(bounded(member, "a member's number", 0, _MOST))
        if group is not None:
            return _core.Target.group(bounded(group, "a group's number", 0, _MOST))
        if action is not None:
            chosen, args = self.read_call(action, params or {}, default=default)
            return _core.Target.action(chosen.name, args)
        calls = []
        for one in actions:
            chosen, args = self.read_call(one.action, one.params, default=default)
            calls.append((chosen.name, args, bounded(one.weight, "a weight", 1, _MOST)))
        return _core.Target.one_of(calls)

    def key(self, entry: EntryName, priority: int | None = None) -> _core.EntryKey:
        """An entry's name as the core takes it."""
        if isinstance(entry, TableEntry):
            priority, entry = entry.priority, entry.match
        if isinstance(entry, Mapping):
            return (self.read_matches(entry), self.read_priority(priority))
        return bounded(entry, "an entry's handle", 0, (1 << 64) - 1)

    def modify(
        self,
        entry: EntryName,
        action: str | None = None,
        params: Mapping[str, Any] | None = None,
        priority: int | None = None,
        *,
        member: int | None = None,
        group: int | None = None,
        actions: Sequence[WeightedAction] = (),
    ) -> None:
        """Gives an entry another action or other parameters; see :meth:`insert`. Its counts and its time-out stay.

        Args:
            entry: what it matches (``priority`` then, if the table needs one), what was read back of it, or its handle.

        Raises:
            ControlError: as :meth:`insert`, or there is no such entry.
        """
        name = self.key(entry, priority)
        target = self.target(action, params, member=member, group=group, actions=actions)
        self._switch.write([_core.Update.modify(self.name, name, target)])

    def delete(self, entry: EntryName, priority: int | None = None) -> None:
        """Takes an entry away, named as in :meth:`modify`.

        Raises:
            ControlError: there is no such entry, or the table is const.
        """
        self._switch.write([_core.Update.delete(self.name, self.key(entry, priority))])

    def clear(self) -> None:
        """Takes all entries away that are not constant.

        Raises:
            ControlError: the table's entries are const.
        """
        self._switch.write([_core.Update.clear(self.name)])

    def set_idle_timeout(self, entry: EntryName, timeout: str | None, priority: int | None = None) -> None:
        """Sets after how long without a hit an entry is reported idle, from now; None for never.

        Raises:
            ControlError: there is no such entry, or the table has no ``support_timeout``.
            UnitError: the time cannot be read.
        """
        name, span = self.key(entry, priority), _timeout(timeout)
        self._switch.write([_core.Update.set_idle_timeout(self.name, name, span)])

    def rates(self, entry: EntryName, priority: int | None = None) -> Rates | None:
        """The rates of an entry's cell of the table's direct meter, if it has any.

        Raises:
            ControlError: there is no such entry, or no direct meter.
        """
        return rates_out(self._switch._core.direct_meter(self.name, self.key(entry, priority)))

    def set_rates(self, entry: EntryName, rates: Rates | None, priority: int | None = None) -> None:
        """Gives an entry's cell of the table's direct meter rates and full buckets; None takes its rates away.

        Raises:
            ControlError: there is no such entry, no direct meter, or the committed rate is above the peak rate.
        """
        name = self.key(entry, priority)
        self._switch.write([_core.Update.write_direct_meter(self.name, name, rates_in(rates))])

    def set_default(
        self,
        action: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        member: int | None = None,
        group: int | None = None,
    ) -> None:
        """Sets what runs when no entry matches.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, or the default is const.
        """
        self._switch.write(
            [self.new_default(self.target(action, params, member=member, group=group, default=True))]
        )

    def new_default(self, target: _core.Target) -> _core.Update:
        """The change that :meth:`set_default` makes, checked but not made."""
        return _core.Update.set_default(self.name, target)

    def reset_default(self) -> None:
        """Sets the program's own default again."""
        self._switch.write([_core.Update.reset_default(self.name)])

    def to_frame(self) -> polars.DataFrame:
        """A row an entry: a column a key, ``action``, ``params`` as text, ``priority``, ``packets``, ``bytes``.

        The last two are null unless the table has a direct counter.
        """
        import polars

        entries = self.entries()
        columns: dict[str, list[Any]] = {
            key.name: [entry.match[key.name] for entry in entries] for key in self.info.keys
        }
        columns["action"] = [entry.action or entry.target for entry in entries]
        columns["params"] = [", ".join(f"{k}={v}" for k, v in entry.params.items()) for entry in entries]
        schema: dict[str, Any] = dict.fromkeys(columns, polars.String)
        for number in ("priority", "packets", "bytes"):
            columns[number] = [getattr(entry, number) for entry in entries]
            schema[number] = polars.Int64 if number == "priority" else polars.UInt64
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
        """One match a key, in the table's order, as the core takes them; those left out are any value."""
        read = {self.find_key(name).name: self.read_one(name, value) for name, value in match.items()}
        self.need_keys(read)
        return [to_parts(read.get(key.name, ANY), key) for key in self.info.keys]

    def need_keys(self, match: Mapping[str, Any]) -> None:
        """Checks that there are keys, and a match for each that is exact."""
        missing = [key.name for key in self.info.keys if key.match_kind == "exact" and key.name not in match]
        if missing:
            raise ControlError(f"table {self.name} needs a value for the exact key {missing[0]}")
        if not self.info.keys:
            raise ControlError(f"table {self.name} has no keys: it takes a default action, no entries")

    def read_one(self, name: str, value: Any) -> Match:
        """What an entry says about the key of that name."""
        key = self.find_key(name)
        try:
            return read_match(value, key)
        except ControlError as error:
            raise self._about(f"key {name}", error) from None

    def read_priority(self, priority: int | None) -> int | None:
        """Checks that there is a priority where the table needs one, and none elsewhere."""
        if not self.info.needs_priority:
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
            ordering = [key for key in self.info.keys if key.match_kind not in ("exact", "lpm")]
            because = (
                f"the {ordering[0].match_kind} key {ordering[0].name}" if ordering else "several lpm keys"
            )
            raise ControlError(f"table {self.name} has {because}: its entries need a priority of 1 or more")
        return priority

    def read_call(
        self, name: str, params: Mapping[str, Any], *, default: bool
    ) -> tuple[ActionInfo, _core.Args]:
        """An action and its parameters in order."""
        action = self.find_action(name)
        if action.default_only and not default:
            raise ControlError(f"{action.name} is for the default of table {self.name} only (@defaultonly)")
        if action.table_only and default:
            raise ControlError(f"{action.name} is not for the default of table {self.name} (@tableonly)")
        read = {given: self.read_param(action, given, params[given]) for given in params}
        return action, self.order_params(action, read)

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

    def order_params(self, action: ActionInfo, params: Mapping[str, int]) -> _core.Args:
        """The parameters' values as the core takes them."""
        for param in action.params:
            if param.name not in params:
                raise ControlError(
                    f"action {action.name} needs the parameter {param.name} ({param.width} bits)"
                )
        return [(p.name, to_bytes(params[p.name], p.width)) for p in action.params]

    def _about(self, what: str, error: ControlError) -> ControlError:
        return ControlError(f"{what}: {error.message}", suggestion=error.suggestion)

    def describe(self, entry: _core.Entry) -> TableEntry:
        """An entry as the core has it, in text; for the package's own use."""
        return read_entry(self.info, entry, self.params_text)

    def params_text(self, action: str, args: _core.Args) -> dict[str, str]:
        """An action's parameters as people read them."""
        found = self.info.find_action(action)
        widths = {param.name: param.width for param in found.params} if found else {}
        return {
            name: format_value(int.from_bytes(value, "big"), widths.get(name, 8 * len(value)), name)
            for name, value in args
        }


def _timeout(timeout: str | int | None) -> int | None:
    """A time-out in nanoseconds."""
    if timeout is None or (isinstance(timeout, int) and not isinstance(timeout, bool)):
        return timeout
    return units.time_ns(timeout, "idle time-out", "s")

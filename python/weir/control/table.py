"""A table of a running switch, to read and change its entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.control.cells import Rates, rates_in, rates_out
from weir.control.entry import TableEntry, WeightedAction, read_default, read_entry
from weir.control.switch_object import SwitchObject
from weir.control.unlinked import warn_of_actions, warn_of_call
from weir.errors import ControlError, shown
from weir.files.columns import Column, frame
from weir.program import TableInfo
from weir.program.values import as_list, bounded_number, name_of

if TYPE_CHECKING:
    import polars


_MAX_UINT32 = (1 << 32) - 1

EntryName = Mapping[str, Any] | TableEntry | int
"""The types that identify an entry: its matches, an entry that was read, or a handle."""


class Table(SwitchObject[TableInfo]):
    """A table of a switch.

    Returned by :meth:`Switch.table`. Changes apply at once to the packets that follow.

    Attributes:
        info: the table as its program declares it.
    """

    def __len__(self) -> int:
        """Returns the number of entries, without the default entry."""
        return self._switch._core.table_state(self.name)[0]

    @property
    def hits(self) -> int:
        """The number of lookups so far that found an entry."""
        return self._switch._core.table_state(self.name)[1]

    @property
    def misses(self) -> int:
        """The number of lookups so far that found no entry."""
        return self._switch._core.table_state(self.name)[2]

    @property
    def memory(self) -> int:
        """The bytes of memory used by the table's entries and their indices."""
        return self._switch._core.table_state(self.name)[3]

    def entries(self) -> list[TableEntry]:
        """Returns all entries, including the program's own, but without the default entry."""
        return [read_entry(entry) for entry in self._switch._core.entries(self.name)]

    def entry(self, entry: EntryName, priority: int | None = None) -> TableEntry:
        """Reads an entry.

        Args:
            entry: the matches of the entry, or its handle.
            priority: the entry's priority, if ``entry`` has its matches.

        Raises:
            ControlError: there is no such entry.
        """
        return read_entry(self._switch._core.entry(self.name, _key(entry, priority)))

    @property
    def default(self) -> TableEntry:
        """The table's default entry: the action that runs when no entry matches."""
        target = self._switch._core.default_action(self.name)
        return read_default(target, is_const=self.info.const_default)

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
        at_random: bool = False,
        group_action: tuple[str, Mapping[str, Any]] | None = None,
        idle_timeout: str | None = None,
    ) -> int:
        """Adds an entry.

        Exactly one of ``action``, ``member``, ``group`` and ``actions`` must be given.

        Args:
            match: the matches, by the control-plane names of keys: exact ``5``; lpm ``["10.0.1.0",
                24]`` or ``"10.0.1.0/24"``; ternary ``[value, mask]`` or ``"1 &&& 3"``; range
                ``[low, high]`` or ``"1..5"``; optional a value. Keys that are not exact may be left
                out; they then match any value.
            action: the action's control-plane name, or its last part.
            params: the action's parameters, by name.
            priority: the priority, of which larger values are preferred. It is required for tables
                with ternary, range or optional keys, or with two lpm keys, and refused for others.
            member: the member of the table's action profile that the entry uses.
            group: the group of the table's selector that the entry uses.
            actions: the actions among which the table's selector chooses.
            at_random: whether to choose among ``actions`` at random for each packet, instead of by
                the selector's keys.
            group_action: an action and its parameters, to run before the chosen one of ``actions``;
                the table must list the action with ``@groupaction`` (P4Runtime 1.6, "One Shot
                Action Selector Programming").
            idle_timeout: the time without a hit after which the entry is reported idle, such as
                ``"5s"``; for tables with ``support_timeout``.

        Returns:
            The entry's handle.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, the entry already
                exists, or the table is full or const.
            UnitError: the time-out cannot be read.
        """
        self._check_names("match", match, [key.name for key in self.info.keys])
        if params is not None and action is not None:
            matching = [
                declared
                for declared in self.info.actions
                if action in (declared.name, declared.name.rpartition(".")[2])
            ]
            self._check_names(
                "params", params, [param.name for declared in matching[:1] for param in declared.params]
            )
        target = _target(action, params, member, group, actions, at_random, group_action)
        timeout = _timeout(idle_timeout)
        handle = self._switch._core.insert(self.name, match, target, priority, timeout)
        warn_of_call(self._switch, self.name, action, params)
        warn_of_actions(self._switch, self.name, actions)
        return handle

    def _check_names(self, what: str, values: object, names: Sequence[str]) -> None:
        """Refuses values that are not a mapping from names to values, such as a list.

        Raises:
            ControlError: the values are not a mapping.
        """
        if not isinstance(values, Mapping):
            example = ", ".join(f'"{name}": …' for name in names)
            described = f"{type(values).__name__} {shown(values)}"
            raise ControlError(f"{what}: expected values by name, {{{example}}}, found the {described}")

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
        at_random: bool = False,
        group_action: tuple[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Changes the action or parameters of an entry; see :meth:`insert`.

        The entry keeps its counts and its time-out.

        Args:
            entry: the matches of the entry (with ``priority`` if the table has priorities), an
                entry that was read, or a handle.

        Raises:
            ControlError: as :meth:`insert`, or there is no such entry.
        """
        target = _target(action, params, member, group, actions, at_random, group_action)
        self._switch._core.modify(self.name, _key(entry, priority), target)
        warn_of_call(self._switch, self.name, action, params)
        warn_of_actions(self._switch, self.name, actions)

    def delete(self, entry: EntryName, priority: int | None = None) -> None:
        """Removes an entry, given as in :meth:`modify`.

        Raises:
            ControlError: there is no such entry, or the table is const.
        """
        self._switch._core.delete(self.name, _key(entry, priority))

    def clear(self) -> None:
        """Removes all entries that are not constant.

        Raises:
            ControlError: the table's entries are const.
        """
        self._switch._core.clear(self.name)

    def set_idle_timeout(self, entry: EntryName, timeout: str | None, priority: int | None = None) -> None:
        """Sets the time without a hit after which an entry is reported idle; ``None`` for never.

        The time starts again at this call.

        Raises:
            ControlError: there is no such entry, or the table has no ``support_timeout``.
            UnitError: the time cannot be read.
        """
        self._switch._core.set_idle_timeout(self.name, _key(entry, priority), _timeout(timeout))

    def rates(self, entry: EntryName, priority: int | None = None) -> Rates | None:
        """Returns the rates of an entry's cell in the table's direct meter; ``None`` if the cell
        has no rates.

        Raises:
            ControlError: there is no such entry, or no direct meter.
        """
        return rates_out(self._switch._core.rates(self.name, _key(entry, priority)))

    def set_rates(self, entry: EntryName, rates: Rates | None, priority: int | None = None) -> None:
        """Sets the rates of an entry's direct meter and fills its buckets; ``None`` removes the
        rates.

        Raises:
            ControlError: there is no such entry, no direct meter, or the committed rate is above
                the peak rate.
        """
        self._switch._core.set_rates(self.name, _key(entry, priority), rates_in(rates))

    def set_default(
        self,
        action: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        member: int | None = None,
        group: int | None = None,
    ) -> None:
        """Sets the action that runs when no entry matches.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, or the default is
                const.
        """
        self._switch._core.set_default(self.name, _target(action, params, member, group))
        warn_of_call(self._switch, self.name, action, params)

    def reset_default(self) -> None:
        """Restores the program's own default."""
        self._switch._core.reset_default(self.name)

    def columns(self) -> list[Column]:
        """Returns the table's entries in columns, with a row for each entry.

        The columns are the keys, ``action``, ``params`` as text, ``priority``, ``packets`` and
        ``bytes``.

        ``packets`` and ``bytes`` are ``None`` unless the table has a direct counter.
        """
        entries = self.entries()
        params = [", ".join(f"{k}={v}" for k, v in entry.params.items()) for entry in entries]
        return [
            *(
                Column(key.name, "text", [entry.match[key.name] for entry in entries])
                for key in self.info.keys
            ),
            Column("action", "text", [entry.action or entry.target for entry in entries]),
            Column("params", "text", params),
            Column("priority", "int", [entry.priority for entry in entries]),
            Column("packets", "uint", [entry.packets for entry in entries]),
            Column("bytes", "uint", [entry.bytes for entry in entries]),
        ]

    def to_frame(self) -> polars.DataFrame:
        """Converts the entries to a polars data frame; see :meth:`columns` for its columns.

        Raises:
            MissingExtraError: polars is not installed.
        """
        return frame(self.columns())

    def _repr_html_(self) -> str:
        """Renders the entries and the default as HTML, for notebooks."""
        from weir.display import grid, titled_output

        entries = [*self.entries(), self.default]
        keys = [key.name for key in self.info.keys]
        numbers = [
            name
            for name in ("priority", "packets", "bytes")
            if any(getattr(entry, name) is not None for entry in entries)
        ]
        head = [*(f"{key.name} ({key.match_kind})" for key in self.info.keys), "action", *numbers]
        rows = [
            [
                *(entry.match.get(key, "default") for key in keys),
                entry.target,
                *(getattr(entry, name) for name in numbers),
            ]
            for entry in entries
        ]
        count = len(self)
        size = "" if self.info.size is None else f" of {self.info.size:,}"
        title = f"{self.name} of {self._switch.name}: {count:,}{size} entries, {self.hits:,} hits, {self.misses:,} misses"
        return titled_output(title, grid(head, rows, words=range(len(keys) + 1)))

    def __repr__(self) -> str:
        count = len(self)
        return f"<weir.Table {self.name} of {self._switch.name}: {count} entr{'y' if count == 1 else 'ies'}>"


def _target(
    action: str | None,
    params: Mapping[str, Any] | None,
    member: int | None,
    group: int | None,
    actions: Sequence[WeightedAction] = (),
    at_random: bool = False,
    group_action: tuple[str, Mapping[str, Any]] | None = None,
) -> _core.Target:
    """Builds the target of an entry or a default: an action, a member, a group or several
    actions."""
    are_given = [action is not None, member is not None, group is not None, bool(actions)]
    if sum(are_given) != 1:
        raise ControlError("expected one of an action, a member, a group and a list of actions")
    if not actions and (at_random or group_action is not None):
        raise ControlError("at_random and group_action need a list of actions, and there is none")
    if params and action is None:
        raise ControlError("parameters need an action, and there is none")
    if member is not None:
        return _core.Target.member(bounded_number(member, "a member's number", 0, _MAX_UINT32))
    if group is not None:
        return _core.Target.group(bounded_number(group, "a group's number", 0, _MAX_UINT32))
    if action is not None:
        return _core.Target.action(name_of("an action", action), params or {})
    calls = []
    for weighted in as_list("weighted actions", actions):
        if not isinstance(weighted, WeightedAction):
            raise ControlError(
                f"expected a weighted action, weir.control.WeightedAction, found {shown(weighted)}"
            )
        name = name_of("an action", weighted.action)
        watch = (
            None
            if weighted.watch_port is None
            else bounded_number(weighted.watch_port, "a port to watch", 0, _MAX_UINT32)
        )
        calls.append(
            (name, weighted.params, bounded_number(weighted.weight, "a weight", 1, _MAX_UINT32), watch)
        )
    if group_action is not None and not (isinstance(group_action, tuple) and len(group_action) == 2):
        message = f'expected an action and its parameters, ("name", {{…}}), found {shown(group_action)}'
        raise ControlError(f"group_action: {message}")
    return _core.Target.one_of(calls, bool(at_random), group_action)


def _key(entry: EntryName, priority: int | None) -> _core.EntryKey:
    """Converts the identification of an entry to the form that the core takes."""
    if isinstance(entry, TableEntry):
        return (entry.match, entry.priority)
    if isinstance(entry, Mapping):
        return (entry, priority)
    return bounded_number(entry, "an entry's handle", 0, (1 << 64) - 1)


def _timeout(timeout: str | None) -> int | None:
    """Converts a time-out to nanoseconds; ``None`` means no time-out."""
    return None if timeout is None else units.time_ns(timeout, "idle time-out", "s")

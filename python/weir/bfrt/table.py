"""A table, with a method for each change that it supports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weir.bfrt.contracts import TableDevice
from weir.bfrt.entry import Entry
from weir.bfrt.error import BfRtTableError
from weir.bfrt.listing import entries_json, print_dump, print_facts, table_facts
from weir.bfrt.method import Method
from weir.bfrt.names import identifier
from weir.bfrt.rows import EntryRow, data_rows, entry_values, key_rows
from weir.bfrt.schema import Action, Field, Schema
from weir.bfrt.values import KeyRow
from weir.errors import ControlError
from weir.text.suggest import nearest

_CELLS = ("COUNTER", "METER", "REGISTER", "LPF", "WRED", "REG_PARAM")
"""The types of tables that have an entry for each index."""


class Table:
    """A table of the program or of the device.

    The methods ``add_with_ACTION``, ``mod_with_ACTION``, ``set_default_with_ACTION`` and
    ``entry_with_ACTION`` (without ``_with_ACTION`` if entries have no actions), ``get`` and
    ``delete`` take the fields of the table as parameters, named by the shortest suffixes that
    distinguish them. ``help(table.add_with_ACTION)`` shows them.

    Attributes:
        full_name: the name.
        type: the type, such as ``MATCH_DIRECT``.
        capacity: the maximum number of entries.
    """

    def __init__(self, device: TableDevice, schema: Schema) -> None:
        self._device = device
        self._schema = schema
        self.full_name = schema.name
        self.type = schema.kind
        self.capacity = schema.capacity
        self._idle_callback: Callable[..., object] | None = None
        self._port_callback: Callable[..., object] | None = None
        self._make_methods()

    def __repr__(self) -> str:
        return f"<table {self.full_name}: {self.type}>"

    def __getattr__(self, name: str) -> Any:
        suggestion = nearest(name, dir(self))
        hint = f'; did you mean "{suggestion}"?' if suggestion else ""
        raise AttributeError(f"{self.__dict__.get('full_name', 'the table')} has no {name}{hint}")

    @property
    def number(self) -> int:
        """The number in messages."""
        return self._schema.number

    @property
    def fields(self) -> list[Field]:
        """All fields of the key and of the data."""
        by_action = [field for action in self._schema.actions for field in action.fields]
        return [*self._schema.data, *by_action, *self._schema.key]

    def _make_methods(self) -> None:
        key = self._schema.key
        for action in self._schema.actions:
            self._make_changes(f"_with_{identifier(action.name.rpartition('.')[2])}", action)
        if not self._schema.actions:
            self._make_changes("", None)
        reading = {
            "regex": False, "return_ents": True, "print_ents": True, "table": False, "from_hw": False, "handle": None,
        }  # fmt: skip
        self._make("get", key, (), reading, self._get, "Reads the entry with a key.")
        self._make(
            "get_handle", key, (), {"from_hw": False}, self._get_handle, "Finds the handle of an entry."
        )
        if key:
            self._make("delete", key, (), {}, self._writer("DELETE", None), "Removes the entry with a key.")

    def _make_changes(self, ending: str, action: Action | None) -> None:
        key = self._schema.key
        data = [field for field in (action.fields if action else self._schema.data) if not field.is_read_only]
        name = f" with {action.name}" if action else ""
        if action is None or action.scope != "DefaultOnly":
            for method, kind, doc in (
                ("add", "INSERT", "Adds an entry"),
                ("mod", "MODIFY", "Changes an entry"),
                ("mod_inc", "MODIFY_INC", "Adds items to lists of an entry, or removes them (mod_flag=1)"),
            ):
                options = {"mod_flag": 0} if kind == "MODIFY_INC" else {"ttl_reset": True}
                run = self._writer(kind, action)
                self._make(f"{method}{ending}", key, data, options, run, f"{doc}{name}.")
            make = self._entry_maker(action)
            self._make(f"entry{ending}", key, data, {}, make, f"Makes an entry{name}, for its method push.")
        if not self._schema.has_const_default and (action is None or action.scope != "TableOnly"):
            run = self._default_setter(action)
            self._make(f"set_default{ending}", (), data, {}, run, f"Sets the default{name}.")

    def _make(
        self,
        name: str,
        key: Sequence[Field],
        data: Sequence[Field],
        options: Mapping[str, Any],
        run: Callable[..., Any],
        doc: str,
    ) -> None:
        setattr(self, name, Method(name, key, data, options, run, doc))

    def _writer(self, kind: str, action: Action | None) -> Callable[..., None]:
        def write(key: Mapping[bytes, Any], data: Mapping[bytes, Any], options: Mapping[str, Any]) -> None:
            name = action.name if action else None
            removes = bool(options.get("mod_flag"))
            self.write_raw(kind, key, data, name, options["pipe"], removes=removes)

        return write

    def _entry_maker(self, action: Action | None) -> Callable[..., Entry]:
        def make(key: Mapping[bytes, Any], data: Mapping[bytes, Any], _: Mapping[str, Any]) -> Entry:
            return Entry(self, key, data, action.name if action else None)

        return make

    def _default_setter(self, action: Action | None) -> Callable[..., None]:
        def write(_: Mapping[bytes, Any], data: Mapping[bytes, Any], options: Mapping[str, Any]) -> None:
            name = action.name if action else None
            self.write_raw("MODIFY", None, data, name, options["pipe"], is_default=True)

        return write

    def write_raw(
        self,
        kind: str,
        key: Mapping[bytes, Any] | None,
        data: Mapping[bytes, Any] | None,
        action: str | None,
        pipe: int | None = None,
        *,
        is_default: bool = False,
        removes: bool = False,
    ) -> None:
        """Makes a change with fields by their full names.

        Raises:
            BfRtTableError: a value does not fit, or the switch refuses the change.
        """
        rows = None if key is None else key_rows(self._schema, key)
        values = None if data is None else data_rows(self._schema, data, action)
        self._device.write(self, kind, rows, values, pipe, is_default, removes)

    def read_raw(self, key: Mapping[bytes, Any], pipe: int | None = None) -> Entry:
        """Reads the entry with a key by full names.

        Raises:
            BfRtTableError: there is no such entry.
        """
        [row] = self._device.read(self, key_rows(self._schema, key), pipe, False)
        return self._entry(row)

    def _entry(self, row: EntryRow) -> Entry:
        return Entry(self, *entry_values(self._schema, row))

    def entries(self, pipe: int | None = None) -> list[Entry]:
        """Reads all entries, without the default."""
        rows = self._device.read(self, None, pipe, False)
        return [self._entry(row) for row in rows if not row[3]]

    def _get(self, key: Mapping[bytes, Any], _: Mapping[bytes, Any], options: Mapping[str, Any]) -> Any:
        if options["regex"] or options["table"]:
            entries = self._matching(key, options["pipe"])
        else:
            try:
                entries = [self.read_raw(key, options["pipe"])]
            except BfRtTableError as e:
                print(e)
                return -1
        if options["print_ents"]:
            for entry in entries:
                print(entry)
        if not options["return_ents"]:
            return None
        return entries if options["regex"] or options["table"] else entries[0]

    def _matching(self, patterns: Mapping[bytes, Any], pipe: int | None) -> list[Entry]:
        """Returns the entries whose keys match regular expressions."""

        def fits(entry: Entry) -> bool:
            for name, pattern in patterns.items():
                expected = pattern[0] if isinstance(pattern, list) else pattern
                if expected is not None and not re.search(str(expected), str(entry.key.get(name))):
                    return False
            return True

        return [entry for entry in self.entries(pipe) if fits(entry)]

    def _get_handle(
        self, key: Mapping[bytes, Any], _: Mapping[bytes, Any], options: Mapping[str, Any]
    ) -> int:
        return self._device.handle(self, key_rows(self._schema, key), options["pipe"])

    def get_default(
        self, return_ent: bool = True, print_ent: bool = True, from_hw: bool = False, pipe: int | None = None
    ) -> Entry | None:
        """Reads the default."""
        [row] = self._device.read(self, None, pipe, True)
        entry = self._entry(row)
        if print_ent:
            print(entry)
        return entry if return_ent else None

    def reset_default(self, pipe: int | None = None) -> None:
        """Restores the default of the program."""
        self.write_raw("RESET", None, None, None, pipe, is_default=True)

    def clear(self, pipe: int | None = None, batch: bool = True) -> None:
        """Removes all entries, or sets all cells to their first values."""
        self.write_raw("DELETE", None, None, None, pipe)

    def usage(self) -> int | str:
        """The number of entries; ``n/a`` for tables that have an entry for each index."""
        if self.type in _CELLS:
            return "n/a"
        try:
            return self._device.usage(self)
        except ControlError:
            return "n/a"

    def dump(
        self,
        table: bool = False,
        json: bool = False,
        from_hw: bool = False,
        return_ents: bool = False,
        print_zero: bool = True,
        pipe: int | None = None,
    ) -> Any:
        """Prints the default and all entries.

        Args:
            table: prints a line for each entry.
            json: returns the entries as JSON, and prints nothing.
            from_hw: entries are always those of the switch.
            return_ents: returns the entries, and prints nothing.
            print_zero: whether to print entries whose data are all 0.
            pipe: the pipe; by default, all pipes.
        """
        rows = self._device.read(self, None, pipe, False)
        entries = [self._entry(row) for row in rows if not row[3]]
        if json:
            return entries_json(entries)
        if return_ents:
            return entries
        defaults = [self._entry(row) for row in rows if row[3]]
        print_dump(self.full_name, defaults, entries, short=table, print_zero=print_zero)
        return None

    def add_from_json(self, entries: str) -> None:
        """Adds the entries that ``dump(json=True)`` returned."""
        for item in json.loads(entries):
            if item["table_name"] != self.full_name:
                raise BfRtTableError(f"the entry is one of {item['table_name']}, not {self.full_name}")
            key = {name.encode(): value for name, value in item["key"].items()}
            data = {name.encode(): value for name, value in item["data"].items()}
            self.write_raw("INSERT", key, data, item["action"])

    def info(self, return_info: bool = False, print_info: bool = True) -> dict[str, Any] | None:
        """Prints the fields, the actions and the number of entries, or returns them."""
        facts = table_facts(self._schema, self.usage())
        if print_info:
            print_facts(facts)
        return facts if return_info else None

    @property
    def string_choices(self) -> dict[str, list[str]]:
        """The texts that fields can be, by the names of the fields."""
        return {field.name: list(field.choices) for field in self.fields if field.choices}

    def operation_counter_sync(self, callback: Callable[..., object] | None = None) -> None:
        """Reads counters from the switch; reads always do so."""
        self._operate("SyncCounters" if "SyncCounters" in self._schema.operations else "Sync", callback)

    def operation_register_sync(self, callback: Callable[..., object] | None = None) -> None:
        """Reads registers from the switch; reads always do so."""
        self._operate("Sync", callback)

    def operation_hit_state_update(self, callback: Callable[..., object] | None = None) -> None:
        """Updates whether entries were hit recently (``$ENTRY_HIT_STATE``)."""
        self._operate("UpdateHitState", callback)

    def _operate(self, name: str, callback: Callable[..., object] | None) -> None:
        self._device.operate(self, name)
        if callback is not None:
            callback(0, 0, 0, 0)

    def idle_table_set_notify(
        self,
        enable: bool,
        callback: Callable[..., object] | None = None,
        interval: int = 1000,
        max_ttl: int = 3_600_000,
        min_ttl: int = 1000,
    ) -> None:
        """Calls ``callback`` (device, pipe, direction, parser, entry) for idle entries."""
        self._idle_callback = (callback or _print_idle) if enable else None
        self._device.set_idle(self, enable, False, interval, (min_ttl, max_ttl))

    def idle_table_set_poll(self, enable: bool) -> None:
        """Enables ``$ENTRY_HIT_STATE``, which :meth:`operation_hit_state_update` updates."""
        self._device.set_idle(self, enable, True, 5000, (1000, 3_600_000))

    def port_status_notif_cb_set(self, callback: Callable[..., object] | None = None) -> None:
        """Calls ``callback`` (device, port, whether it is up) when a port goes up or down."""
        self._port_callback = callback or _print_port
        self._device.set_port_messages(self, True)

    def receive_idle(self, key: list[KeyRow]) -> None:
        """Passes an idle entry to the callback."""
        if self._idle_callback is not None:
            self._idle_callback(0, 0, 0, 0, self._entry((key, 0, [], False)), False)

    def receive_port(self, key: list[KeyRow], is_up: bool) -> None:
        """Passes a change of a port to the callback."""
        if self._port_callback is not None:
            entry = self._entry((key, 0, [], False))
            self._port_callback(0, next(iter(entry.key.values())), is_up)


def _print_idle(*arguments: Any) -> None:
    print(f"idle: {arguments[4]}")


def _print_port(_: int, port: int, is_up: bool) -> None:
    print(f"port {port} is {'up' if is_up else 'down'}")

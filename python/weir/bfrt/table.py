"""A table, with a method for each change that it supports."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir.bfrt.entry import Entry
from weir.bfrt.error import BfRtTableError
from weir.bfrt.names import identifier, parameters
from weir.bfrt.schema import Action, Field, Schema
from weir.bfrt.values import KeyRow, data_value, key_row, key_value, read_data
from weir.errors import ControlError, shown
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir.bfrt.device import Device

_TARGET = {"pipe": None, "gress_dir": None, "prsr_id": None}
"""The parameters of all methods that name a part of the device."""

_CELLS = ("COUNTER", "METER", "REGISTER", "LPF", "WRED", "REG_PARAM")
"""The types of tables that have an entry for each index."""


class _Method:
    """A method of a table: fields of the key and the data as parameters, and others.

    Attributes:
        parameters: the fields with the names of their parameters.
        options: further parameters with their defaults.
    """

    def __init__(
        self,
        name: str,
        key: Sequence[Field],
        data: Sequence[Field],
        options: Mapping[str, Any],
        run: Callable[..., Any],
        doc: str,
    ) -> None:
        self.__name__ = name
        self.parameters = parameters(key, data)
        self.options = {**options, **_TARGET}
        self._key_length = len(key)
        self._run = run
        names = [part for _, parts in self.parameters for part in parts]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature(
            [
                *(inspect.Parameter(part, kind, default=None) for part in names),
                *(inspect.Parameter(part, kind, default=value) for part, value in self.options.items()),
            ]
        )
        sizes = [f"    {', '.join(parts)}: {_type(field)}" for field, parts in self.parameters]
        self.__doc__ = "\n".join([doc, *sizes])

    def __call__(self, *args: Any, **named: Any) -> Any:
        try:
            bound = self.__signature__.bind(*args, **named)
        except TypeError as e:
            known = list(self.__signature__.parameters)
            wrong = [name for name in named if name not in known]
            near = nearest(wrong[0], known) if wrong else None
            raise BfRtTableError(
                f"{self.__name__}: {e}; it has {', '.join(known)}", suggestion=near
            ) from None
        given = bound.arguments
        key: dict[bytes, Any] = {}
        data: dict[bytes, Any] = {}
        for place, (field, parts) in enumerate(self.parameters):
            values = [given.get(part) for part in parts]
            if place < self._key_length:
                key[field.name.encode()] = values if len(values) == 2 else values[0]
            elif values[0] is not None:
                data[field.name.encode()] = values[0]
        options = {name: given.get(name, default) for name, default in self.options.items()}
        return self._run(key, data, options)


def _type(field: Field) -> str:
    kind = f"{field.width} bits" if field.kind == "uint" else field.kind
    listed = f"list of {kind}" if field.is_list else kind
    return f"{listed}, {field.match}" if field.match else listed


class Table:
    """A table of the program or of the device.

    The methods ``add_with_ACTION``, ``mod_with_ACTION``, ``set_default_with_ACTION`` and
    ``entry_with_ACTION`` (without ``_with_ACTION`` if entries have no actions), ``get`` and
    ``delete`` take the fields of the table as parameters, with the shortest ends of their names
    that differ. ``help(table.add_with_ACTION)`` shows them.

    Attributes:
        full_name: the name.
        type: the type, such as ``MATCH_DIRECT``.
        capacity: the maximum number of entries.
    """

    def __init__(self, device: Device, schema: Schema) -> None:
        self._device = device
        self._schema = schema
        self.full_name = schema.name
        self.type = schema.kind
        self.capacity = schema.capacity
        self._actions = {action.name: action for action in schema.actions}
        self._idle_callback: Callable[..., object] | None = None
        self._port_callback: Callable[..., object] | None = None
        self._make_methods()

    def __repr__(self) -> str:
        return f"<table {self.full_name}: {self.type}>"

    def __getattr__(self, name: str) -> Any:
        near = nearest(name, dir(self))
        hint = f'; did you mean "{near}"?' if near else ""
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
        setattr(self, name, _Method(name, key, data, options, run, doc))

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
        rows = None if key is None else self._key_rows(key)
        values = None if data is None else self._data_rows(data, action)
        self._device.write(self, kind, rows, values, pipe, is_default, removes)

    def _key_rows(self, key: Mapping[bytes, Any]) -> list[KeyRow]:
        rows = []
        for field in self._schema.key:
            value = key.get(field.name.encode())
            first, second = value if isinstance(value, list | tuple) else (value, None)
            if first is None and second is None and field.name == "$MATCH_PRIORITY":
                first = 0
            row = key_row(field, first, second)
            if row is not None:
                rows.append(row)
        return rows

    def _data_rows(self, data: Mapping[bytes, Any], action: str | None) -> tuple[int, list[tuple[int, Any]]]:
        fields = self._fields_with(action)
        known = {field.name.encode(): field for field in fields}
        rows = []
        for name, value in data.items():
            field = known.get(name)
            if field is None:
                raise BfRtTableError(f"{self.full_name} has no field {name.decode()}")
            if not field.is_read_only:
                rows.append((field.number, data_value(field, value)))
        given = {number for number, _ in rows}
        of_action = self._actions[action].fields if action else ()
        # A parameter that a script leaves out is 0.
        for field in of_action:
            if field.is_mandatory and field.number not in given and field.kind == "uint":
                rows.append((field.number, data_value(field, [] if field.is_list else 0)))
        return (self._actions[action].number if action else 0), rows

    def _fields_with(self, action: str | None) -> Sequence[Field]:
        if action is None:
            return self._schema.data
        if action not in self._actions:
            near = nearest(action, list(self._actions))
            raise BfRtTableError(f"{self.full_name} has no action {shown(action)}", suggestion=near)
        return self._actions[action].fields

    def read_raw(self, key: Mapping[bytes, Any], pipe: int | None = None) -> Entry:
        """Reads the entry with a key by full names.

        Raises:
            BfRtTableError: there is no such entry.
        """
        [row] = self._device.read(self, self._key_rows(key), pipe, False)
        return self._entry(row)

    def _entry(self, row: tuple[Any, int, list[tuple[int, Any]], bool]) -> Entry:
        keys, number, data, _ = row
        fields = {field.number: field for field in self._schema.key}
        key = {}
        for one in keys or ():
            field = fields.get(one[0])
            if field is not None:
                key[field.name.encode()] = key_value(field, one)
        action = next((action for action in self._schema.actions if action.number == number), None)
        known = {field.number: field for field in (action.fields if action else self._schema.data)}
        values = {
            known[place].name.encode(): read_data(known[place], value)
            for place, value in data
            if place in known
        }
        return Entry(self, key, values, action.name if action else None)

    def entries(self, pipe: int | None = None) -> list[Entry]:
        """Reads all entries, without the default."""
        rows = self._device.read(self, None, pipe, False)
        return [self._entry(row) for row in rows if not row[3]]

    def _get(self, key: Mapping[bytes, Any], _: Mapping[bytes, Any], options: Mapping[str, Any]) -> Any:
        if options["regex"] or options["table"]:
            found = self._matching(key, options["pipe"])
        else:
            try:
                found = [self.read_raw(key, options["pipe"])]
            except BfRtTableError as e:
                print(e)
                return -1
        if options["print_ents"]:
            for entry in found:
                print(entry)
        if not options["return_ents"]:
            return None
        return found if options["regex"] or options["table"] else found[0]

    def _matching(self, patterns: Mapping[bytes, Any], pipe: int | None) -> list[Entry]:
        """Returns the entries whose keys match regular expressions."""

        def fits(entry: Entry) -> bool:
            for name, pattern in patterns.items():
                wanted = pattern[0] if isinstance(pattern, list) else pattern
                if wanted is not None and not re.search(str(wanted), str(entry.key.get(name))):
                    return False
            return True

        return [entry for entry in self.entries(pipe) if fits(entry)]

    def _get_handle(
        self, key: Mapping[bytes, Any], _: Mapping[bytes, Any], options: Mapping[str, Any]
    ) -> int:
        return self._device.handle(self, self._key_rows(key), options["pipe"])

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
            return _json(entries)
        if return_ents:
            return entries
        print(f"----- {self.full_name} Dump Start -----")
        for row in rows:
            if row[3]:
                print("Default Entry:")
                print(self._entry(row).lines())
        for place, entry in enumerate(entries):
            if not print_zero and not any(entry.data.values()):
                continue
            if table:
                print(
                    "  ".join(
                        f"{_short(name)}={value}" for name, value in [*entry.key.items(), *entry.data.items()]
                    )
                )
            else:
                print(f"Entry {place}:")
                print(entry.lines())
        print(f"----- {self.full_name} Dump End -----\n")
        return None

    def add_from_json(self, entries: str) -> None:
        """Adds the entries that ``dump(json=True)`` returned."""
        for one in json.loads(entries):
            if one["table_name"] != self.full_name:
                raise BfRtTableError(f"the entry is one of {one['table_name']}, not {self.full_name}")
            key = {name.encode(): value for name, value in one["key"].items()}
            data = {name.encode(): value for name, value in one["data"].items()}
            self.write_raw("INSERT", key, data, one["action"])

    def info(self, return_info: bool = False, print_info: bool = True) -> dict[str, Any] | None:
        """Prints the fields, the actions and the number of entries, or returns them."""
        facts: dict[str, Any] = {
            "table_name": self.full_name.rpartition(".")[2],
            "full_name": self.full_name,
            "type": self.type,
            "usage": self.usage(),
            "capacity": self.capacity,
            "key_fields": [_facts(field) for field in self._schema.key],
            "data_fields": (
                {action.name: [_facts(field) for field in action.fields] for action in self._schema.actions}
                or [_facts(field) for field in self._schema.data]
            ),
        }
        if print_info:
            for name in ("table_name", "full_name", "type", "usage", "capacity"):
                print(f"{name.replace('_', ' ').title()}: {facts[name]}")
            print("\nKey Fields:")
            _print_facts(facts["key_fields"])
            if self._schema.actions:
                for action, fields in facts["data_fields"].items():
                    print(f"\nData Fields for action {action}:")
                    _print_facts(fields)
            else:
                print("\nData Fields:")
                _print_facts(facts["data_fields"])
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
        """Updates whether entries were hit lately (``$ENTRY_HIT_STATE``)."""
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


def _json(entries: Sequence[Entry]) -> str:
    return json.dumps([entry.raw() for entry in entries])


def _short(name: bytes) -> str:
    return name.decode().rpartition(".")[2]


def _facts(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.match.upper() if field.match else field.kind.upper(),
        "size": field.width,
        "required": field.is_mandatory,
        "read_only": field.is_read_only,
    }


def _print_facts(rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        marks = [name for name in ("required", "read_only") if row[name]]
        print(f"    {row['name']:<30} {row['type']:<8} {row['size'] or '':<5} {' '.join(marks)}".rstrip())


def _print_idle(*arguments: Any) -> None:
    print(f"idle: {arguments[4]}")


def _print_port(_: int, port: int, is_up: bool) -> None:
    print(f"port {port} is {'up' if is_up else 'down'}")

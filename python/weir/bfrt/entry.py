"""An entry of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from weir.bfrt.contracts import EntryTable
from weir.bfrt.values import text


class Entry:
    """An entry that was read, or that :meth:`push` will add.

    Attributes:
        key: numbers, or lists of two parts, by field name in bytes.
        data: the data, by field name in bytes.
        action: the name of the action; ``None`` if entries of the table have none.
    """

    def __init__(
        self, table: EntryTable, key: Mapping[bytes, Any], data: Mapping[bytes, Any], action: str | None
    ) -> None:
        self._table = table
        self.key = dict(key)
        self.data = dict(data)
        self.action = action

    def push(self, verbose: bool = False, pipe: int | None = None) -> None:
        """Adds the entry, or changes the one with the same key."""
        if verbose:
            print(f"Pushing an entry to {self._table.full_name}.")
        self._table.write_raw("INSERT_OR_MODIFY", self.key, self.data, self.action, pipe)

    def update(self, pipe: int | None = None) -> None:
        """Reads the entry again."""
        entry = self._table.read_raw(self.key, pipe)
        self.key, self.data, self.action = entry.key, entry.data, entry.action

    def remove(self, pipe: int | None = None) -> None:
        """Removes the entry."""
        self._table.write_raw("DELETE", self.key, None, None, pipe)

    def raw(self) -> dict[str, Any]:
        """Returns the entry as values for JSON."""
        return {
            "table_name": self._table.full_name,
            "action": self.action,
            "key": {name.decode(): value for name, value in self.key.items()},
            "data": {name.decode(): value for name, value in self.data.items()},
        }

    def json(self) -> str:
        """Returns the entry as JSON, which :meth:`Table.add_from_json` reads in a list."""
        return json.dumps(self.raw())

    def __str__(self) -> str:
        return f"Entry for {self._table.full_name} table.\n{self.lines()}"

    def __repr__(self) -> str:
        return str(self)

    def lines(self) -> str:
        """Formats the key and the data, a line for each field."""
        fields = {field.name.encode(): field for field in self._table.fields}
        lines = ["Entry key:"] if self.key else []
        lines += [_line(fields, name, value) for name, value in self.key.items()]
        of = f" (action : {self.action})" if self.action else ""
        lines.append(f"Entry data{of}:")
        lines += [_line(fields, name, value) for name, value in self.data.items()]
        return "\n".join(lines) + "\n"


def _line(fields: Mapping[bytes, Any], name: bytes, value: Any) -> str:
    return f"    {name.decode():<30} : {text(fields[name], value)}"

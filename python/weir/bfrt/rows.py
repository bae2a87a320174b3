"""The fields of entries as rows of messages, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weir.bfrt.error import BfRtTableError
from weir.bfrt.schema import Field, Schema
from weir.bfrt.values import KeyRow, data_value, key_row, key_value, read_data
from weir.errors import shown
from weir.text.suggest import nearest

EntryRow = tuple[list[KeyRow] | None, int, list[tuple[int, Any]], bool]
"""An entry in a message: key, number of the action, data, whether it is the default."""


def key_rows(schema: Schema, key: Mapping[bytes, Any]) -> list[KeyRow]:
    """Converts a key by full names; fields that match every value are left out."""
    rows = []
    for field in schema.key:
        value = key.get(field.name.encode())
        first, second = value if isinstance(value, list | tuple) else (value, None)
        if first is None and second is None and field.name == "$MATCH_PRIORITY":
            first = 0
        row = key_row(field, first, second)
        if row is not None:
            rows.append(row)
    return rows


def data_rows(
    schema: Schema, data: Mapping[bytes, Any], action: str | None
) -> tuple[int, list[tuple[int, Any]]]:
    """Converts data by full names.

    Returns:
        The number of the action, 0 without one, and the fields.

    Raises:
        BfRtTableError: there is no such action or field, or a value does not fit its field.
    """
    number, fields = _action_fields(schema, action)
    by_name = {field.name.encode(): field for field in fields}
    rows = []
    for name, value in data.items():
        field = by_name.get(name)
        if field is None:
            raise BfRtTableError(f"{schema.name} has no field {name.decode()}")
        if not field.is_read_only:
            rows.append((field.number, data_value(field, value)))
    numbers = {place for place, _ in rows}
    # A parameter that a script leaves out is 0.
    for field in fields if action else ():
        if field.is_mandatory and field.number not in numbers and field.kind == "uint":
            rows.append((field.number, data_value(field, [] if field.is_list else 0)))
    return number, rows


def _action_fields(schema: Schema, name: str | None) -> tuple[int, Sequence[Field]]:
    if name is None:
        return 0, schema.data
    actions = {action.name: action for action in schema.actions}
    if name not in actions:
        suggestion = nearest(name, list(actions))
        raise BfRtTableError(f"{schema.name} has no action {shown(name)}", suggestion=suggestion)
    return actions[name].number, actions[name].fields


def entry_values(schema: Schema, row: EntryRow) -> tuple[dict[bytes, Any], dict[bytes, Any], str | None]:
    """Converts an entry that was read to its key, its data and the name of its action."""
    keys, number, data, _ = row
    fields = {field.number: field for field in schema.key}
    key = {
        fields[one[0]].name.encode(): key_value(fields[one[0]], one) for one in keys or () if one[0] in fields
    }
    action = next((action for action in schema.actions if action.number == number), None)
    by_number = {field.number: field for field in (action.fields if action else schema.data)}
    values = {
        by_number[place].name.encode(): read_data(by_number[place], value)
        for place, value in data
        if place in by_number
    }
    return key, values, action.name if action else None

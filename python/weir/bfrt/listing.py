"""A table and its entries as text, as the shell prints them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from weir.bfrt.entry import Entry
from weir.bfrt.schema import Field, Schema


def entries_json(entries: Sequence[Entry]) -> str:
    """Formats entries as JSON."""
    return json.dumps([entry.raw() for entry in entries])


def print_dump(
    full_name: str, defaults: Sequence[Entry], entries: Sequence[Entry], *, short: bool, print_zero: bool
) -> None:
    """Prints the defaults and the entries of a table.

    Args:
        full_name: the name of the table.
        defaults: the defaults.
        entries: the other entries.
        short: prints a line for each entry.
        print_zero: whether to print entries whose data are all 0.
    """
    print(f"----- {full_name} Dump Start -----")
    for default in defaults:
        print("Default Entry:")
        print(default.lines())
    for place, entry in enumerate(entries):
        if not print_zero and not any(entry.data.values()):
            continue
        if short:
            fields = [*entry.key.items(), *entry.data.items()]
            print("  ".join(f"{name.decode().rpartition('.')[2]}={value}" for name, value in fields))
        else:
            print(f"Entry {place}:")
            print(entry.lines())
    print(f"----- {full_name} Dump End -----\n")


def table_facts(schema: Schema, usage: int | str) -> dict[str, Any]:
    """Returns the fields, the actions and the number of entries of a table."""
    by_action = {action.name: [_field_facts(field) for field in action.fields] for action in schema.actions}
    return {
        "table_name": schema.name.rpartition(".")[2],
        "full_name": schema.name,
        "type": schema.kind,
        "usage": usage,
        "capacity": schema.capacity,
        "key_fields": [_field_facts(field) for field in schema.key],
        "data_fields": by_action or [_field_facts(field) for field in schema.data],
    }


def _field_facts(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.match.upper() if field.match else field.kind.upper(),
        "size": field.width,
        "required": field.is_mandatory,
        "read_only": field.is_read_only,
    }


def print_facts(facts: Mapping[str, Any]) -> None:
    """Prints what :func:`table_facts` returned."""
    for name in ("table_name", "full_name", "type", "usage", "capacity"):
        print(f"{name.replace('_', ' ').title()}: {facts[name]}")
    print("\nKey Fields:")
    _print_fields(facts["key_fields"])
    if isinstance(facts["data_fields"], dict):
        for action, fields in facts["data_fields"].items():
            print(f"\nData Fields for action {action}:")
            _print_fields(fields)
    else:
        print("\nData Fields:")
        _print_fields(facts["data_fields"])


def _print_fields(rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        marks = [name for name in ("required", "read_only") if row[name]]
        print(f"    {row['name']:<30} {row['type']:<8} {row['size'] or '':<5} {' '.join(marks)}".rstrip())

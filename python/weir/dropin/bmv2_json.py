"""JSON in BMv2's format that contains a P4 program and describes the parts that controllers use.

The JSON has no parsers, and no code for actions and controls, because Weir compiles the contained
program. ``crates/weir-load`` reads the member ``weir``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.program import DeclaredObjects, KeyInfo, Program, TableInfo

_VERSION = [2, 23]
"""The version of BMv2's JSON format."""

_KINDS = {"optional": "ternary"}
"""The match kinds whose name in BMv2's JSON differs from P4's."""

_SCALARS = "scalars"
"""The name that p4c gives to the additional header for all fields that are not in a header."""


def bmv2_json(
    program: Program, include: Sequence[str | Path] = (), defines: Mapping[str, str] | None = None
) -> str:
    """Writes the JSON of a program in BMv2's format.

    Args:
        program: the program.
        include: the folders that were searched for included files.
        defines: the macros with which the program was compiled.
    """
    carried = {
        "program": program.path,
        "files": dict(program.sources),
        "folders": [str(folder) for folder in include],
        "defines": dict(defines or {}),
    }
    document = {**description(program, program.headers), "program": program.path, "weir": carried}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def description(
    program: DeclaredObjects, headers: Mapping[str, Sequence[tuple[str, int, bool]]]
) -> dict[str, Any]:
    """Describes a program for controllers, in the format of BMv2's JSON.

    Args:
        program: the program's declarations.
        headers: for each header instance, its fields with their names, widths in bits, and whether
            the width varies.
    """
    fields_by_header = {name.partition(".")[2] or name: fields for name, fields in headers.items()}
    ids: dict[str, int] = {}
    tables = [
        _table(number, table, program, fields_by_header, ids)
        for number, table in enumerate(program.tables.values())
    ]
    actions = {action.name: action for table in program.tables.values() for action in table.actions}
    numbers = {name: number for number, name in enumerate(actions)}
    for table in tables:
        table["action_ids"] = [numbers[name] for name in table["actions"]]
    types: dict[str, list[list[Any]]] = {_SCALARS: [[name, width, False] for name, width in ids.items()]}
    for name, fields in fields_by_header.items():
        types[name] = [[field, "*" if varies else width, False] for field, width, varies in fields]
    return {
        "header_types": [
            {"name": f"{name}_t", "id": number, "fields": fields}
            for number, (name, fields) in enumerate(types.items())
        ],
        "headers": [
            {"name": name, "id": number, "header_type": f"{name}_t", "metadata": name == _SCALARS}
            for number, name in enumerate(types)
        ],
        **{empty: [] for empty in _EMPTY},
        "parse_vsets": [
            {
                "name": value_set.name,
                "id": number,
                "compressed_bitwidth": sum(key.width for key in value_set.fields),
            }
            for number, value_set in enumerate(program.value_sets.values())
        ],
        "meter_arrays": _cells(program, "meter"),
        "counter_arrays": _cells(program, "counter"),
        "register_arrays": [
            {"name": register.name, "id": number, "size": register.size, "bitwidth": register.width}
            for number, register in enumerate(program.objects("register").values())
        ],
        "actions": [
            {
                "name": action.name,
                "id": numbers[action.name],
                "runtime_data": [{"name": param.name, "bitwidth": param.width} for param in action.params],
                "primitives": [],
            }
            for action in actions.values()
        ],
        "pipelines": [
            {
                "name": "ingress",
                "id": 0,
                "init_table": None,
                "tables": tables,
                "action_profiles": _profiles(program),
                "conditionals": [],
            },
            {
                "name": "egress",
                "id": 1,
                "init_table": None,
                "tables": [],
                "action_profiles": [],
                "conditionals": [],
            },
        ],
        "__meta__": {"version": _VERSION, "compiler": "weir"},
    }


_EMPTY = (
    "header_stacks",
    "header_union_types",
    "header_unions",
    "header_union_stacks",
    "field_lists",
    "errors",
    "enums",
    "parsers",
    "deparsers",
    "calculations",
    "learn_lists",
    "checksums",
    "force_arith",
    "extern_instances",
    "field_aliases",
)
"""The members of BMv2's JSON that controllers do not use. These members are empty here."""


def _table(
    number: int,
    table: TableInfo,
    program: DeclaredObjects,
    headers: Mapping[str, Any],
    others: dict[str, int],
) -> dict[str, Any]:
    profile = None if table.profile is None else program.profiles[table.profile]
    kinds = [_KINDS.get(key.match_kind, key.match_kind) for key in table.keys]
    widest = next((kind for kind in ("range", "ternary", "lpm") if kind in kinds), "exact")
    if table.needs_priority and widest == "lpm":
        # A table with several prefixes counts as ternary, because clients send a priority for
        # ternary tables only.
        widest = "ternary"
    return {
        "name": table.name,
        "id": number,
        "key": [
            {
                "match_type": kind,
                "name": _VALID.sub(r".$valid$", key.name),
                "target": _target(key, headers, others),
                "mask": None,
            }
            for key, kind in zip(table.keys, kinds, strict=True)
        ],
        "match_type": widest,
        "type": "simple" if profile is None else "indirect_ws" if profile.is_selector else "indirect",
        **({} if profile is None else {"action_profile": profile.name}),
        "max_size": 1024 if table.size is None else table.size,
        "with_counters": table.direct_counter is not None,
        "support_timeout": table.support_timeout,
        "direct_meters": None if table.direct_meter is None else table.direct_meter[0],
        "actions": [action.name for action in table.actions],
    }


_VALID = re.compile(r"\.isValid\(\)$")


def _target(key: KeyInfo, headers: Mapping[str, Any], others: dict[str, int]) -> list[str]:
    """Returns the header and the field that a key refers to.

    A key that is not a header field becomes a field of an additional header.
    """
    header, _, field = key.name.partition(".")[2].rpartition(".")
    if header in headers:
        if field == "isValid()":
            return [header, "$valid$"]
        if any(name == field and width == key.width for name, width, _ in headers[header]):
            return [header, field]
    others[key.name] = key.width
    return [_SCALARS, key.name]


def _cells(program: DeclaredObjects, kind: str) -> list[dict[str, Any]]:
    """Describes the program's counters or meters, as ``kind`` says."""
    cells = []
    for number, info in enumerate(program.objects(kind).values()):
        cell: dict[str, Any] = {"name": info.name, "id": number, "is_direct": info.table is not None}
        cell |= {"size": info.size} if info.table is None else {"binding": info.table}
        if kind == "meter":
            cell |= {"rate_count": 2, "type": info.counts}
        cells.append(cell)
    return cells


def _profiles(program: DeclaredObjects) -> list[dict[str, Any]]:
    profiles = []
    for number, profile in enumerate(program.profiles.values()):
        entry: dict[str, Any] = {"name": profile.name, "id": number, "max_size": profile.size}
        profiles.append(entry | ({"selector": {"algo": "crc16", "input": []}} if profile.is_selector else {}))
    return profiles

"""The tables of a ``bf-rt.json``: their fields and actions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_KINDS = {
    "MatchAction_Direct": "MATCH_DIRECT",
    "MatchAction_Indirect": "MATCH_INDIRECT",
    "MatchAction_Indirect_Selector": "MATCH_INDIRECT_SELECTOR",
    "Action": "ACTION_PROFILE",
    "Selector": "SELECTOR",
    "Counter": "COUNTER",
    "Meter": "METER",
    "Register": "REGISTER",
    "RegisterParam": "REG_PARAM",
    "Lpf": "LPF",
    "Wred": "WRED",
    "ParserValueSet": "PVS",
    "PortMetadata": "PORT_METADATA",
    "DynHashConfigure": "DYN_HASH_CFG",
    "DynHashAlgorithm": "DYN_HASH_ALGO",
    "DynHashCompute": "DYN_HASH_COMPUTE",
    "SelectorGetMember": "SELECTOR_GET_MEMBER",
    "PortConfigure": "PORT_CFG",
    "PortStat": "PORT_STAT",
    "PortHdlInfo": "PORT_HDL_INFO",
    "PortFpIdxInfo": "PORT_FRONT_PANEL_IDX_INFO",
    "PortStrInfo": "PORT_STR_INFO",
    "PktgenPortCfg": "PKTGEN_PORT_CFG",
    "PktgenAppCfg": "PKTGEN_APP_CFG",
    "PktgenPktBufferCfg": "PKTGEN_PKT_BUFF_CFG",
    "PktgenPortMaskCfg": "PKTGEN_PORT_MASK_CFG",
    "PreMgid": "PRE_MGID",
    "PreNode": "PRE_NODE",
    "PreEcmp": "PRE_ECMP",
    "PreLag": "PRE_LAG",
    "PrePrune": "PRE_PRUNE",
    "PrePort": "PRE_PORT",
    "MirrorCfg": "MIRROR_CFG",
    "DevConfigure": "DEV_CFG",
}
"""The names of table types in the shell."""


@dataclass(frozen=True)
class Field:
    """A field of a key, or of the data.

    Attributes:
        number: the number in messages.
        name: the full name.
        kind: ``uint``, ``bool``, ``float``, ``string``, ``bytes`` (a list of them), or
            ``container`` (which the shell only shows).
        width: the number of bits of a number.
        is_list: whether the field has several values.
        match: the match kind of a field of a key, such as ``LPM``.
        is_mandatory: whether new entries need the field.
        is_read_only: whether the field can only be read.
        choices: the texts that a ``string`` can be; any text if empty.
    """

    number: int
    name: str
    kind: str
    width: int
    is_list: bool = False
    match: str = ""
    is_mandatory: bool = False
    is_read_only: bool = False
    choices: Sequence[str] = ()

    @property
    def size(self) -> int:
        """The number of bytes of a number."""
        return (self.width + 7) // 8


@dataclass(frozen=True)
class Action:
    """An action of a table.

    Attributes:
        number: the number in messages.
        name: the full name.
        fields: the parameters, and the data that entries have with every action.
        scope: ``TableAndDefault``, ``TableOnly`` or ``DefaultOnly``.
    """

    number: int
    name: str
    fields: Sequence[Field]
    scope: str


@dataclass(frozen=True)
class Schema:
    """A table.

    Attributes:
        number: the number in messages.
        name: the full name.
        kind: the type, as the shell shows it.
        capacity: the maximum number of entries.
        key: the fields of the key.
        data: the data of entries without an action.
        actions: the actions.
        operations: the operations, such as ``SyncCounters``.
        attributes: the attributes, such as ``IdleTimeout``.
        has_const_default: whether the default action cannot be changed.
    """

    number: int
    name: str
    kind: str
    capacity: int
    key: Sequence[Field]
    data: Sequence[Field]
    actions: Sequence[Action]
    operations: Sequence[str]
    attributes: Sequence[str]
    has_const_default: bool


def read_tables(text: str) -> tuple[list[Schema], list[tuple[str, int, Sequence[Field]]]]:
    """Reads a ``bf-rt.json``.

    Returns:
        The tables, and the digests: their names, numbers and fields.
    """
    document = json.loads(text)
    tables = [_table(table) for table in document["tables"]]
    digests: list[tuple[str, int, Sequence[Field]]] = [
        (item["name"], item["id"], [_field(field, item) for field in item["fields"]])
        for item in document.get("learn_filters", ())
    ]
    return tables, digests


def _table(table: Mapping[str, Any]) -> Schema:
    data = [field for item in table["data"] for field in _data(item)]
    actions = [
        Action(
            action["id"],
            action["name"],
            [*(field for item in action["data"] for field in _data(item)), *data],
            action.get("action_scope", "TableAndDefault"),
        )
        for action in table.get("action_specs", ())
    ]
    return Schema(
        table["id"],
        table["name"],
        _KINDS.get(table["table_type"], table["table_type"]),
        table["size"],
        [_field(field, field, match=field["match_type"]) for field in table["key"]],
        data,
        actions,
        table["supported_operations"],
        table["attributes"],
        table.get("has_const_default_action", False),
    )


def _data(item: Mapping[str, Any]) -> list[Field]:
    if "singleton" in item:
        return [_field(item["singleton"], item)]
    if "oneof" in item:
        return [_field(field, {**item, "mandatory": False}) for field in item["oneof"]]
    return [_field(item, item)]


def _field(field: Mapping[str, Any], outer: Mapping[str, Any], match: str = "") -> Field:
    declared = field.get("type", {"type": "container"})
    name = declared["type"]
    kind, width = "uint", 0
    if name == "bytes":
        width = declared["width"]
        if field.get("repeated", False):
            kind = name
    elif name.startswith("uint"):
        width = int(name.removeprefix("uint"))
    else:
        kind = name
    return Field(
        field["id"],
        field["name"],
        kind,
        width,
        field.get("repeated", False),
        match,
        outer.get("mandatory", False),
        outer.get("read_only", False),
        declared.get("choices", ()),
    )

"""A P4 program's declarations, as the control plane sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core


@dataclass(frozen=True)
class KeyInfo:
    """A table's key: its control-plane name, width in bits, and match kind such as ``lpm``."""

    name: str
    width: int
    match_kind: str


@dataclass(frozen=True)
class ParamInfo:
    """A parameter that the control plane gives to an action: its name and width in bits."""

    name: str
    width: int


@dataclass(frozen=True)
class ActionInfo:
    """An action of a table: its name, its parameters, who may use it, and its annotations' names.

    Some actions can be used only in entries, some only as the default.
    """

    name: str
    params: tuple[ParamInfo, ...]
    default_only: bool
    table_only: bool
    annotations: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableInfo:
    """A table as the program declares it.

    Attributes:
        name: control-plane name, such as ``MyIngress.ipv4_lpm``.
        keys: in order.
        actions: in order.
        size: the number of entries that the program requests space for; None if it does not say.
        const_entries: whether the control plane may not change the entries.
        const_default: whether the control plane may not change the default action.
        needs_priority: whether entries need a priority: a key is ternary, range or optional, or two
            are lpm.
        support_timeout: whether entries may have an idle time-out.
        direct_counter: the name of its direct counter, if any, and what that counts: ``packets and
            bytes``.
        direct_meter: the name of its direct meter, if any, and what that measures: ``packets`` or
            ``bytes``.
        profile: the name of its action profile, if any; entries then use members or groups.
        annotations: the names of its annotations, such as ``route``.
    """

    name: str
    keys: tuple[KeyInfo, ...]
    actions: tuple[ActionInfo, ...]
    size: int | None
    const_entries: bool
    const_default: bool
    needs_priority: bool
    support_timeout: bool
    direct_counter: tuple[str, str] | None
    direct_meter: tuple[str, str] | None
    profile: str | None
    annotations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObjectInfo:
    """A counter, register or meter as the program declares it.

    Attributes:
        name: control-plane name.
        size: the number of cells; 0 for a direct object, which has a cell for each entry.
        width: bits of a register's cell; otherwise 0.
        counts: ``packets``, ``bytes``, ``packets and bytes``; empty for registers.
        table: the table of a direct object.
    """

    name: str
    size: int
    width: int
    counts: str
    table: str | None = None


@dataclass(frozen=True)
class ProfileInfo:
    """An action profile as the program declares it.

    Attributes:
        name: control-plane name.
        size: the maximum number of members; 0 for no limit.
        is_selector: whether it has groups.
        tables: the tables that use it.
    """

    name: str
    size: int
    is_selector: bool
    tables: Sequence[str]


@dataclass(frozen=True)
class ValueSetInfo:
    """A parser value set as the program declares it.

    Attributes:
        name: control-plane name.
        size: the maximum number of members.
        fields: the fields that a member matches, in order.
    """

    name: str
    size: int
    fields: Sequence[KeyInfo]


def table_info(table: _core.TableInfo) -> TableInfo:
    """A table from the core's form."""

    def action(a: _core.ActionInfo) -> ActionInfo:
        return ActionInfo(a.name, _params(a.params), a.default_only, a.table_only, tuple(a.annotations))

    return TableInfo(
        table.name,
        tuple(KeyInfo(*key) for key in table.keys),
        tuple(action(a) for a in table.actions),
        table.size,
        table.const_entries,
        table.const_default,
        table.needs_priority,
        table.support_timeout,
        table.direct_counter,
        table.direct_meter,
        table.profile,
        tuple(table.annotations),
    )


def _params(params: Sequence[tuple[str, int]]) -> tuple[ParamInfo, ...]:
    return tuple(ParamInfo(*param) for param in params)

"""The tables of a program that hold routes, and how their entries are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weir.errors import NetworkError
from weir.program import ActionInfo, KeyInfo, Program, TableInfo
from weir.text.suggest import nearest
from weir.topology.route_table import RouteTable

_ADDRESSES: Final = {32: "IPv4", 128: "IPv6", 48: "Ethernet"}
_PORT_BITS: Final = 9
_MAC_BITS: Final = 48


@dataclass(frozen=True)
class RouteWriter:
    """A routing table, and how its entries are written.

    Attributes:
        table: the table.
        key: the key of the table.
        action: the action that forwards.
        port: the action's parameter for the port.
        mac: the action's parameter for the next hop's Ethernet address, if it has one.
        profile: the table's action profile, if it has one.
        has_groups: whether the profile selects among the members of a group.
    """

    table: TableInfo
    key: KeyInfo
    action: ActionInfo
    port: str
    mac: str | None
    profile: str | None
    has_groups: bool

    @property
    def family(self) -> int:
        """The width of the table's addresses in bits: 32 for IPv4, 128 for IPv6, 48 for
        Ethernet."""
        return self.key.width

    def match(self, address: str) -> dict[str, object]:
        """Returns the match of an entry for one address."""
        return {self.key.name: [address, self.key.width] if self.key.match_kind == "lpm" else address}

    def params(self, port: int, mac: str) -> dict[str, object]:
        """Returns the parameters of a route's action."""
        return {self.port: port} if self.mac is None else {self.port: port, self.mac: mac}


def find_tables(program: Program, names: RouteTable) -> list[RouteWriter]:
    """Finds the program's routing tables, at most one for each kind of address.

    Raises:
        NetworkError: a name does not exist, or several tables or actions are possible.
    """
    if names.table is not None:
        return [_writer(program, program.tables[program.full_name("table", names.table)], names)]
    annotated = [table for table in program.tables.values() if "route" in table.annotations]
    if annotated:
        return [_writer(program, table, names) for table in annotated]
    by_width: dict[int, TableInfo] = {}
    for table in program.tables.values():
        keys = _keys(table)
        if len(keys) != 1 or keys[0].match_kind != "lpm" or keys[0].width not in (32, 128):
            continue
        if table.const_entries or not _actions(table, names):
            continue
        other = by_width.setdefault(keys[0].width, table)
        if other is not table:
            raise NetworkError(
                f"{program.path}: {other.name} and {table.name} could both hold {_ADDRESSES[keys[0].width]} "
                "routes: annotate one with @route, or name one with topology.routes = RouteTable(table=…)"
            )
    return [_writer(program, table, names) for table in by_width.values()]


def _writer(program: Program, table: TableInfo, names: RouteTable) -> RouteWriter:
    keys = _keys(table)
    if len(keys) != 1 or keys[0].width not in _ADDRESSES or keys[0].match_kind not in ("exact", "lpm"):
        raise NetworkError(
            f"{program.path}: {table.name} cannot hold routes: expected one key of 32, 48 or 128 bits "
            "(an IPv4, Ethernet or IPv6 address) with match kind exact or lpm"
        )
    if table.const_entries:
        raise NetworkError(f"{program.path}: {table.name} cannot hold routes: its entries are const")
    actions = _actions(table, names)
    if len(actions) != 1:
        listed = ", ".join(action.name for action in actions) or "none"
        raise NetworkError(
            f"{program.path}: {table.name} needs one action for routes, with a parameter of "
            f"{_PORT_BITS} bits for the port and at most one of {_MAC_BITS} bits for the next hop's "
            f"Ethernet address; found {listed}: name the action and its parameters with "
            "topology.routes = RouteTable(action=…, port=…, mac=…)",
            suggestion=None
            if names.action is None
            else nearest(names.action, [action.name for action in table.actions]),
        )
    action = actions[0]
    port = names.port or _only_parameter(action, _PORT_BITS)
    mac = names.mac or _only_parameter(action, _MAC_BITS)
    assert port is not None
    profile = None if table.profile is None else program.profiles[table.profile]
    return RouteWriter(
        table, keys[0], action, port, mac, table.profile, profile is not None and profile.is_selector
    )


def _actions(table: TableInfo, names: RouteTable) -> list[ActionInfo]:
    """Lists the table's actions that can forward a packet to a port."""
    return [action for action in table.actions if not action.default_only and _can_forward(action, names)]


def _can_forward(action: ActionInfo, names: RouteTable) -> bool:
    if names.action is not None and not f".{action.name}".endswith(f".{names.action}"):
        return False
    port = names.port or _only_parameter(action, _PORT_BITS)
    mac = names.mac or _only_parameter(action, _MAC_BITS)
    params = [param.name for param in action.params]
    return port in params and all(name in (port, mac) for name in params)


def flood_actions(program: Program) -> Sequence[tuple[TableInfo, ActionInfo]]:
    """Lists the actions annotated with ``@flood``, each with a table that can have the action as
    default.

    Raises:
        NetworkError: such an action does not have exactly one parameter, the multicast group.
    """
    flooding = []
    for table in program.tables.values():
        for action in table.actions:
            if "flood" not in action.annotations or action.table_only or table.const_default:
                continue
            if len(action.params) != 1:
                raise NetworkError(
                    f"{program.path}: {action.name} is annotated with @flood, so it takes one parameter, "
                    f"the multicast group; it has {len(action.params)}"
                )
            flooding.append((table, action))
    return flooding


def _keys(table: TableInfo) -> list[KeyInfo]:
    """Lists the keys of a table that entries match, without those of selectors."""
    return [key for key in table.keys if key.match_kind != "selector"]


def _only_parameter(action: ActionInfo, width: int) -> str | None:
    """Returns the action's only parameter of a width; ``None`` if there are none or several."""
    names = [param.name for param in action.params if param.width == width]
    return names[0] if len(names) == 1 else None

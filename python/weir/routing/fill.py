"""Writes routes and flood groups into the switches of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from weir.errors import NetworkError
from weir.routing.paths import Attachment, Paths
from weir.routing.writers import RouteWriter, find_tables, flood_actions
from weir.topology import GATEWAY_MAC, RouteTable, Topology

if TYPE_CHECKING:
    from weir.control.switch import Switch
    from weir.program import ActionInfo, Program, TableInfo

Key = TypeVar("Key")

FLOOD_GROUP: Final = 1
"""The number of the multicast group that contains the ports to which a switch floods."""


def fill(topology: Topology, switches: Mapping[str, Switch]) -> None:
    """Computes the entries of all switches for which the topology has none.

    A route leads to each address of each host, along the shortest path. If there are several
    shortest paths, a table with an action selector distributes flows over all of them. Other tables
    use a single path for each host, and distribute hosts over the paths.

    Raises:
        NetworkError: the topology asks for routes, but a program has no table for them.
    """
    empty = {
        name: switch
        for name, switch in switches.items()
        if topology.switches[name].entries is None
        and topology.switches[name].commands is None
        and switch.has_program
    }
    plans: dict[Program, _Plan] = {}
    for switch in empty.values():
        if switch.program not in plans:
            plans[switch.program] = _plan(topology, switch.program)
    if not any(plan.writers or plan.floods for plan in plans.values()):
        return
    paths = Paths(topology)
    routed = {name: switch for name, switch in empty.items() if plans[switch.program].writers}
    if routed:
        _write_routes(topology, paths, routed, plans)
    flooding = {name: switch for name, switch in empty.items() if plans[switch.program].floods}
    if flooding:
        ports = paths.tree_ports()
        for name, switch in flooding.items():
            switch.set_multicast_group(FLOOD_GROUP, ports[name])
            for table, action in plans[switch.program].floods:
                switch.table(table.name).set_default(action.name, {action.params[0].name: FLOOD_GROUP})


@dataclass(frozen=True)
class _Plan:
    """The entries to compute for a program.

    Attributes:
        writers: the routing tables to fill.
        floods: the actions that flood, each with the table whose default action it becomes.
    """

    writers: Sequence[RouteWriter] = ()
    floods: Sequence[tuple[TableInfo, ActionInfo]] = ()


def _plan(topology: Topology, program: Program) -> _Plan:
    if topology.routes is None:
        return _Plan()
    floods = flood_actions(program)
    if topology.routes == "annotated":
        annotated = any("route" in table.annotations for table in program.tables.values())
        return _Plan(find_tables(program, RouteTable()) if annotated else (), floods)
    writers = find_tables(program, topology.routes)
    if not writers and not floods:
        raise NetworkError(
            f"{program.path} has no table for routes, so no entries can be computed from the "
            "topology: annotate one with @route, name one with topology.routes = RouteTable(…), or "
            "set topology.routes = None (for a shape routes=None, such as dumbbell:4,routes=none) "
            "and insert entries yourself"
        )
    return _Plan(writers, floods)


def _write_routes(
    topology: Topology,
    paths: Paths,
    switches: Mapping[str, Switch],
    plans: Mapping[Program, _Plan],
) -> None:
    order = {name: number for number, name in enumerate(topology.switches)}
    writers = {
        name: [_Writer(switch, writer, order[name]) for writer in plans[switch.program].writers]
        for name, switch in switches.items()
    }
    next_ports: dict[str, dict[str, list[int]]] = {}
    for attachment in paths.attachments():
        target = attachment.switch
        if target not in next_ports:
            next_ports[target] = paths.next_ports(target)
        for name, route_writers in writers.items():
            if name == target:
                hops = [(attachment.port, attachment.interface.mac)]
            else:
                hops = [(port, GATEWAY_MAC) for port in next_ports[target].get(name, ())]
            if hops:
                for writer in route_writers:
                    writer.add(attachment, hops)


class _Writer:
    """Writes the routes of one table of one switch.

    Members and groups of the table's action profile are created once, and shared by routes.
    """

    def __init__(self, switch: Switch, writer: RouteWriter, number: int) -> None:
        self._table = switch.table(writer.table.name)
        self._profile = None if writer.profile is None else switch.action_profile(writer.profile)
        self._writer = writer
        self._number = number
        self._members: dict[tuple[int, str], int] = {}
        self._groups: dict[tuple[tuple[int, str], ...], int] = {}

    def add(self, attachment: Attachment, hops: list[tuple[int, str]]) -> None:
        """Adds the routes to an interface's addresses. Each hop in ``hops`` is a port and a next
        hop."""
        writer = self._writer
        if len(hops) > 1 and not writer.has_groups:
            hops = [hops[(attachment.number + self._number) % len(hops)]]
        for address in _addresses(attachment, writer.family):
            match = writer.match(address)
            if self._profile is None:
                self._table.insert(match, writer.action.name, writer.params(*hops[0]))
            elif len(hops) == 1:
                self._table.insert(match, member=self._member(hops[0]))
            else:
                group = _number_for(self._groups, tuple(hops), self._add_group)
                self._table.insert(match, group=group)

    def _member(self, hop: tuple[int, str]) -> int:
        return _number_for(self._members, hop, self._add_member)

    def _add_member(self, hop: tuple[int, str]) -> int:
        assert self._profile is not None
        return self._profile.add_member(self._writer.action.name, self._writer.params(*hop))

    def _add_group(self, hops: tuple[tuple[int, str], ...]) -> int:
        assert self._profile is not None
        return self._profile.add_group([self._member(hop) for hop in hops])


def _addresses(attachment: Attachment, family: int) -> list[str]:
    """Returns the addresses of an interface in one family: IPv4, IPv6 or Ethernet."""
    if family == 48:
        return [attachment.interface.mac]
    return [
        address.address
        for address in attachment.interface.addresses
        if (":" in address.address) == (family == 128)
    ]


def _number_for(numbers: dict[Key, int], key: Key, make: Callable[[Key], int]) -> int:
    """Returns the number for a key; if the key is used for the first time, ``make`` creates the
    number."""
    if key not in numbers:
        numbers[key] = make(key)
    return numbers[key]

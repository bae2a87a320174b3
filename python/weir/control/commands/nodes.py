"""Multicast as BMv2 splits it: nodes (a replication id, ports, link aggregation groups) that are associated with groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weir.control.sessions import Replica
from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.switch import Switch

_LAG_HASH = 0xFF
"""What `simple_switch` takes for the hash that chooses a LAG's port."""


@dataclass
class Node:
    """A node: copies with one replication id.

    Attributes:
        rid: ``egress_rid`` of its copies.
        ports: where they go, without repetition, smallest first.
        lags: link aggregation groups that get a copy each, smallest first.
        group: the group that it is associated with, if any.
    """

    rid: int
    ports: list[int]
    lags: list[int]
    group: int | None = None


@dataclass
class Nodes:
    """A switch's nodes and the groups made of them.

    Attributes:
        by_handle: nodes by handle, from 0.
        groups: each group's nodes in the order of association.
        lags: the ports of each link aggregation group, smallest first.
    """

    switch: Switch
    by_handle: dict[int, Node] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)
    lags: dict[int, list[int]] = field(default_factory=dict)

    def create_group(self, group: int) -> None:
        """Makes an empty group."""
        if group in self._there():
            raise ControlError(f"multicast group {group} exists already")
        self.groups[group] = []
        self._update(group)

    def destroy_group(self, group: int) -> None:
        """Takes a group away, however it was made; its nodes stay."""
        if group not in self._there():
            raise ControlError(f"there is no multicast group {group}")
        for handle in self.groups.pop(group, []):
            self.by_handle[handle].group = None
        self.switch.delete_multicast_group(group)

    def create(self, rid: int, ports: list[int], lags: list[int]) -> int:
        """Makes a node; its handle is the smallest that is free."""
        self._known_ports(ports)
        handle = next(number for number in range(len(self.by_handle) + 1) if number not in self.by_handle)
        self.by_handle[handle] = Node(rid, sorted(set(ports)), sorted(set(lags)))
        return handle

    def change(self, handle: int, ports: list[int], lags: list[int]) -> None:
        """Gives a node other ports and LAGs."""
        self._there()
        node = self._find(handle)
        self._known_ports(ports)
        node.ports, node.lags = sorted(set(ports)), sorted(set(lags))
        if node.group is not None:
            self._update(node.group)

    def associate(self, group: int, handle: int) -> None:
        """Puts a node into a group."""
        there = self._there()
        node = self._find(handle)
        if group not in there:
            raise ControlError(f"there is no multicast group {group} (mc_mgrp_create makes one)")
        if group not in self.groups:
            raise ControlError(f"multicast group {group} was made without nodes: mc_mgrp_destroy it first")
        if node.group is not None:
            raise ControlError(f"node {handle} is associated with group {node.group} already")
        node.group = group
        self.groups[group].append(handle)
        self._update(group)

    def dissociate(self, group: int, handle: int) -> None:
        """Takes a node out of a group."""
        self._there()
        node = self._find(handle)
        if node.group != group:
            raise ControlError(f"node {handle} is not associated with group {group}")
        node.group = None
        self.groups[group].remove(handle)
        self._update(group)

    def destroy(self, handle: int) -> None:
        """Takes a node away, and out of its group."""
        self._there()
        node = self._find(handle)
        if node.group is not None:
            self.dissociate(node.group, handle)
        del self.by_handle[handle]

    def set_lag(self, lag: int, ports: list[int]) -> None:
        """Sets a LAG's ports, and so where the copies of all nodes with it go."""
        self._known_ports(ports)
        self._there()
        self.lags[lag] = sorted(set(ports))
        for group in {node.group for node in self.by_handle.values() if lag in node.lags}:
            if group is not None:
                self._update(group)

    def made_groups(self) -> dict[int, list[int]]:
        """The groups that are as their nodes make them, each with its nodes."""
        there = self._there()
        return {
            group: handles for group, handles in self.groups.items() if there[group] == self._copies(group)
        }

    def _find(self, handle: int) -> Node:
        if handle not in self.by_handle:
            there = ", ".join(map(str, self.by_handle)) or "none"
            raise ControlError(f"there is no multicast node {handle} (there are: {there})")
        return self.by_handle[handle]

    def _known_ports(self, ports: list[int]) -> None:
        there = self.switch.ports
        for port in ports:
            if port not in there:
                known = ", ".join(map(str, there)) or "none"
                raise ControlError(f"the switch has no port {port}; its ports: {known}")

    def _there(self) -> dict[int, list[Replica]]:
        """The switch's groups. Those that others took away have no nodes any more."""
        there = self.switch.multicast_groups()
        for group in [group for group in self.groups if group not in there]:
            for handle in self.groups.pop(group):
                self.by_handle[handle].group = None
        return there

    def _copies(self, group: int) -> list[Replica]:
        nodes = [self.by_handle[handle] for handle in self.groups[group]]
        return [Replica(port, node.rid) for node in nodes for port in [*node.ports, *self._of_lags(node)]]

    def _of_lags(self, node: Node) -> list[int]:
        members = [self.lags.get(lag, []) for lag in node.lags]
        return [ports[_LAG_HASH % len(ports)] for ports in members if ports]

    def _update(self, group: int) -> None:
        self.switch.set_multicast_group(group, self._copies(group))

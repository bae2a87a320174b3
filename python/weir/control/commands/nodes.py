"""Multicast as BMv2 splits it: nodes (a replication id and ports) that are associated with groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weir.errors import ControlError

if TYPE_CHECKING:
    from weir.control.switch import Switch


@dataclass
class Node:
    """A node: copies with one replication id.

    Attributes:
        rid: ``egress_rid`` of its copies.
        ports: where they go, without repetition, smallest first.
        group: the group that it is associated with, if any.
    """

    rid: int
    ports: list[int]
    group: int | None = None


@dataclass
class Nodes:
    """A switch's nodes and the groups made of them.

    Attributes:
        by_handle: nodes by handle, from 0.
        groups: each group's nodes in the order of association.
    """

    switch: Switch
    by_handle: dict[int, Node] = field(default_factory=dict)
    groups: dict[int, list[int]] = field(default_factory=dict)

    def create_group(self, group: int) -> None:
        """Makes an empty group; one that a JSON file made is taken as it is."""
        if group in self.groups or self.switch.core.multicast_group(group) is not None:
            raise ControlError(f"multicast group {group} exists already")
        self.groups[group] = []
        self._update(group)

    def destroy_group(self, group: int) -> None:
        """Takes a group away; its nodes stay."""
        if group not in self.groups and self.switch.core.multicast_group(group) is None:
            raise ControlError(f"there is no multicast group {group}")
        for handle in self.groups.pop(group, []):
            self.by_handle[handle].group = None
        self.switch.core.set_multicast_group(group, None)

    def create(self, rid: int, ports: list[int]) -> int:
        """Makes a node; its handle is the smallest that is free."""
        handle = next(number for number in range(len(self.by_handle) + 1) if number not in self.by_handle)
        self.by_handle[handle] = Node(rid, sorted(set(ports)))
        return handle

    def change(self, handle: int, ports: list[int]) -> None:
        """Gives a node other ports."""
        node = self._find(handle)
        node.ports = sorted(set(ports))
        if node.group is not None:
            self._update(node.group)

    def associate(self, group: int, handle: int) -> None:
        """Puts a node into a group."""
        node = self._find(handle)
        if group not in self.groups:
            raise ControlError(f"there is no multicast group {group} (mc_mgrp_create makes one)")
        if node.group is not None:
            raise ControlError(f"node {handle} is associated with group {node.group} already")
        node.group = group
        self.groups[group].append(handle)
        self._update(group)

    def dissociate(self, group: int, handle: int) -> None:
        """Takes a node out of a group."""
        node = self._find(handle)
        if node.group != group:
            raise ControlError(f"node {handle} is not associated with group {group}")
        node.group = None
        self.groups[group].remove(handle)
        self._update(group)

    def destroy(self, handle: int) -> None:
        """Takes a node away, and out of its group."""
        node = self._find(handle)
        if node.group is not None:
            self.dissociate(node.group, handle)
        del self.by_handle[handle]

    def _find(self, handle: int) -> Node:
        if handle not in self.by_handle:
            there = ", ".join(map(str, self.by_handle)) or "none"
            raise ControlError(f"there is no multicast node {handle} (there are: {there})")
        return self.by_handle[handle]

    def _update(self, group: int) -> None:
        nodes = [self.by_handle[handle] for handle in self.groups[group]]
        self.switch.core.set_multicast_group(
            group, [(port, node.rid) for node in nodes for port in node.ports]
        )

"""Computes the entries that each switch needs for the admitted hosts, and writes them."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Address

import weir

from .messages import Identity

Place = tuple[str, int]
"""A place in the network: a switch's name and the number of one of its ports."""

Write = Callable[[], object]
"""A function that changes one table entry."""


@dataclass(frozen=True)
class Rule:
    """A switch's rule for a host.

    Attributes:
        identity: the identity of the host.
        port: the switch's port that leads to the host.
        at_host: whether the host is connected directly to this port.
        is_new: whether the host may only answer.
    """

    identity: Identity
    port: int
    at_host: bool
    is_new: bool


def required_rules(
    members: Mapping[str, tuple[Identity, Place, bool]], neighbours: Mapping[str, Mapping[int, str]]
) -> dict[str, dict[str, Rule]]:
    """Computes, for each switch, the rules of the hosts whose packets the switch may have to
    forward, by host.

    A switch gets a host's rule if the switch is on the path from this host to another member, or is
    the host's own switch.

    Args:
        members: the identity and place of each admitted host, and whether it is new, by name.
        neighbours: for each switch, the ports that lead to other switches; the topology must not
            have cycles.
    """
    required: dict[str, dict[str, Rule]] = {switch: {} for switch in neighbours}
    for name, (identity, (own_switch, port), is_new) in members.items():
        required[own_switch][name] = Rule(identity, port, True, is_new)
        for _, (switch, _), _ in members.values():
            way = path(own_switch, switch, neighbours)
            for before, current in itertools.pairwise(way):
                back = next(number for number, other in neighbours[current].items() if other == before)
                required[current][name] = Rule(identity, back, False, is_new)
    return required


def path(source: str, target: str, neighbours: Mapping[str, Mapping[int, str]]) -> list[str]:
    """Finds the shortest path between two switches; the path includes both switches."""
    ways = {source: [source]}
    waiting = deque([source])
    while waiting and target not in ways:
        switch = waiting.popleft()
        for other in neighbours[switch].values():
            if other not in ways:
                ways[other] = [*ways[switch], other]
                waiting.append(other)
    return ways[target]


class Writer:
    """Writes entries into a switch, one after the other; each write takes a fixed time.

    Attributes:
        writes: the number of written entries.
        settled_ns: the time of the last write.
    """

    def __init__(self, net: weir.Network, switch: weir.Switch, write_ns: int) -> None:
        """Creates the writer of a switch.

        Args:
            net: the network.
            switch: the switch.
            write_ns: the time per write in nanoseconds.
        """
        self.writes = self.settled_ns = 0
        self._net, self._switch, self._write_ns = net, switch, write_ns
        # The pending actions, each with whether it takes the time of a write; the first queue has
        # priority.
        self._queues: tuple[deque[tuple[Write, bool]], ...] = (deque(), deque())
        self._busy = False

    def write(
        self, writes: Sequence[Write], then: Callable[[], object] | None = None, *, urgent: bool = False
    ) -> None:
        """Adds writes to the writer's queue, behind earlier writes.

        Args:
            writes: the writes, in order.
            then: the function to call after the last write.
            urgent: whether these writes have priority over other writes, so that joining hosts do
                not wait for a long set of rules.
        """
        queue = self._queues[0 if urgent else 1]
        queue.extend((write, True) for write in writes)
        if then is not None:
            queue.append((then, False))
        if not self._busy:
            self._begin_write()

    def _begin_write(self) -> None:
        queue = next((queue for queue in self._queues if queue), None)
        self._busy = queue is not None
        if queue is None:
            return
        call, is_write = queue.popleft()
        if is_write:
            self._net.after(f"{self._write_ns}ns", partial(self._finish_write, call))
        else:
            call()
            self._begin_write()

    def _finish_write(self, write: Write) -> None:
        write()
        self.writes += 1
        self.settled_ns = self._net.now_ns
        self._begin_write()

    def admission_writes(self, rule: Rule, silence: str | None) -> list[Write]:
        """Returns the writes that admit a host; the last write allows the host to send.

        Args:
            rule: the host's rule.
            silence: the time without a packet after which the switch notifies the controller;
                ``None`` for never.
        """
        identity, table = rule.identity, self._switch.table
        timeout = silence if rule.at_host else None
        params = {
            "number": identity.number,
            "address": str(IPv4Address(identity.address)),
            "is_new": int(rule.is_new),
        }
        return [
            lambda: table("targets").insert(_target_key(rule), "reach", {"number": identity.number}),
            lambda: table("routes").insert(
                _route_key(rule), "forward", {"dstAddr": identity.mac.hex(":"), "port": rule.port}
            ),
            lambda: table("sources").insert(_source_key(rule), "admit", params, idle_timeout=timeout),
        ]

    def state_writes(self, rule: Rule) -> list[Write]:
        """Returns the write that changes whether a host is new, without interrupting the host's
        packets."""
        identity = rule.identity
        params = {
            "number": identity.number,
            "address": str(IPv4Address(identity.address)),
            "is_new": int(rule.is_new),
        }
        return [lambda: self._switch.table("sources").modify(_source_key(rule), "admit", params)]

    def exclusion_writes(self, rule: Rule, numbers: Sequence[int]) -> list[Write]:
        """Returns the writes that exclude a host; the first write stops the host's packets.

        Args:
            rule: the host's rule.
            numbers: the numbers of all hosts, whose contacts with this host are removed.
        """
        table, own_number = self._switch.table, rule.identity.number
        return [
            lambda: table("sources").delete(_source_key(rule)),
            lambda: table("routes").delete(_route_key(rule)),
            lambda: table("targets").delete(_target_key(rule)),
            *(
                partial(self._clear_contact, cell)
                for other in numbers
                for cell in (own_number << 6 | other, other << 6 | own_number)
            ),
        ]

    def _clear_contact(self, cell: int) -> None:
        self._switch.register("contacted").write(cell, 0)


def _source_key(rule: Rule) -> dict[str, object]:
    return {"hdr.ethernet.srcAddr": rule.identity.mac.hex(":"), "standard_metadata.ingress_port": rule.port}


def _route_key(rule: Rule) -> dict[str, object]:
    return {"hdr.ipv4.dstAddr": str(IPv4Address(rule.identity.address))}


def _target_key(rule: Rule) -> dict[str, object]:
    return {"hdr.ethernet.dstAddr": rule.identity.mac.hex(":"), "standard_metadata.egress_spec": rule.port}

"""The rules on layers 3 and 4, which are exchanged as a whole set or entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import weir

ANY_PORT: Final = (0, 0xFFFF)


@dataclass(frozen=True)
class PolicyRule:
    """A rule on layers 3 and 4; a field that is ``None`` matches anything.

    Attributes:
        permit: whether matching packets are permitted.
        priority: the rule's priority; the matching rule with the largest priority decides.
        source: the IPv4 source address and mask, such as ``10.0.0.1 &&& 0xffffffff``; ``None`` for
            any.
        target: the IPv4 destination address and mask; ``None`` for any.
        protocol: 6 for TCP, 17 for UDP, 1 for ICMP; ``None`` for any.
        source_ports: the first and the last source port.
        ports: the first and the last destination port.
    """

    permit: bool
    priority: int = 1
    source: str | None = None
    target: str | None = None
    protocol: int | None = None
    source_ports: tuple[int, int] = ANY_PORT
    ports: tuple[int, int] = ANY_PORT

    @property
    def action(self) -> str:
        """The name of the table's action, ``permit`` or ``deny``."""
        return "permit" if self.permit else "deny"

    def match(self, rule_set: int) -> dict[str, object]:
        """Returns the match of the rule's table entry.

        Args:
            rule_set: the set that the rule belongs to, 0 or 1.
        """
        keys: dict[str, object] = {
            "rule_set": rule_set,
            "meta.srcPort": list(self.source_ports),
            "meta.dstPort": list(self.ports),
        }
        if self.source is not None:
            keys["hdr.ipv4.srcAddr"] = self.source
        if self.target is not None:
            keys["hdr.ipv4.dstAddr"] = self.target
        if self.protocol is not None:
            keys["hdr.ipv4.protocol"] = [self.protocol, 0xFF]
        return keys


OPEN: Final = (PolicyRule(permit=True),)
"""A list of one rule, which permits everything."""


def insert(switch: weir.Switch, rule: PolicyRule, rule_set: int) -> None:
    """Writes a rule into a set."""
    switch.table("rules").insert(rule.match(rule_set), rule.action, {}, rule.priority)


def delete(switch: weir.Switch, rule: PolicyRule, rule_set: int) -> None:
    """Removes a rule from a set."""
    switch.table("rules").delete(rule.match(rule_set), rule.priority)


def select_rule_set(switch: weir.Switch, rule_set: int) -> None:
    """Selects the set of rules that applies, with one write that affects all packets at once."""
    switch.table("in_force").set_default("use", {"number": rule_set})


def load(switch: weir.Switch, rules: Sequence[PolicyRule]) -> None:
    """Writes rules into the first set and selects it."""
    for rule in rules:
        insert(switch, rule, 0)
    select_rule_set(switch, 0)

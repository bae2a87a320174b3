"""The controller, which authenticates hosts and updates the rules of all switches as hosts join and
leave."""

from __future__ import annotations

import hmac
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import weir
from weir.control import PacketIn

from . import policy
from .messages import ACCEPT, CHALLENGE, CONTROLLER_MAC, HELLO, JOIN, LEAVE, NONCE_BYTES, Identity, Message
from .policy import OPEN, PolicyRule
from .rules import Place, Rule, Write, Writer, required_rules

CHALLENGE_NS: Final = 1_000_000_000
"""The time in nanoseconds for which a challenge is valid."""

WAITING: Final = 1000
"""The maximum number of waiting requests; further requests are lost."""


@dataclass(frozen=True)
class _Challenge:
    name: str
    host_nonce: bytes
    nonce: bytes
    until_ns: int


@dataclass(frozen=True)
class Membership:
    """The controller's knowledge about an admitted host.

    Attributes:
        place: the switch and port of the host.
        host_nonce: the host's nonce in the handshake.
        nonce: the controller's nonce in the handshake.
    """

    place: Place
    host_nonce: bytes
    nonce: bytes


class Controller:
    """A controller that admits only hosts that have a key.

    Attributes:
        members: the admitted hosts, by name.
        refused: the number of refused requests, by reason.
        requests: the number of received requests.
        lost: the number of requests lost because too many were waiting.
    """

    def __init__(
        self,
        net: weir.Network,
        known: Mapping[str, Identity],
        neighbours: Mapping[str, Mapping[int, str]],
        nonces: Callable[[int], bytes],
        *,
        new: Sequence[str] = (),
        silence: str | None = "30s",
        request_us: int = 100,
        write_us: int = 50,
        rules: Sequence[PolicyRule] = OPEN,
    ) -> None:
        """Creates the controller of all switches in a network.

        Args:
            net: the network.
            known: the hosts that may join, by name.
            neighbours: the ports of each switch that lead to other switches, by switch.
            nonces: a function that makes a nonce of a number of bytes; a real controller takes
                nonces from ``secrets.token_bytes``.
            new: the hosts that may only answer.
            silence: the time without a packet after which a host is excluded; ``None`` for never.
            request_us: the time in microseconds to process a request.
            write_us: the time in microseconds to write an entry.
            rules: the rules on layers 3 and 4, in force from the beginning.
        """
        self.members: dict[str, Membership] = {}
        self.refused: Counter[str] = Counter()
        self.requests = self.lost = 0
        self._net, self._known, self._neighbours, self._nonces = net, known, neighbours, nonces
        self._names = {identity.mac: name for name, identity in known.items()}
        self._new, self._silence, self._request_us = set(new), silence, request_us
        self._challenges: dict[Place, _Challenge] = {}
        self._waiting: deque[PacketIn] = deque()
        self._rules: dict[str, dict[str, Rule]] = {switch: {} for switch in neighbours}
        self._writers: dict[str, Writer] = {}
        self._policies: dict[str, tuple[int, Sequence[PolicyRule]]] = {}
        for name in neighbours:
            switch = net.switch(name)
            self._writers[name] = Writer(net, switch, 1000 * write_us)
            policy.load(switch, rules)
            self._policies[name] = 0, rules
            switch.on_packet_in(self._on_request)
            switch.on_idle(partial(self._on_idle, name))

    @property
    def writes(self) -> int:
        """The number of entries that the controller has written, in all switches."""
        return sum(writer.writes for writer in self._writers.values())

    def writer(self, switch: str) -> Writer:
        """Returns the writer of a switch, for additional changes."""
        return self._writers[switch]

    @property
    def settled_ns(self) -> int:
        """The time of the last write in any switch, in nanoseconds."""
        return max(writer.settled_ns for writer in self._writers.values())

    def remove(self, name: str) -> None:
        """Excludes a host."""
        if self.members.pop(name, None) is not None:
            self._distribute()

    def trust(self, name: str) -> None:
        """Allows a new host to contact others from now on."""
        self._new.discard(name)
        self._distribute()

    def exchange(
        self, switch: str, rules: Sequence[PolicyRule], then: Callable[[], object] | None = None
    ) -> None:
        """Replaces all rules on layers 3 and 4 of a switch atomically.

        Args:
            switch: the switch's name.
            rules: the new rules.
            then: the function to call when the new rules are in force.
        """
        target, (in_force, old) = self._net.switch(switch), self._policies[switch]
        other = 1 - in_force
        self._policies[switch] = other, rules
        writes: list[Write] = [partial(policy.insert, target, rule, other) for rule in rules]
        writes.append(partial(policy.select_rule_set, target, other))
        self._writers[switch].write(writes, then)
        self._writers[switch].write([partial(policy.delete, target, rule, in_force) for rule in old])

    def _on_request(self, packet: PacketIn) -> None:
        self.requests += 1
        if len(self._waiting) >= WAITING:
            self.lost += 1
            return
        self._waiting.append(packet)
        if len(self._waiting) == 1:
            self._net.after(f"{self._request_us}us", self._answer_next)

    def _answer_next(self) -> None:
        packet = self._waiting.popleft()
        if self._waiting:
            self._net.after(f"{self._request_us}us", self._answer_next)
        reason = self._answer(packet)
        if reason is not None:
            self.refused[reason] += 1

    def _answer(self, packet: PacketIn) -> str | None:
        """Processes a request; returns the reason if the request is refused."""
        message = Message.read(packet.payload)
        if message is None:
            return "malformed"
        name = self._names.get(message.source)
        if name is None or self._known[name].address != message.address:
            return "unknown host"
        place = packet.switch, packet["ingress_port"]
        if message.kind == HELLO:
            self._challenge(name, place, message.nonce)
            return None
        if message.kind == JOIN:
            return self._join(name, place, message)
        if message.kind == LEAVE:
            return self._leave(name, place, message)
        return "unexpected kind"

    def _challenge(self, name: str, place: Place, host_nonce: bytes) -> None:
        nonce = self._nonces(NONCE_BYTES)
        # Each port has one challenge at a time, so that requests cannot fill the controller's
        # memory.
        self._challenges[place] = _Challenge(name, host_nonce, nonce, self._net.now_ns + CHALLENGE_NS)
        self._send(CHALLENGE, name, place, host_nonce, nonce)

    def _join(self, name: str, place: Place, message: Message) -> str | None:
        challenge = self._challenges.get(place)
        if challenge is None or challenge.name != name or challenge.nonce != message.nonce:
            return "no such challenge"
        if self._net.now_ns > challenge.until_ns:
            return "late"
        if not self._has_key(name, message, challenge.host_nonce):
            return "wrong token"
        del self._challenges[place]
        self.members[name] = Membership(place, challenge.host_nonce, challenge.nonce)
        self._distribute(partial(self._send, ACCEPT, name, place, challenge.host_nonce, challenge.nonce))
        return None

    def _leave(self, name: str, place: Place, message: Message) -> str | None:
        member = self.members.get(name)
        if member is None or member.place != place or member.nonce != message.nonce:
            return "no such member"
        if not self._has_key(name, message, member.host_nonce):
            return "wrong token"
        self.remove(name)
        return None

    def _has_key(self, name: str, message: Message, host_nonce: bytes) -> bool:
        expected = self._known[name].token(message.kind, host_nonce, message.nonce)
        return hmac.compare_digest(message.token, expected)

    def _send(self, kind: int, name: str, place: Place, host_nonce: bytes, nonce: bytes) -> None:
        identity, (switch, port) = self._known[name], place
        message = Message(
            identity.mac,
            CONTROLLER_MAC,
            kind,
            identity.address,
            nonce,
            identity.token(kind, host_nonce, nonce),
        )
        self._net.switch(switch).packet_out(bytes(message), egress_port=port)

    def _on_idle(self, switch: str, notice: weir.IdleNotice) -> None:
        match = notice.entry.match
        name = self._names.get(bytes.fromhex(str(match["hdr.ethernet.srcAddr"]).replace(":", "")))
        place = switch, int(str(match["standard_metadata.ingress_port"]), 0)
        if name is not None and name in self.members and self.members[name].place == place:
            self.remove(name)

    def _distribute(self, then: Callable[[], object] | None = None) -> None:
        """Writes the changed rules into all switches, and calls a function when all writes are
        finished."""
        members = {
            name: (self._known[name], member.place, name in self._new)
            for name, member in self.members.items()
        }
        new_rules = required_rules(members, self._neighbours)
        left = len(new_rules)

        def count_finished() -> None:
            nonlocal left
            left -= 1
            if left == 0 and then is not None:
                then()

        numbers = [identity.number for identity in self._known.values()]
        for switch, rules in new_rules.items():
            old, writer, writes = self._rules[switch], self._writers[switch], list[Write]()
            changed = {name for name in old if name in rules and _only_trust(old[name], rules[name])}
            for name, rule in old.items():
                if rules.get(name) != rule and name not in changed:
                    writes += writer.exclusion_writes(rule, numbers)
            for name, rule in rules.items():
                if name in changed:
                    writes += writer.state_writes(rule)
                elif old.get(name) != rule:
                    writes += writer.admission_writes(rule, self._silence)
            self._rules[switch] = rules
            writer.write(writes, count_finished, urgent=True)


def _only_trust(old: Rule, rule: Rule) -> bool:
    """Returns whether two rules of a host differ only in the flag for new hosts."""
    return old != rule and replace(old, is_new=rule.is_new) == rule

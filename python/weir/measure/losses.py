"""Describes the drops during a measurement, and their reasons, in sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from weir._core import Drop, Misses, Repeats, Waiting
from weir.measure.dropped_frame import describe, is_address_resolution, time_to_live

_OTHER_DESTINATION_REASON = "destination MAC address of another interface"
"""The reason for a drop in a host that receives a packet for another host, which happens when
switches flood."""

_UNANSWERED = {"no answer to ARP": "ARP", "no answer to NDP": "NDP"}
_TOO_LARGE_REASON = "larger than the link's MTU"
_MAX_TABLES = 2
_ENDLESS_REPEATS = 1000
"""The number of recirculations and resubmissions beyond which a packet is probably in an endless
loop."""


@dataclass(frozen=True)
class Losses:
    """The packets dropped during a measurement.

    Attributes:
        drops: the dropped packets, by place and reason.
        frames: the beginning of a dropped frame, for some places and reasons.
        misses: the tables that missed in that time, those with the most misses first.
        copies: the number of copies that each switch created in that time.
        repeats: each switch's recirculated and resubmitted packets in that time.
        waiting: the packets that still wait for an answer to ARP or NDP.
    """

    drops: Sequence[Drop]
    frames: Sequence[tuple[str, str, bytes]] = ()
    misses: Sequence[Misses] = ()
    copies: Mapping[str, int] = field(default_factory=dict)
    repeats: Sequence[Repeats] = ()
    waiting: Sequence[Waiting] = ()

    def between(self, hosts: Collection[str]) -> Losses:
        """Returns the drops that may have hit packets between the given hosts.

        Hosts do not forward packets, so drops at another host or on its link are left out. All
        drops in switches and between switches stay, because the account does not know their
        packets.
        """
        return replace(
            self,
            drops=[drop for drop in self.drops if _hosts_at(drop.place) <= set(hosts)],
            waiting=[waiting for waiting in self.waiting if waiting.host in hosts],
        )

    def ranked(self) -> list[Drop]:
        """Orders the drops by how well they explain a loss, the best explanation first.

        Larger numbers of packets come first. Among equal numbers, packets that were dropped in
        flight come first: a host has no answer to ARP because something dropped the request or the
        answer. Normal drops come last.
        """

        def rank(drop: Drop) -> tuple[bool, int, bool]:
            return self._is_usual(drop), -drop.packets, drop.reason in _UNANSWERED

        return sorted(self.drops, key=rank)

    def _is_usual(self, drop: Drop) -> bool:
        """Returns whether a drop is normal, because the packet is a copy of a flooded packet.

        A program drops the copy for the port of arrival, and hosts refuse copies for other hosts.
        """
        node, _, part = drop.place.partition(" ")
        if part == "egress" and drop.reason == "drop port":
            return drop.packets <= self.copies.get(node, 0)
        return drop.reason == _OTHER_DESTINATION_REASON and drop.packets <= sum(self.copies.values())

    def _explains(self, drop: Drop, unanswered: Drop) -> bool:
        """Returns whether ``drop`` may be the reason why a host in ``unanswered`` got no answer.

        In a switch, the last dropped frame must be an ARP or NDP packet. Elsewhere the drops must
        be on the link of the host, and not only of packets that are too large.
        """
        frame = next((sample[2] for sample in self.frames if sample[:2] == (drop.place, drop.reason)), None)
        if frame is not None:
            return is_address_resolution(frame)
        return drop.reason != _TOO_LARGE_REASON and _hosts_at(drop.place) == {_host(unanswered.place)}

    def sentence(self) -> str | None:
        """Says where and why most packets were dropped, in one sentence.

        If a switch keeps more packets than were dropped, the reason is instead that it recirculates
        or resubmits them endlessly. If there were only normal drops, the sentence begins with the
        neighbour that has not answered yet. ``None`` if nothing was dropped and no packet waits for
        a neighbour.
        """
        ranked = self.ranked()
        endless = max(self.endless(), key=lambda repeats: repeats.inside, default=None)
        if endless is not None and (
            not ranked or self._is_usual(ranked[0]) or endless.inside >= ranked[0].packets
        ):
            return f"{_repeated_packets(endless)}."
        if not ranked or self._is_usual(ranked[0]):
            most = max(self.waiting, key=lambda waiting: waiting.packets, default=None)
            if most is not None:
                return (
                    f"{_waiting_packets(most)}, and {self.explain(ranked[0])}."
                    if ranked
                    else f"{_waiting_packets(most)}."
                )
            if not ranked:
                return None
        text = self.explain(ranked[0])
        unanswered = next((drop for drop in ranked[1:] if drop.reason in _UNANSWERED), None)
        if unanswered is not None:
            link = "so" if self._explains(ranked[0], unanswered) else "and"
            text += f"; {link} {_host(unanswered.place)} got no answer to {_UNANSWERED[unanswered.reason]}"
        elsewhere = sum(
            drop.packets for drop in ranked[1:] if drop is not unanswered and not self._is_usual(drop)
        )
        return f"{text} ({elsewhere} more elsewhere)." if elsewhere else f"{text}."

    def lines(self) -> list[str]:
        """Describes each place and reason, each endless switch and each table that missed in a
        line."""
        return [
            *(f"{self.explain(drop, name_tables=False)}." for drop in self.ranked()),
            *(f"{_repeated_packets(repeats)}." for repeats in self.endless()),
            *(f"{_waiting_packets(waiting)}." for waiting in self.waiting),
            *(f"{miss.switch}: {_missed_lookups(miss)}." for miss in self.misses),
        ]

    def endless(self) -> list[Repeats]:
        """Returns the counts of the switches that recirculate or resubmit packets endlessly."""
        return [repeats for repeats in self.repeats if 0 < repeats.inside * _ENDLESS_REPEATS <= repeats.times]

    def _times_repeated(self, switch: str) -> int:
        """Counts how often a switch recirculated or resubmitted packets."""
        return sum(repeats.times for repeats in self.repeats if repeats.switch == switch)

    def explain(self, drop: Drop, name_tables: bool = True) -> str:
        """Says in one sentence what happened to the dropped packets.

        Args:
            drop: the dropped packets.
            name_tables: whether to name the tables that missed.
        """
        switch, space, part = drop.place.partition(" ")
        if space:
            return self._explain_in_switch(drop, switch, part, name_tables)
        packets = _packets_text(drop.packets)
        if "->" in drop.place:
            return _explain_on_link(drop, packets)
        node = _host(drop.place)
        match drop.reason:
            case "port not connected":
                return f"{packets} left {node} by {drop.place}, where no link is"
            case "no route":
                return f"{node} had no route for {packets}"
            case reason if reason in _UNANSWERED:
                return f"{node} got no answer to {_UNANSWERED[reason]}, for which {packets} waited"
            case reason if reason.startswith("too many packets wait"):
                return f"{node} dropped {packets}: {reason}"
            case reason:
                return f"{node} refused {packets}: {reason}"

    def _explain_in_switch(self, drop: Drop, switch: str, where: str, name_tables: bool) -> str:
        packets = _packets_text(drop.packets)
        part, _, port = where.partition(" ")
        match drop.reason, part:
            case "drop port", _:
                text, by_program = f"the program of {switch} dropped {packets} in {where}", True
            case "no such port", _:
                chosen = " (as if it had chosen none)" if port == "0" else ""
                text = f"the program of {switch} sent {packets} to port {port}{chosen}, which {switch} does not have"
                by_program = True
            case "queue full", "queue":
                text, by_program = f"the queue of port {port} of {switch} was full for {packets}", False
            case "empty multicast group", _:
                text = f"the program of {switch} sent {packets} to a multicast group without members"
                by_program = False
            case "input queue full", _ if self._times_repeated(switch):
                copies = self.copies.get(switch, 0)
                copies_text = f" and copied packets {_times_text(copies)}" if copies else ""
                text = (
                    f"{switch} dropped {packets}: its program recirculated or resubmitted packets "
                    f"{_times_text(self._times_repeated(switch))}{copies_text}, so they filled its input queue"
                )
                by_program = False
            case "clone limit", _:
                text = (
                    f"{switch} dropped {packets} in {where}: its program cloned clones until the "
                    "limit was reached"
                )
                by_program = False
            case reason, _:
                text, by_program = f"{switch} dropped {packets} in {where}: {reason}", False
        frame = next((sample[2] for sample in self.frames if sample[:2] == (drop.place, drop.reason)), None)
        sentences = []
        if frame is not None and by_program:
            ttl = time_to_live(frame)
            sentences.append(f"the last was {describe(frame)}")
            if ttl is not None and ttl <= 1:
                sentences[-1] += f" whose time to live had run out ({ttl} on arrival)"
        if name_tables and by_program:
            # Egress runs after the other parts, so only its own tables drop packets there.
            part_of_table = "egress" if part == "egress" else "ingress"
            missed = [miss for miss in self.misses if (miss.switch, miss.part) == (switch, part_of_table)]
            acted = [miss for miss in missed if miss.default is not None]
            if acted or port != "0":
                # A default action that does nothing neither drops a packet nor chooses a port.
                missed = acted
            # A table that missed for only a few of the packets explains little.
            often = [miss for miss in missed if 2 * miss.misses > drop.packets]
            nothing = "by an entry's action or in its code, not by a table's default action"
            sentences[:0] = map(_missed_lookups, often[:_MAX_TABLES]) if missed else [nothing]
        return f"{text}: {'; '.join(sentences)}" if sentences else text


def add_reason(lines: Sequence[str], why: str | None) -> str:
    """Adds the sentence that explains the losses of a result, if there is one, to the result's
    lines."""
    return "\n".join([*lines, *([] if why is None else [f"Why: {why}"])])


def _missed_lookups(misses: Misses) -> str:
    """Describes the lookups of a table that found no entry, as a part of a sentence."""
    entries = {0: "no entries", 1: "1 entry"}.get(misses.entries, f"{misses.entries} entries")
    default = "" if misses.default is None else f" and ran its default, {misses.default}"
    return f"table {misses.table} ({entries}) missed {_times_text(misses.misses)}{default}"


def _repeated_packets(repeats: Repeats) -> str:
    """Describes the packets that a switch repeats endlessly, as a part of a sentence."""
    each = "it" if repeats.inside == 1 else "them"
    return (
        f"{_packets_text(repeats.inside)} did not leave {repeats.switch}: its program recirculated or "
        f"resubmitted {each} {_times_text(repeats.times)}, and still does"
    )


def _waiting_packets(waiting: Waiting) -> str:
    """Describes the packets that wait for a neighbour, as a part of a sentence."""
    protocol = "NDP" if ":" in waiting.neighbour else "ARP"
    text = f"{waiting.neighbour} has not answered the {protocol} request of {waiting.host} yet"
    if waiting.packets == 0:
        # The kernel does not report how many packets wait.
        return text
    wait = "waits" if waiting.packets == 1 else "wait"
    return f"{text}; {_packets_text(waiting.packets)} {wait} for the answer"


def _explain_on_link(drop: Drop, packets: str) -> str:
    start, _, end = drop.place.partition("->")
    match drop.reason:
        case "queue full":
            return f"the queue at {start}, towards {end}, was full for {packets}"
        case reason if reason == _TOO_LARGE_REASON:
            were = "was" if drop.packets == 1 else "were"
            return f"{packets} {were} larger than the MTU of the link from {start} to {end}"
        case "lost on the wire":
            return f"the link from {start} to {end} lost {packets} on the wire"
        case "link down":
            return f"the link from {start} to {end} was down for {packets}"
        case reason:
            return f"the queue at {start}, towards {end}, dropped {packets}: {reason}"


def _host(place: str) -> str:
    """Returns the name of the node of an interface or port, such as ``h1`` for ``h1-eth0``."""
    return re.sub(r"-(eth|p)\d+$", "", place)


def _hosts_at(place: str) -> set[str]:
    """Returns the names of the hosts at a place, which is a host, a link or a switch; the set is
    empty for a switch."""
    ends = (re.fullmatch(r"(.+)-eth\d+", end) for end in place.split("->"))
    return {end[1] for end in ends if end}


def _packets_text(number: int) -> str:
    return "1 packet" if number == 1 else f"{number} packets"


def _times_text(number: int) -> str:
    return "once" if number == 1 else f"{number} times"

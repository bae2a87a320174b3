"""The record of a packet's journey through a switch: its steps, copies and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from weir._core import Value
from weir.trace.steps import Step

_LAST_STEPS = ("transmitted", "dropped", "multicast")
"""The kinds of steps that end a copy."""


@dataclass(frozen=True)
class Header:
    """A header that the deparser emitted.

    Attributes:
        name: the header instance, such as ``hdr.ipv4``.
        fields: the fields in wire order, each with its width in the packet.
    """

    name: str
    fields: Sequence[Value]


@dataclass(frozen=True)
class Output:
    """A packet that left the switch.

    Attributes:
        copy: number of the copy.
        time_ns: the time when the packet left, in virtual nanoseconds.
        port: the egress port.
        packet: the packet's bytes.
        headers: the headers that the deparser emitted, in order.
    """

    copy: int
    time_ns: int
    port: int
    packet: bytes
    headers: Sequence[Header]


@dataclass(frozen=True)
class Choice:
    """A choice that depends on chance.

    Attributes:
        what: the subject of the choice, such as ``table I.routes, group 0``.
        taken: the option taken, such as ``member 2``.
        option: the number of the option taken, from 0.
        options: number of options.
        usual: the option that the hash or the random generator chooses.
    """

    what: str
    taken: str
    option: int
    options: int
    usual: int


@dataclass
class Copy:
    """A packet in a switch, or a copy of it.

    Attributes:
        number: the number of the packet or copy.
        parent: the number of the packet from which it was copied; ``None`` for the input packet.
        steps: the steps of this copy, in order.
    """

    number: int
    parent: int | None
    steps: list[Step] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether the packet has left, was dropped, or became the copies of a multicast group."""
        return bool(self.steps) and self.steps[-1].kind in _LAST_STEPS

    @property
    def outputs(self) -> list[Output]:
        """The output packet, in a list that is empty if no packet left."""
        found = []
        headers: list[Header] = []
        for step in self.steps:
            if step.kind in ("pass", "dequeued"):
                headers = []
            elif step.kind == "emitted":
                headers.append(Header(step.what["header"], step.what["fields"]))
            elif step.kind == "transmitted":
                found.append(
                    Output(self.number, step.time_ns, step.what["port"], step.what["bytes"], tuple(headers))
                )
        return found


@dataclass(repr=False)
class Record:
    """The data of a :class:`weir.Journey`, which documents the attributes."""

    switch: str
    number: int
    steps: list[Step] = field(default_factory=list)
    copies: dict[int, Copy] = field(default_factory=dict)

    @property
    def root(self) -> Copy:
        """The input packet of the journey."""
        return next(iter(self.copies.values()))

    @property
    def packet(self) -> int:
        """The packet's number in its network."""
        return self.steps[0].packet

    @property
    def ended(self) -> bool:
        """Whether the packet and all its copies have left the switch."""
        return all(copy.ended for copy in self.copies.values())

    @property
    def outputs(self) -> list[Output]:
        """The output packets, in order of time."""
        last = {step.copy: number for number, step in enumerate(self.steps)}
        found = [output for copy in self.copies.values() for output in copy.outputs]
        return sorted(found, key=lambda output: last[output.copy])

    @property
    def _fate(self) -> str:
        """Describes the port at which the packet entered, and its fate, in one line."""
        first = self.root.steps[0]
        came = f"port {first.what['port']}" if "port" in first.what else first.kind
        left = ", ".join(f"port {output.port}" for output in self.outputs)
        if not left:
            left = "dropped" if self.ended else "not ended"
        switch = f"{self.switch}: " if self.switch else ""
        return f"{switch}packet {self.number}, {came} → {left}"

    @property
    def log(self) -> list[tuple[int, str]]:
        """The time and text of each line written by ``log_msg``."""
        return [(step.time_ns, step.what["line"]) for step in self.steps if step.kind == "logged"]

    @cached_property
    def choices(self) -> list[Choice]:
        """The choices that depended on chance, in order. The list is complete once the journey has
        ended."""
        return [found for step in self.steps if (found := _choice(step)) is not None]


def _choice(step: Step) -> Choice | None:
    if step.kind not in ("selected", "drawn") or step.what["choice"] is None:
        return None
    options, option, usual = step.what["choice"]
    if step.kind == "drawn":
        low, high = step.what["low"], step.what["high"]
        what, taken = f"random {low} to {high}", str(step.what["value"])
    else:
        what = f"table {step.what['table']}"
        group, member = step.what["group"], step.what["member"]
        if group is not None:
            what, taken = f"{what}, group {group}", f"member {member}"
        else:
            taken = f"action {member + 1}"
    return Choice(what, taken, option, options, usual)

"""The record of a packet's journey through a switch: its steps, copies and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weir import _core
from weir._core import Choice, Output, Step


@dataclass(frozen=True)
class Copy:
    """A packet in a switch, or a copy of it.

    Attributes:
        number: the number of the packet or copy.
        parent: the number of the packet from which it was copied; ``None`` for the input packet.
        steps: the steps of this copy, in order.
        ended: whether the packet has left, was dropped, or became the copies of a multicast group.
    """

    number: int
    parent: int | None
    steps: Sequence[Step]
    ended: bool


class Record:
    """The data of a :class:`weir.Journey`, which documents the attributes."""

    switch: str = ""
    """The switch's name; empty for a switch outside a network."""

    def __init__(self, core: _core.Journey, switch: str = "") -> None:
        self._core = core
        self._steps: list[Step] = []
        self.switch = switch

    @property
    def number(self) -> int:
        """The packet's number among the traced packets of the switch, from 0."""
        return self._core.number

    @property
    def steps(self) -> list[Step]:
        """All steps in order."""
        self._steps += self._core.steps(len(self._steps))
        return self._steps

    @property
    def copies(self) -> dict[int, Copy]:
        """The packet and its copies by number, the packet first."""
        steps = self.steps
        return {
            number: Copy(number, parent, [steps[position] for position in positions], ended)
            for number, parent, positions, ended in self._core.copies()
        }

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
        return self._core.ended

    @property
    def outputs(self) -> list[Output]:
        """The output packets, in order of time."""
        return self._core.outputs()

    @property
    def _fate(self) -> str:
        """Describes the port at which the packet entered, and its fate, in one line."""
        first = self.steps[0]
        origin = f"port {first.what['port']}" if "port" in first.what else first.kind
        fate = ", ".join(f"port {output.port}" for output in self.outputs)
        if not fate:
            fate = "dropped" if self.ended else "not ended"
        switch = f"{self.switch}: " if self.switch else ""
        return f"{switch}packet {self.number}, {origin} → {fate}"

    @property
    def log(self) -> list[tuple[int, str]]:
        """The time and text of each line written by ``log_msg``."""
        return [(step.time_ns, step.what["line"]) for step in self.steps if step.kind == "logged"]

    @cached_property
    def choices(self) -> list[Choice]:
        """The choices that depended on chance, in order. The list is complete once the journey has
        ended."""
        return self._core.choices()

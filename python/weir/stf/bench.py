"""A switch by itself on the table: packets in, packets out, and each one's journey."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from linecache import getline

from weir import _core
from weir.control.switch import Switch
from weir.network import Profile
from weir.program import Program


@dataclass(frozen=True)
class Output:
    """A packet that left.

    Attributes:
        number: which packet it is or was copied from, counted from 0.
        port: where it left.
        packet: its bytes.
        headers: the headers that the deparser emitted for it, in order.
    """

    number: int
    port: int
    packet: bytes
    headers: tuple[str, ...]


class Bench:
    """A program in a switch without links.

    Args:
        program: what it runs.
        ports: its data-plane ports; packets from and to others are dropped.
        seed: where randomness begins.
    """

    def __init__(self, program: Program, ports: Iterable[int], seed: int = 1) -> None:
        self.program = program
        self._core = _core.Bench(program._core, sorted(set(ports)), seed)
        self.switch = Switch(self._core.control(), "switch", program, Profile.named("default"))
        self._journeys: dict[int, list[_core.Step]] = {}

    def receive(self, port: int, packet: bytes) -> int:
        """Lets a packet in; its number."""
        return self._core.receive(port, packet)

    def settle(self) -> tuple[list[Output], bool]:
        """Works until nothing is left to do, or for a virtual second.

        Returns:
            What left, in order, and whether nothing is left in the switch.
        """
        empty = self._core.settle()
        outputs = []
        for step in self._core.steps():
            journey = self._journeys.setdefault(step.packet, [])
            journey.append(step)
            if step.sent is not None:
                port, packet = step.sent
                outputs.append(Output(step.packet, port, packet, _emitted(journey)))
        return outputs, empty

    def journey(self, number: int) -> list[str]:
        """A packet's journey so far, a line a step, each with its source line where it has one."""
        return [describe(step) for step in self._journeys.get(number, [])]


def _emitted(journey: list[_core.Step]) -> tuple[str, ...]:
    """The headers emitted since the last pass or queue."""
    headers: list[str] = []
    for step in reversed(journey):
        if step.begins:
            break
        if step.emitted is not None:
            headers.append(step.emitted)
    return tuple(reversed(headers))


def describe(step: _core.Step) -> str:
    """A step in words, with its place and the source line there."""
    if step.place is None:
        return f"{step.time:>8} ns  {step.text}"
    file, line, column = step.place
    source = getline(file, line).strip()
    return f"{step.time:>8} ns  {step.text}  [{file}:{line}:{column}] {source}".rstrip()

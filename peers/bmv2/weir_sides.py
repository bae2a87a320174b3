"""Weir's ways of running a program: interpreter and native code on a bench, and a whole network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import weir
from weir.control.switch import Switch
from weir.errors import WeirError
from weir.stf.bench import Bench

Output = tuple[int, bytes]

MAX_PASSES = 200
"""Passes after which a packet with its copies counts as endless."""


class Endless(Exception):
    """Copies of a packet never leave the switch."""


class Side(Protocol):
    """A switch of Weir's with one program."""

    name: str
    switch: Switch

    def send(self, packets: Sequence[tuple[int, bytes]]) -> Iterator[list[Output]]:
        """Sends packets one after the other; yields what leaves for each."""


class OnBench:
    """A switch by itself; its executor is the program's, or the interpreter for traced packets."""

    def __init__(self, program: weir.Program, ports: Sequence[int], *, traced: bool = False) -> None:
        self.name = "traced" if traced else program.executor
        self.bench = Bench(program, ports, within=traced, passes=MAX_PASSES)
        self.switch = self.bench.switch

    def send(self, packets: Sequence[tuple[int, bytes]]) -> Iterator[list[Output]]:
        """Sends packets one after the other; yields what leaves for each."""
        for port, data in packets:
            journey = self.bench.send(port, data)
            outputs = [(output.port, bytes(output.packet)) for _, output in self.bench.take_outputs()]
            if not journey.ended:
                raise Endless(f"copies never leave, {len(outputs)} have left")
            self.bench.forget()
            yield outputs

    def explain(self, port: int, data: bytes) -> str:
        """A packet's journey as text."""
        journey = str(self.bench.send(port, data))
        self.bench.take_outputs()
        self.bench.forget()
        return journey


def run(side: Side, line: str) -> tuple[bool, str]:
    """Runs a runtime command: whether it was taken, and what it printed."""
    try:
        return True, "\n".join(side.switch.runtime.run(line))
    except WeirError as error:
        return False, str(error)

"""Random packets that a parser accepts."""

from __future__ import annotations

from generator.headers import HeaderType
from generator.parsers import ParserModel
from generator.types import Random

PORTS = range(6)
"""Ports of the switches; port 5 only sends."""


class Packets:
    """Makes packets along the paths of a parser, with values that occur in entries and programs."""

    def __init__(self, random: Random, parser: ParserModel) -> None:
        self.random = random
        self.rng = random.rng
        self.parser = parser

    def make(self) -> tuple[int, bytes]:
        """Makes a packet, and chooses its ingress port."""
        data = b""
        name, steps = "start", 0
        while name in self.parser.states and steps < 12:
            state = self.parser.states[name]
            branch = self.rng.choice(state.branches)
            if state.header is not None:
                data += self._header(state.header, branch.wants, state.stretch)
                data += self.rng.randbytes(state.skipped)
            name, steps = branch.next, steps + 1
        data += self.rng.randbytes(self.rng.choice((0, 0, 1, 2, 5, 20, 40)))
        if self.random.chance(0.06):
            data = data[: self.rng.randrange(len(data) + 1)]
        return self.rng.choice(PORTS[:-1]), data or b"\0"

    def _header(self, header: HeaderType, wants: dict[str, int], stretch: int) -> bytes:
        value = width = 0
        size = 0
        for name, type in header.fields:
            one = wants.get(name)
            if one is None:
                one = self.random.number(type.width)
            if name == "size":
                size = one & stretch
            value = value << type.width | one
            width += type.width
        return value.to_bytes(width // 8, "big") + self.rng.randbytes(size)

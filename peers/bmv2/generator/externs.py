"""Statements with v1model's externs."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.expressions import Expressions
from generator.types import Place, Random, Scope, Type

_ALGORITHMS = ("crc32", "crc32_custom", "crc16", "crc16_custom", "identity", "csum16", "xor16")


@dataclass
class Externs:
    """The objects of a control, and statements that use them.

    Attributes:
        declarations: the declarations of the objects, as P4.
        counters: the name, the number of cells and the unit of each counter.
        registers: the name, the width and the number of cells of each register.
        meters: the name and the number of cells of each meter, and whether the meter is direct.
    """

    random: Random
    expressions: Expressions
    declarations: str = ""
    counters: list[tuple[str, int, str]] = field(default_factory=list)
    registers: list[tuple[str, int, int]] = field(default_factory=list)
    meters: list[tuple[str, int]] = field(default_factory=list)

    def declare(self, stateful: bool) -> None:
        """Makes objects; registers and meters only if the order of packets is defined."""
        rng = self.random.rng
        for _ in range(rng.choice((0, 1, 2))):
            name = self.random.name("cnt")
            size = rng.choice((1, 4, 8))
            kind = rng.choice(("packets", "bytes", "packets_and_bytes"))
            self.declarations += f"    counter({size}, CounterType.{kind}) {name};\n"
            self.counters.append((name, size, kind))
        for _ in range(rng.choice((0, 1, 2)) if stateful else 0):
            name = self.random.name("reg")
            type, size = self.random.type(signed=0), rng.choice((1, 4, 16))
            self.declarations += f"    register<{type}>({size}) {name};\n"
            self.registers.append((name, type.width, size))
        if stateful and self.random.chance(0.3):
            name = self.random.name("mtr")
            self.declarations += f"    meter(4, MeterType.{rng.choice(('packets', 'bytes'))}) {name};\n"
            self.meters.append((name, 4))

    def _index(self, scope: Scope, size: int) -> str:
        if size == 1:
            return "0"
        return f"(bit<32>) {self.expressions.make(Type(size.bit_length() - 1), scope, 1)}"

    def _target(self, scope: Scope, least: int = 1) -> Place | None:
        fit = [
            one
            for one in scope.writable
            if one.type.width >= least and not one.type.signed and "[" not in one.text
        ]
        return self.random.rng.choice(fit) if fit else None

    def count(self, scope: Scope, pad: str) -> str | None:
        """Counts the packet."""
        if not self.counters or scope.at == "function":
            return None
        name, size, _ = self.random.rng.choice(self.counters)
        return f"{pad}{name}.count({self._index(scope, size)});\n"

    def register(self, scope: Scope, pad: str) -> str | None:
        """Reads or writes a register."""
        if not self.registers or scope.at == "function":
            return None
        name, width, size = self.random.rng.choice(self.registers)
        index = self._index(scope, size)
        if self.random.chance(0.5):
            return f"{pad}{name}.write({index}, {self.expressions.make(Type(width), scope, 2)});\n"
        fit = [one for one in scope.writable if one.type == Type(width)]
        if fit:
            return f"{pad}{name}.read({self.random.rng.choice(fit).text}, {index});\n"
        place = self._target(scope)
        if place is None:
            return None
        local = self.random.name("v")
        text = f"{pad}bit<{width}> {local};\n{pad}{name}.read({local}, {index});\n"
        return text + f"{pad}{place.text} = {self.expressions.cast(place.type, local, Type(width))};\n"

    def meter(self, scope: Scope, pad: str) -> str | None:
        """Meters the packet."""
        if (
            not self.meters
            or scope.at == "function"
            or not any(one.text == "m.color" for one in scope.writable)
        ):
            return None
        name, size = self.random.rng.choice(self.meters)
        return f"{pad}{name}.execute_meter<bit<2>>({self._index(scope, size)}, m.color);\n"

    def hash(self, scope: Scope, pad: str) -> str | None:
        """Computes a hash of a few fields."""
        rng = self.random.rng
        place = self._target(scope)
        fit = [one for one in scope.readable if one.type.width]
        if place is None or not fit or scope.at not in ("ingress", "egress", "action"):
            return None
        data = [rng.choice(fit).text for _ in range(rng.randrange(1, 5))]
        if self.random.chance(0.2):
            data.append(self.expressions.literal(self.random.type(signed=0)))
        base = self.expressions.literal(Type(rng.choice((8, 16, 32))), rng.randrange(100))
        most = self.expressions.literal(Type(rng.choice((17, 32))), rng.choice((0, 1, 3, 7, 100, 0x10000)))
        return f"{pad}hash({place.text}, HashAlgorithm.{rng.choice(_ALGORITHMS)}, {base}, {{ {', '.join(data)} }}, {most});\n"

    def other(self, scope: Scope, pad: str) -> str | None:
        """Makes a message, an assertion that holds, a random number from one possible value, or a
        digest."""
        rng = self.random.rng
        if scope.at not in ("ingress", "egress"):
            return None
        draw = rng.randrange(4)
        if draw == 0 and scope.readable:
            place = rng.choice([one for one in scope.readable if one.type.width] or [Place("8w1", Type(8))])
            return f'{pad}log_msg("{self.random.name("value")} {{}}", {{ {place.text} }});\n'
        if draw == 1:
            return f"{pad}{rng.choice(('assert', 'assume'))}(h.a.isValid());\n"
        if draw == 2:
            place = self._target(scope)
            if place is not None and place.type.width <= 48:
                value = self.expressions.literal(place.type)
                return f"{pad}random({place.text}, {value}, {value});\n"
        if draw == 3 and scope.at == "ingress":
            return f"{pad}digest<bit<16>>(1, m.inner.x);\n"
        return None


def checksum(random: Random, expressions: Expressions, places: tuple[Place, ...], verify: bool) -> str:
    """A call of the controls that verify and update checksums."""
    rng = random.rng
    fit = [one for one in places if one.type.width]
    data = [rng.choice(fit) for _ in range(rng.randrange(2, 6))]
    words = [one.text for one in data]
    bits = sum(one.type.width for one in data)
    if bits % 16:
        words.append(expressions.literal(Type(16 - bits % 16), 0))
    name = ("verify" if verify else "update") + "_checksum" + ("_with_payload" if random.chance(0.3) else "")
    condition = "h.a.isValid()" if verify else "h.r.isValid() && h.a.isValid()"
    if random.chance(0.4):
        condition += f" && {expressions.boolean(Scope(places, (), (), (), 'checksum'), 1)}"
    algorithm = rng.choice(("csum16", "csum16", "csum16", "crc16", "xor16"))
    if verify:
        sixteen = [one.text for one in places if one.type == Type(16)]
        if not sixteen:
            return ""
        return f"        {name}({condition}, {{ {', '.join(words)} }}, {rng.choice(sixteen)}, HashAlgorithm.{algorithm});\n"
    return f"        {name}({condition}, {{ {', '.join(words)} }}, h.r.small, HashAlgorithm.{algorithm});\n"

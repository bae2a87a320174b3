"""Types of values, and the places that code can see."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

WIDTHS = (1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 100, 127, 128)


@dataclass(frozen=True)
class Type:
    """``bit<width>``, ``int<width>``, or ``bool`` if the width is 0."""

    width: int
    signed: bool = False

    def __str__(self) -> str:
        if not self.width:
            return "bool"
        return f"{'int' if self.signed else 'bit'}<{self.width}>"


BOOL = Type(0)


@dataclass(frozen=True)
class Place:
    """A variable, field or parameter that code can name, with its type."""

    text: str
    type: Type


@dataclass(frozen=True)
class Scope:
    """The places and headers that code can use at a point of the program.

    Attributes:
        readable: the places that it can read.
        writable: the places that it can write.
        headers: instances whose validity it may change.
        tests: instances whose validity it may ask for.
        types: the names of the types of instances that can be compared.
        at: ``parser``, ``ingress``, ``egress``, ``action`` or ``function``.
    """

    readable: tuple[Place, ...] = ()
    writable: tuple[Place, ...] = ()
    headers: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    at: str = "ingress"
    types: dict[str, str] = field(default_factory=dict)

    def with_places(self, *places: Place, write: bool = True) -> Scope:
        """This scope with more places."""
        return replace(
            self, readable=self.readable + places, writable=self.writable + (places if write else ())
        )

    def with_instance(self, instance: str, places: Iterable[Place]) -> Scope:
        """The scope in which an instance is known to be valid: it has the instance's fields, and
        cannot change its validity."""
        others = tuple(one for one in self.headers if root(one) != root(instance))
        return replace(self.with_places(*places), headers=others)

    def with_fixed_headers(self) -> Scope:
        """The scope in which no header may change its validity."""
        return replace(self, headers=())


def root(instance: str) -> str:
    """The instance, stack or union that a header belongs to; the headers of a stack or union change
    together."""
    return ".".join(instance.split("[")[0].split(".")[:2])


@dataclass
class Random:
    """The choices of a program, and the values that it prefers.

    Attributes:
        rng: the source of all random numbers.
    """

    rng: random.Random
    _pools: dict[int, list[int]] = field(default_factory=dict)
    _names: int = 0

    def name(self, prefix: str) -> str:
        """A new name."""
        self._names += 1
        return f"{prefix}{self._names}"

    def chance(self, share: float) -> bool:
        """True with that probability."""
        return self.rng.random() < share

    def type(self, signed: float = 0.25, widths: Iterable[int] = WIDTHS) -> Type:
        """Chooses a numeric type."""
        width = self.rng.choice(tuple(widths))
        return Type(width, width > 1 and self.chance(signed))

    def pool(self, width: int) -> list[int]:
        """The values of that width that entries, constants and packets share."""
        if width not in self._pools:
            top = (1 << width) - 1
            some = [0, 1, top, top >> 1, *(self.rng.getrandbits(width) for _ in range(4))]
            self._pools[width] = sorted({one & top for one in some})
        return self._pools[width]

    def number(self, width: int) -> int:
        """Chooses a value of that width, mostly one of the pool."""
        return self.rng.choice(self.pool(width)) if self.chance(0.8) else self.rng.getrandbits(width)

"""A case: inputs made from a seed, and checks of Weir's behaviour with these inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


class Failed(AssertionError):
    """Weir broke its promise."""


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        kind: the generator that made it.
        run: gives the input to Weir in an empty folder. Returns a word about the outcome; raises
            `Failed`, or anything else, if Weir did not keep its promise.
        inputs: the files to write if the case fails, by name.
    """

    kind: str
    run: Callable[[Path], str]
    inputs: Mapping[str, str | bytes] = field(default_factory=dict)


Maker = Callable[[random.Random], Case]
"""Makes a case; the same random numbers make the same case."""


@dataclass(frozen=True)
class Class:
    """A class of hostile input.

    Attributes:
        name: its name.
        makers: generators, by the kind of case that they make, with weights.
        cpu_seconds: processor time that a case may take.
        wall_seconds: the time without a second of processor time after which a case hangs.
        megabytes: resident memory that a case may use.
        cost: the number of cases of other classes that take the same time; the number of cases is
            divided by it.
    """

    name: str
    makers: Mapping[str, tuple[float, Maker]]
    cpu_seconds: float = 20.0
    wall_seconds: float = 240.0
    megabytes: int = 2048
    cost: int = 1

    def make(self, seed: int, number: int, kind: str | None = None) -> Case:
        """The case of this seed and number, of any kind or of the given kind."""
        chance = random.Random(f"{self.name} {seed} {number}")
        kinds = list(self.makers)
        chosen = chance.choices(kinds, [weight for weight, _ in self.makers.values()])[0]
        return self.makers[kind or chosen][1](chance)

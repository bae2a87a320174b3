"""A switch by itself on the table: packets in, their journeys out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weir import _core
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.program import Program
from weir.trace.journey import Journey, Journeys
from weir.trace.record import Output
from weir.trace.steps import read

MAX_PASSES = 10_000
"""Passes after which tests give a packet up."""


class Bench:
    """A program in a switch without links.

    Args:
        program: what it runs.
        ports: its data-plane ports; packets from and to others are dropped.
        seed: where randomness begins.
        passes: passes through ingress after which a packet with its copies is given up.
        within: whether journeys tell what happens within the blocks. The interpreter then runs all
            packets, since native code tells nothing; otherwise the program's executor does.

    Attributes:
        lost_steps: steps of journeys that were too many to keep.
    """

    def __init__(
        self,
        program: Program,
        ports: Iterable[int],
        seed: int = 1,
        passes: int = MAX_PASSES,
        *,
        within: bool = True,
    ) -> None:
        self.program = program
        self._passes = passes
        self._core = _core.TestSwitch(program._core, sorted(set(ports)), seed, within)
        self.switch = Switch(self._core.control(), "switch", program, Profile.named("default"))
        self._journeys = Journeys()
        self._left: list[tuple[Journey, Output]] = []
        self.lost_steps = 0

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the start."""
        return self._core.now()

    def want_choices(self, options: Sequence[int]) -> None:
        """Selects these options at the next undefined outcomes.

        When they are used up, hashes and the random generator decide.
        """
        self._core.want_choices(list(options))

    def send(self, port: int, packet: bytes) -> Journey:
        """Sends a packet in and runs the switch until the packet has left with all its copies.

        Runs for at most a virtual second and the maximum number of passes. Returns the packet's
        journey, which has not ended if a part of it is still in the switch.
        """
        self._core.receive(port, packet)
        self._core.settle(self._passes)
        self._read()
        return next(reversed(self._journeys.under_way.values()))

    def settle(self) -> bool:
        """Runs until the switch is empty, for at most as long as :meth:`send` does.

        Returns whether it is empty.
        """
        empty = self._core.settle(self._passes)
        self._read()
        return empty

    def run_until(self, time_ns: int) -> None:
        """Lets virtual time pass up to then."""
        self._core.run_until(time_ns)
        self._read()

    def take_outputs(self) -> list[tuple[Journey, Output]]:
        """What has left since the last call, in order, each with the journey that it belongs to."""
        taken, self._left = self._left, []
        return taken

    def forget(self) -> None:
        """Forgets the journeys that have ended."""
        self._journeys.take_ended()

    def _read(self) -> None:
        steps, lost = self._core.steps()
        self.lost_steps += lost
        for step in map(read, steps):
            journey = self._journeys.add(step)
            if journey is not None and step.kind == "transmitted":
                self._left.append((journey, journey.copies[step.copy].outputs[-1]))

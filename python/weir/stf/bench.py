"""A switch without a network for tests: records the journeys of the packets that are sent into the
switch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weir import _core
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.program import Program
from weir.trace.journey import Journey

MAX_PASSES = 10_000
"""The number of passes through ingress after which a packet is abandoned in tests."""


class Bench:
    """A switch without links that runs a program.

    Args:
        program: the program of the switch.
        ports: the switch's data-plane ports; packets from and to other ports are dropped.
        seed: the seed of the random numbers.
        passes: passes through ingress after which a packet and its copies are abandoned.
        block_steps: whether journeys include steps within the blocks. The interpreter then runs all
            packets, since native code does not report these steps; otherwise the program's executor
            runs them.

    Attributes:
        lost_steps: the number of steps that were not recorded because journeys exceeded the limit.
    """

    def __init__(
        self,
        program: Program,
        ports: Iterable[int],
        seed: int = 1,
        passes: int = MAX_PASSES,
        *,
        block_steps: bool = True,
    ) -> None:
        self.program = program
        self._passes = passes
        self._core = _core.TestSwitch(program._core, sorted(set(ports)), seed, block_steps)
        self.switch = Switch(self._core.control(), "switch", program, Profile.named("default"))
        self._journeys = _core.Journeys()
        self._left: list[_core.Output] = []
        self.lost_steps = 0

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the start."""
        return self._core.now()

    def want_choices(self, options: Sequence[int]) -> None:
        """Sets the options to take at the next choices that depend on chance.

        For later choices, hashes and the random generator decide.
        """
        self._core.want_choices(list(options))

    def send(self, port: int, packet: bytes) -> Journey:
        """Sends a packet into the switch, and runs the switch until the packet and its copies have
        left.

        Runs for at most a virtual second and the maximum number of passes. Returns the packet's
        journey, which has not ended if a part of it is still in the switch.
        """
        self._core.receive(port, packet)
        self._core.settle(self._passes)
        self._read()
        journey = self._journeys.last()
        assert journey is not None, "the first step of a packet is never lost"
        return Journey(journey)

    def settle(self) -> bool:
        """Runs until the switch is empty, with the time limit of :meth:`send`; returns whether the
        switch is empty."""
        empty = self._core.settle(self._passes)
        self._read()
        return empty

    def run_until(self, time_ns: int) -> None:
        """Runs until a virtual time."""
        self._core.run_until(time_ns)
        self._read()

    def take_outputs(self) -> list[_core.Output]:
        """Returns the packets that have left since the last call, in order."""
        taken, self._left = self._left, []
        return taken

    def forget(self) -> None:
        """Forgets the journeys that have ended."""
        self._journeys.take_ended()

    def _read(self) -> None:
        packets, lost = self._core.read_journeys(self._journeys)
        self.lost_steps += lost
        self._left += packets

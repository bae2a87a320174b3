"""A session: a virtual network that runs, steps, and goes back in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final

from weir import units
from weir.errors import NetworkError, WeirError
from weir.ui.frames import Frames
from weir.ui.traces import Traces

if TYPE_CHECKING:
    from weir.network import Network
    from weir.ui.actions import Action, Line, Prompt

SLOWEST: Final = 1e-6
FASTEST: Final = 10.0
"""The limits of the speed, in virtual seconds for each second."""

TRACED: Final = 0.01
"""The highest speed at which packets are traced, in virtual seconds for each second."""

_SLICE_S: Final = 0.04
"""The maximum time in seconds that one call of :meth:`Session.tick` runs the network."""

_STEP_S: Final = 1.0
"""The maximum time in seconds that one call of :meth:`Session.step` runs the network."""

_MAX_NANOS: Final = (1 << 53) - 1
"""The latest time of a session in nanoseconds, 104 days: a page has no larger whole numbers."""

_MAX_LINES: Final = 5000
"""The maximum number of texts that prompts keep, the newest."""


@dataclass(frozen=True)
class _Logged:
    """An action with its time in virtual nanoseconds."""

    time_ns: int
    action: Action


class Session:
    """A virtual network that a user watches and changes.

    The network is run only by :meth:`tick`, in short slices, so one thread can also answer the
    user. To go back, a session builds the network again, and repeats all actions up to that
    time. Later actions are repeated too when the network reaches their time, unless the user acts
    before.

    Args:
        make: builds the network, which must be virtual, with the same result in each call.
        make_prompt: returns the commands of a network's hosts.

    Raises:
        NetworkError: the network has no links.

    Attributes:
        network: the network.
        frames: the frames on its links.
        traces: the traces of packets, recorded while the speed is at most ``TRACED``, also in
            steps.
        lines: the newest texts at the prompts of all hosts.
        printed: the number of texts so far, of which :attr:`lines` has the newest.
        playing: whether virtual time advances.
        speed: the number of virtual seconds for each second.
        skips: whether time without any packet on a link or in a queue is skipped while playing.
        reach_ns: the latest time that the session has had, in virtual nanoseconds.
        generation: how often the session went back in time.
        jumps: how often virtual time advanced without following the speed.
        error: the reason why the network stopped; empty if it did not fail.
    """

    def __init__(self, make: Callable[[], Network], make_prompt: Callable[[Network], Prompt]) -> None:
        self._make, self._make_prompt = make, make_prompt
        self._log: list[_Logged] = []
        self._goal_ns: int | None = None
        self.playing, self.speed, self.skips = True, 1e-3, True
        self.generation = self.jumps = self.reach_ns = 0
        self.error = ""
        self._begin(self._build())

    def _build(self) -> Network:
        network = self._make()
        if not network.links:
            network.close()
            raise NetworkError("the topology has no links, so there are no packets to show: add a link")
        return network

    def _begin(self, network: Network) -> None:
        self.network, self._prompt = network, self._make_prompt(network)
        self.frames = Frames(network)
        self.traces = Traces(network, self.frames)
        self.lines: list[Line] = []
        self.printed = 0
        # The core would run to the end of time after the last event; a sample at the end stops it.
        network._core.sample(network._nodes.places(self.frames.ends[0])[1], _MAX_NANOS)
        self._applied = 0
        self._ahead = 0.0
        self.mark = network._clock.losses.mark()

    @property
    def now_ns(self) -> int:
        """The virtual time in nanoseconds."""
        return self.network.now_ns

    @property
    def is_busy(self) -> bool:
        """Whether time advances: the network plays, or runs to a time that the user chose."""
        return self.playing or self._goal_ns is not None

    @property
    def is_rerun(self) -> bool:
        """Whether the network runs to a time that the user chose."""
        return self._goal_ns is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to happen until the user acts."""
        return not self._has_events() and self._next_ns() is None

    def _has_events(self) -> bool:
        return self.network.resource_usage()["events"] > 0

    def play(self, speed: float) -> None:
        """Lets virtual time advance.

        Raises:
            NetworkError: the speed is not from 1e-6 to 10.
        """
        if not (math.isfinite(speed) and SLOWEST <= speed <= FASTEST):
            raise NetworkError(
                f"speed: {speed:g}; expected {SLOWEST:g} to {FASTEST:g} virtual seconds a second"
            )
        self.speed, self.playing, self.error = speed, True, ""
        self._ahead = 0.0

    def pause(self) -> None:
        """Stops virtual time."""
        self.playing, self._goal_ns = False, None

    def step(self, by: str) -> None:
        """Runs the network to its next event, or until a packet leaves or arrives at a link.

        Raises:
            NetworkError: ``by`` is neither ``event`` nor ``packet``.
        """
        if by not in ("event", "packet"):
            raise NetworkError(f'step: expected event or packet, found "{by}"')
        self.pause()
        self.error = ""
        self._guarded(lambda: self._skip(by, _STEP_S))
        self.jumps += 1

    def go(self, time_ns: int) -> None:
        """Begins to run to a time, which may have passed. :meth:`tick` continues.

        Raises:
            NetworkError: the time is negative or more than 104 days.
        """
        if not 0 <= time_ns <= _MAX_NANOS:
            raise NetworkError(f"time: {time_ns} ns; expected 0 to {_MAX_NANOS}")
        self.playing, self.error = False, ""
        if time_ns < self.now_ns:
            network = self._build()
            self.network.close()
            self._begin(network)
            self.generation += 1
        self._goal_ns = time_ns

    def act(self, action: Action) -> None:
        """Changes the network now. Later actions, from before the session went back, are forgotten.

        Raises:
            WeirError: the change is refused, and nothing has changed.
        """
        if self._goal_ns is not None:
            raise NetworkError("the network still runs to the chosen time: wait until it is there")
        # When the session goes back, all events of this time come before the action.
        self._run(self.now_ns, None)
        self._apply(action)
        self._log[self._applied :] = [_Logged(self.now_ns, action)]
        self._applied += 1
        self.reach_ns = self.now_ns
        self.error = ""

    def tick(self, elapsed_s: float) -> None:
        """Runs the network for the time that has elapsed, at the session's speed.

        Args:
            elapsed_s: the seconds since the last call.
        """
        self._guarded(lambda: self._advance(elapsed_s))

    def close(self) -> None:
        """Closes the network."""
        self.network.close()

    def _guarded(self, run: Callable[[], None]) -> None:
        """Runs the network; after an error, it is paused, and :attr:`error` has the reason."""
        try:
            run()
        except WeirError as error:
            self.pause()
            self.error = str(error)
        self.reach_ns = max(self.reach_ns, self.now_ns)

    def _advance(self, elapsed_s: float) -> None:
        deadline = monotonic() + _SLICE_S
        if self._goal_ns is not None:
            self.jumps += 1
            if self._run(self._goal_ns, deadline):
                self._goal_ns = None
            return
        if not self.playing:
            return
        if self.skips and self._is_quiet():
            if not self.is_idle:
                self.jumps += 1
                self._skip("packet", _SLICE_S)
            return
        # At slow speeds, an interval may be less than a nanosecond.
        self._ahead += min(elapsed_s, 0.25) * self.speed * 1e9
        span = int(self._ahead)
        self._ahead -= span
        if self.now_ns + span > _MAX_NANOS:
            raise NetworkError(f"the session ends at {units.format_time(_MAX_NANOS)}")
        self._run(self.now_ns + span, deadline)

    def _is_quiet(self) -> bool:
        """Returns whether no packet is on a link."""
        return not self.frames.flying(self.now_ns) and not self.network.resource_usage()["frames"]

    def _skip(self, by: str, limit_s: float) -> None:
        """Runs single events until one has happened or, by packets, a packet has left or arrived.

        Stops at actions that are repeated, if nothing is left to happen, and after ``limit_s``
        seconds.
        """
        deadline = monotonic() + limit_s
        events, seen = self.network.events, self.frames.seen

        def is_done() -> bool:
            self.frames.collect()
            if by == "event" and self.network.events > events:
                return True
            if self.frames.seen > seen or monotonic() > deadline:
                return True
            return not self._has_events() and self._next_ns() is None

        due = self._next_ns()
        if self.is_idle:
            return
        self.network.on_event = _do_nothing  # One event at a time.
        try:
            reached = self._run_clock(_MAX_NANOS if due is None else due, is_done)
        finally:
            self.network.on_event = None
        if reached:
            self._repeat_action()

    def _next_ns(self) -> int | None:
        """Returns the time of the next action to repeat."""
        return self._log[self._applied].time_ns if self._applied < len(self._log) else None

    def _run(self, until_ns: int, deadline: float | None) -> bool:
        """Runs to a time, and repeats the actions that are due; ``False`` if the deadline came
        first."""

        def is_late() -> bool:
            return deadline is not None and monotonic() > deadline

        while True:
            due = self._next_ns()
            goal = until_ns if due is None else min(until_ns, due)
            if not self._run_clock(goal, is_late):
                return False
            # As at first, all events of this time come before the next action.
            if not self._repeat_action() and self.now_ns >= until_ns:
                return True

    def _run_clock(self, until_ns: int, done: Callable[[], bool]) -> bool:
        """Runs until all events up to a time have happened; ``False`` if ``done`` came first."""
        self.traces.record(self._goal_ns is None and self.speed <= TRACED)
        try:
            return self.network._clock.run(until_ns, done=done)
        finally:
            self.frames.collect()
            self.traces.collect()
            self._print(self._prompt.poll())

    def _repeat_action(self) -> bool:
        """Repeats the next action if its time has come; returns whether there was one."""
        due = self._next_ns()
        if due is None or due > self.now_ns:
            return False
        action = self._log[self._applied].action
        self._applied += 1
        with suppress(WeirError):  # The action was accepted in the same state before.
            self._apply(action)
        return True

    def _apply(self, action: Action) -> None:
        self.mark = self.network._clock.losses.mark()
        self._print(action.apply(self.network, self._prompt))

    def _print(self, lines: Sequence[Line]) -> None:
        self.printed += len(lines)
        self.lines += lines
        del self.lines[:-_MAX_LINES]


def _do_nothing() -> None:
    pass

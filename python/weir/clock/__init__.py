"""The virtual clock of a network.

The clock runs the network until a time or an event, and pauses for scheduled actions and callbacks.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol, assert_never

from weir import _core, units
from weir.clock import loops
from weir.errors import NetworkError
from weir.errors.checks import check_call
from weir.measure.loss_account import LossAccount
from weir.system import meter
from weir.system.interrupt import Interruption

if TYPE_CHECKING:
    from weir import _core_contracts as cores

# The number of events between two reports of progress; they take about a twentieth of a second of
# real time.
_SLICE_EVENTS = 20_000

# The number of slices in which time may fail to advance. A million events in the same nanosecond
# are an endless loop.
_MAX_SLICES_WITHOUT_TIME = 50

MAX_NANOS = (1 << 63) - 1
"""The latest virtual time that the clock can show, in nanoseconds."""


Progress = Callable[[int, int], None]
"""A function that is called repeatedly during a long run, with the finished and the total
amount."""


class Pace(Protocol):
    """The interface of :class:`weir.RealTime`, with which real time limits runs."""

    def _begin(self) -> None:
        """Notes that a run begins."""

    def _limit(self) -> int:
        """Returns the virtual time that corresponds to the current real time."""

    def _wait(self, span_ns: int) -> None:
        """Sleeps at the limit, for a tick or for a shorter span of virtual time."""


class Clock:
    """The clock of a network.

    Args:
        core: the network.
        is_real: whether time is real and also advances between calls.
        threads: the maximum number of threads of the simulation.

    Attributes:
        on_event: a function to call after each event, or ``None``. It makes runs slow.
        shows_progress: whether long calls show their progress; ``None`` for the setting of
            :func:`weir.progress`.
        is_real: whether time is real and also advances between calls.
        pace: the limit of runs by real time; ``None`` if runs are as fast as possible.
        losses: the account of drops.
    """

    def __init__(self, core: cores.Network, is_real: bool = False, threads: int = 1) -> None:
        self._core = core
        self.is_real = is_real
        # Several threads are worth their start only in a long slice.
        self._slice_events = _SLICE_EVENTS if threads == 1 else 20 * _SLICE_EVENTS
        self.losses = LossAccount(core, is_real)
        self.on_event: Callable[[], None] | None = None
        self.shows_progress: bool | None = None
        self.pace: Pace | None = None
        self._meter: meter.Meter | None = None
        self._scheduled: list[tuple[int, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._deliveries: list[Callable[[], None]] = []
        self._checks: list[Callable[[], None]] = []
        self._running = False
        # Whether a callback raised an exception during the last delivery.
        self._delivering = False
        self._stopped = False

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._core.now()

    def at(self, time_ns: int, action: Callable[[], object]) -> None:
        """Schedules an action at a time.

        The action is called after all events of that time, and after actions that were scheduled
        earlier for the same time.

        Raises:
            NetworkError: the time has passed or is beyond the clock's end, or the action cannot be
                called.
        """
        check_call("action", action, "lambda: flow.stop()")
        if time_ns < self.now_ns:
            now = units.format_time(self.now_ns)
            raise NetworkError(f"{units.format_time(time_ns)} has passed: the current time is {now}")
        self._check_end(time_ns)
        heapq.heappush(self._scheduled, (time_ns, next(self._order), action))

    def stop(self) -> bool:
        """Stops the clock; returns ``False`` if it was stopped before."""
        was_open, self._stopped = not self._stopped, True
        return was_open

    def check_open(self) -> None:
        """Refuses calls after the network is closed.

        Raises:
            NetworkError: the network is closed.
        """
        if self._stopped:
            raise NetworkError("the network is closed")

    def add_delivery(self, deliver: Callable[[], None]) -> None:
        """Registers a function to call when a run stops because something has arrived for a
        program."""
        self._deliveries.append(deliver)

    def remove_delivery(self, deliver: Callable[[], None]) -> None:
        """Removes a function that :meth:`add_delivery` registered."""
        self._deliveries.remove(deliver)

    def add_check(self, check: Callable[[], None]) -> None:
        """Registers a function to call often during a run, with or without events."""
        self._checks.append(check)

    def remove_check(self, check: Callable[[], None]) -> None:
        """Removes a function that :meth:`add_check` registered."""
        self._checks.remove(check)

    def run_for(self, span_ns: int, progress: Progress | None) -> None:
        """Runs for a span of time, and reports progress.

        Raises:
            NetworkError: as in :meth:`run`, or the clock would reach its end.
        """
        start = self.now_ns
        self._check_end(start + span_ns)

        def report() -> None:
            if progress is not None:
                progress(self.now_ns - start, span_ns)

        self.run(start + span_ns, report=report)

    def run_live(self, span_ns: int | None, done: Callable[[], bool] | None) -> None:
        """Runs for a span of time, or until ``done`` returns ``True``, without showing progress.

        Raises:
            NetworkError: as in :meth:`run_for`.
        """
        end = MAX_NANOS if span_ns is None else self.now_ns + span_ns
        self._check_end(end)
        self.run(end, done=done or _return_false)

    def run(
        self,
        until_ns: int,
        traffic: cores.Traffic | None = None,
        report: Callable[[], None] | None = None,
        done: Callable[[], bool] | None = None,
    ) -> bool:
        """Runs until ``until_ns``, or until some traffic has finished.

        Args:
            until_ns: the latest time.
            traffic: the traffic that must finish; ``None`` to run until the time.
            report: a function to call repeatedly, and at the end.
            done: a function to call repeatedly; the run ends when it returns ``True``. Such a run
                shows no progress.

        Returns:
            Whether the traffic finished, or the time was reached without traffic to wait for.

        Raises:
            NetworkError: the method was called during a run, by an action, a program or a callback;
                or the network is closed.
        """
        self.check_open()
        if self._running:
            raise NetworkError(
                "the network is already running: an action, a program or a callback cannot run it"
            )
        self._running = True
        try:
            display = self.call(until_ns) if done is None else nullcontext()
            with display, Interruption() as interruption:
                return self._run(
                    until_ns, traffic, report or _do_nothing, done or _return_false, interruption
                )
        finally:
            self._running = False
            self.losses.time_passed()

    @contextmanager
    def call(self, end_ns: int | None = None) -> Iterator[None]:
        """Returns a context for a call that runs the network once or several times and shows its
        progress.

        There is no progress in real time, because the call takes the requested time.

        Args:
            end_ns: the time at which the call is expected to end.
        """
        shows_meter = meter.is_shown() if self.shows_progress is None else self.shows_progress
        if not shows_meter or self._meter is not None or self.pace is not None:
            yield
            return
        end_ns = None if end_ns is None or end_ns >= MAX_NANOS else end_ns
        self._meter = meter.Meter(self.now_ns, end_ns, self.is_real)
        try:
            yield
        finally:
            self._meter.close(self.now_ns)
            self._meter = None

    def _run(
        self,
        until_ns: int,
        traffic: cores.Traffic | None,
        report: Callable[[], None],
        done: Callable[[], bool],
        interruption: Interruption,
    ) -> bool:
        slices_without_time, last = 0, self.now_ns
        pace = self.pace
        if pace is not None:
            pace._begin()
        if self._delivering:
            self._deliver()
        # A callback may close the network.
        while not self._stopped and not done():
            interruption.check()
            for check in self._checks:
                check()
            due = self._scheduled[0][0] if self._scheduled else MAX_NANOS
            goal = min(until_ns, due)
            # The time until which the run may go: the limit of real time, the next action or the
            # end.
            early = 0 if pace is None else max(0, goal - pace._limit())
            goal -= early
            events = self._slice_events if self.on_event is None else 1
            reason = self._core.run(goal, traffic, events, interruption.is_pending)
            if self.on_event is not None:
                self.on_event()
            if reason == "requested":
                self._deliver()
            report()
            if self._meter is not None:
                self._meter.update(self.now_ns)
            time_stopped = reason == "event_limit" and last == self.now_ns
            slices_without_time, last = (slices_without_time + 1 if time_stopped else 0), self.now_ns
            if slices_without_time > _MAX_SLICES_WITHOUT_TIME and self.on_event is None:
                raise NetworkError(
                    f"time does not advance at {units.format_time(last)}: there is an endless loop "
                    "without delays, such as TCP over links without rate and delay; set the rate or "
                    "the delay of a link"
                )
            match reason:
                case "reached" if traffic is not None:
                    return True
                case "reached" | "time_limit":
                    if self._run_actions(goal):
                        continue
                    if pace is None or not early:
                        return traffic is None
                    pace._wait(early)
                case "no_events":
                    # There are no more events, but an action may be scheduled.
                    if due > until_ns:
                        return False
                    self._core.run(goal, None, events, interruption.is_pending)
                    if not self._run_actions(goal) and pace is not None:
                        pace._wait(early)
                case "event_limit" | "requested":
                    pass
                case "loop":
                    loops.report(self._core.take_loop())
                case "sample_limit":
                    raise NetworkError(
                        f"a sampler has {_core.MAX_SAMPLES} samples of an end at "
                        f"{units.format_time(self.now_ns)}, which is the maximum: sample less often"
                    )
                case _:
                    assert_never(reason)
        return False

    def _deliver(self) -> None:
        """Calls the functions that :meth:`add_delivery` registered.

        If a function raises an exception, all functions are called again before time advances.
        """
        self._delivering = True
        for deliver in tuple(self._deliveries):
            deliver()
        self._delivering = False

    def _run_actions(self, time_ns: int) -> bool:
        """Calls the actions scheduled up to a time; returns whether there were any."""
        acted = False
        while self._scheduled and self._scheduled[0][0] <= time_ns:
            acted = True
            heapq.heappop(self._scheduled)[2]()
        return acted

    def _check_end(self, time_ns: int) -> None:
        if time_ns > MAX_NANOS:
            now = units.format_time(self.now_ns)
            raise NetworkError(f"the time is beyond the end of the clock: the current time is {now}")


def _do_nothing() -> None:
    pass


def _return_false() -> bool:
    return False

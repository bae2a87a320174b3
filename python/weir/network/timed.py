"""The time of a network: reading it, running the network, scheduling actions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from weir import units
from weir.clock import Clock, Progress
from weir.clock.realtime import RealTime
from weir.errors import NetworkError, shown
from weir.errors.checks import check_call, check_calls
from weir.flows import Flow


class Timed:
    """The part of :class:`weir.Network` that has to do with its virtual clock."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._clock.now_ns

    @property
    def now(self) -> float:
        """Virtual seconds since the network's start."""
        return self.now_ns / 1e9

    @property
    def on_event(self) -> Callable[[], None] | None:
        """Called after each event, if set: to watch a run. It makes runs slow."""
        return self._clock.on_event

    @on_event.setter
    def on_event(self, call: Callable[[], None] | None) -> None:
        self._clock.on_event = call

    def run_for(self, duration: str, progress: Progress | None = None) -> None:
        """Lets virtual time pass.

        Args:
            duration: the time to pass, such as ``"1s"``.
            progress: called repeatedly with the nanoseconds passed and the nanoseconds in total.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed.
        """
        self._clock.check_open()
        span = units.time_ns(duration, "duration", "s")
        check_calls(progress=progress)
        self._clock.run_for(span, progress)

    def real_time(self, speed: float = 1.0) -> RealTime:
        """Lets virtual time pass no faster than the wall clock, for controllers elsewhere.

        >>> with net.real_time():                                       # doctest: +SKIP
        ...     net.host("h1").ping("h2", count=3)                      # takes two seconds

        Between calls, the network is paused. A run of this kind depends on the computer and does
        not repeat exactly. If the computer cannot keep up, a :class:`weir.errors.WeirWarning` at
        the end says how far virtual time is behind; :attr:`RealTime.behind_ns` says so earlier.

        Args:
            speed: virtual seconds in a second, such as 0.5 for half the speed; 1e-6 to 1e6.

        Returns:
            A context manager.

        Raises:
            NetworkError: the speed is not such a number.
        """
        if speed != 1 and self._clock.is_real:
            raise NetworkError("speed: time is that of the clock in the Linux world: leave it out")
        return RealTime(self._clock, speed)

    def run_real_time(
        self, duration: str | None = None, speed: float | None = None, until: Callable[[], bool] | None = None
    ) -> None:
        """Lets virtual time pass as the wall clock does, so that controllers elsewhere can act.

        It ends after a duration, when ``until`` returns True, or with Ctrl-C.

        Args:
            duration: how much virtual time, such as ``"10s"``; without end by default.
            speed: virtual seconds in a second; by default that of :meth:`real_time` within such a
                block, else 1.
            until: a function to call about a thousand times a second, such as ``event.is_set`` of a
                :class:`threading.Event`.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed or runs already, or the speed is not a number from
                1e-6 to 1e6.
        """
        self._clock.check_open()
        span = None if duration is None else units.time_ns(duration, "duration", "s")
        if until is not None:
            check_call("until", until, "event.is_set")
        pace = self._clock.pace if speed is None else None
        with nullcontext() if pace is not None else self.real_time(1.0 if speed is None else speed):
            self._clock.run_live(span, until)

    def at(self, time: str, action: Callable[[], object]) -> None:
        """Schedules an action at a virtual time, such as ``net.at("15s", lambda: …)``.

        It is called after all packets and timers of that time, and may do anything except run the
        network. An exception it raises ends the run and is raised where the network was run.

        Args:
            time: the time from the network's start, such as ``"15s"``.
            action: the function to call.

        Raises:
            UnitError: the time cannot be read.
            NetworkError: the time has passed.
        """
        self._clock.check_open()
        self._clock.at(units.time_ns(time, "time", "s"), action)

    def after(self, delay: str, action: Callable[[], object]) -> None:
        """Schedules an action after a delay from now: ``net.after("5s", …)``."""
        self._clock.check_open()
        self._clock.at(self.now_ns + units.time_ns(delay, "delay", "s"), action)

    def wait(self, *flows: Flow[object], progress: Progress | None = None) -> None:
        """Lets time pass until all these flows have finished.

        Args:
            flows: the flows to wait for.
            progress: called repeatedly with the number of flows that have finished and the number
                of flows.

        Raises:
            NetworkError: a flow could not start, or cannot finish.
        """
        check_calls(progress=progress)

        def report() -> None:
            if progress is not None:
                progress(sum(flow.finished for flow in flows), len(flows))

        for flow in flows:
            if not isinstance(flow, Flow):
                raise NetworkError(
                    f"{shown(flow)} is not a flow: expected what start_… methods return, as separate arguments"
                )
        with self._clock.call():
            for flow in flows:
                flow.wait(report)

"""The clock of a network, which runs the network and schedules actions."""

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
    """The part of :class:`weir.Network` that runs the network and schedules actions."""

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
        """A function to call after each event, to watch a run; ``None`` for none.

        Such a function makes runs slow.
        """
        return self._clock.on_event

    @on_event.setter
    def on_event(self, call: Callable[[], None] | None) -> None:
        self._clock.on_event = call

    def run_for(self, duration: str, progress: Progress | None = None) -> None:
        """Runs the network for a virtual time.

        Args:
            duration: the virtual time to run, such as ``"1s"``.
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
        """Makes virtual time run no faster than real time within a block, for controllers in other
        processes.

        >>> with net.real_time():                                       # doctest: +SKIP
        ...     net.host("h1").ping("h2", count=3)                      # takes two seconds

        Between calls, the network is paused. Such a run depends on the computer and does not repeat
        exactly. If the computer is too slow, a :class:`weir.errors.WeirWarning` at the end reports
        how far virtual time is behind; during the run, :attr:`RealTime.behind_ns` has this time.

        Args:
            speed: the virtual seconds per real second, such as 0.5 for half the speed; 1e-6 to 1e6.

        Returns:
            A context manager.

        Raises:
            NetworkError: the speed is not a number in this range.
        """
        if speed != 1 and self._clock.is_real:
            raise NetworkError("speed: time in the Linux world is always real: leave it out")
        return RealTime(self._clock, speed)

    def run_real_time(
        self, duration: str | None = None, speed: float | None = None, until: Callable[[], bool] | None = None
    ) -> None:
        """Runs the network in real time, so that controllers in other processes can act.

        The run ends after a duration, when ``until`` returns ``True``, or on Ctrl-C.

        Args:
            duration: the virtual time to run, such as ``"10s"``; no limit by default.
            speed: the virtual seconds per real second; by default 1, or the speed of the enclosing
                :meth:`real_time` block.
            until: a function to call about a thousand times a second, such as ``event.is_set`` of a
                :class:`threading.Event`.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed or already running, or the speed is not a number
                from 1e-6 to 1e6.
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

        The function is called after all packets and timers of that time, and may do anything except
        run the network. If it raises an exception, the run ends with this exception.

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
        """Schedules an action after a delay from now, as in ``net.after("5s", …)``."""
        self._clock.check_open()
        self._clock.at(self.now_ns + units.time_ns(delay, "delay", "s"), action)

    def wait(self, *flows: Flow[object], progress: Progress | None = None) -> None:
        """Runs the network until all given flows have finished.

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
                    f"{shown(flow)} is not a flow: expected results of start_… methods, as separate arguments"
                )
        with self._clock.call():
            for flow in flows:
                flow.wait(report)

"""The time of a network: what it is, letting it pass, acting at a time."""

from __future__ import annotations

from collections.abc import Callable

from weir import units
from weir.checks import check_calls
from weir.clock import Clock
from weir.flows import Progress


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
            duration: how much, such as ``"1s"``.
            progress: called repeatedly with the nanoseconds passed and the nanoseconds in total.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed.
        """
        self._clock.check_open()
        span = units.time_ns(duration, "duration", "s")
        check_calls(progress=progress)
        self._clock.run_for(span, progress)

    def at(self, time: str, action: Callable[[], object]) -> None:
        """Schedules an action at a virtual time, such as ``net.at("15s", lambda: …)``.

        It is called after all packets and timers of that time, and may do anything except let time
        pass. An exception it raises ends the run and is raised where the network was run.

        Args:
            time: when, from the network's start, such as ``"15s"``.
            action: what to call.

        Raises:
            UnitError: the time cannot be read.
            NetworkError: the time has passed.
        """
        self._clock.check_open()
        self._clock.at(units.time_ns(time, "time", "s"), action)

    def after(self, delay: str, action: Callable[[], object]) -> None:
        """The same after a delay from now: ``net.after("5s", …)``."""
        self._clock.check_open()
        self._clock.at(self.now_ns + units.time_ns(delay, "delay", "s"), action)

"""How a network's time passes, as a user asks for it."""

from __future__ import annotations

from collections.abc import Callable

from weir import units
from weir.clock import NANOS_MAX, Clock, check_calls
from weir.errors import NetworkError
from weir.flows import Flow, Progress
from weir.keywords import keywords_are_told
from weir.network.nodes import Nodes


@keywords_are_told
class Passing(Nodes):
    """A network as its time passes."""

    clock: Clock

    @property
    def on_event(self) -> Callable[[], None] | None:
        """Called after each event, if set: to look at a run as it goes. It makes runs slow."""
        return self.clock.on_event

    @on_event.setter
    def on_event(self, call: Callable[[], None] | None) -> None:
        self.clock.on_event = call

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._core.now()

    @property
    def now(self) -> float:
        """Virtual seconds since the network's start."""
        return self.now_ns / 1e9

    def run_for(self, duration: str, progress: Progress | None = None) -> None:
        """Lets virtual time pass.

        Args:
            duration: how much, such as ``"1s"``.
            progress: called now and then with the nanoseconds passed and those to pass.

        Raises:
            UnitError: the duration cannot be read.
            NetworkError: the network is closed.
        """
        self.check_open()
        span = units.time_ns(duration, "duration", "s")
        start = self.now_ns
        check_calls(progress=progress)
        if start + span > NANOS_MAX:
            raise NetworkError(f"the clock would run over: it is {units.format_time(start)} now")

        def look() -> None:
            if progress is not None:
                progress(self.now_ns - start, span)

        self.clock.run(start + span, look=look)

    def at(self, time: str, action: Callable[[], object]) -> None:
        """Plans something for a time of the virtual clock, such as a change of a link: ``net.at("15s", lambda: …)``.

        It happens behind all packets and timers of that time, and may call anything but what lets time pass. An exception it raises
        ends the run and reaches whoever runs the network.

        Args:
            time: when, from the network's start, such as ``"15s"``.
            action: what to call.

        Raises:
            UnitError: the time cannot be read.
            NetworkError: the time has passed.
        """
        self.check_open()
        self.clock.at(units.time_ns(time, "time", "s"), action)

    def after(self, delay: str, action: Callable[[], object]) -> None:
        """The same from now on: ``net.after("5s", …)``."""
        self.check_open()
        self.clock.at(self.now_ns + units.time_ns(delay, "delay", "s"), action)

    def wait(self, *flows: Flow[object], progress: Progress | None = None) -> None:
        """Lets time pass until all these flows have finished.

        Args:
            flows: what to wait for.
            progress: called now and then with how many have finished and how many there are.

        Raises:
            NetworkError: one could not start, or cannot finish.
        """

        check_calls(progress=progress)

        def look() -> None:
            if progress is not None:
                progress(sum(flow.finished for flow in flows), len(flows))

        for flow in flows:
            if not isinstance(flow, Flow):
                raise NetworkError(
                    f"{flow!r} is nothing to wait for: expected what a start_… method returned, one after the other"
                )
        for flow in flows:
            flow.wait(look)

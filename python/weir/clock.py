"""How a network's time passes: towards a goal, with stops for what was planned and for programs that ask."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable

from weir import _core, units
from weir.errors import NetworkError

# Events between two looks at the clock of the person who waits: about a twentieth of a second.
_SLICE_EVENTS = 20_000

# Slices in which time may stand still: with a million events at one nanosecond something goes round and takes no time.
_MOST_STILL = 50

NANOS_MAX = (1 << 63) - 1
"""The latest time."""


def check_call(what: str, value: object, example: str = "print") -> None:
    """Refuses what cannot be called.

    Raises:
        NetworkError: it is so.
    """
    if not callable(value):
        raise NetworkError(f"{what}: {value!r} cannot be called: expected a function, such as {example}")


def check_calls(**given: object) -> None:
    """Refuses what is given and cannot be called.

    Raises:
        NetworkError: one is so.
    """
    for what, value in given.items():
        if value is not None:
            check_call(what, value)


class Clock:
    """The clock of a network.

    Args:
        core: the network.

    Attributes:
        on_event: called after each event, if set. It makes runs slow.
    """

    def __init__(self, core: _core.Network) -> None:
        self._core = core
        self.on_event: Callable[[], None] | None = None
        self._planned: list[tuple[int, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._posts: list[Callable[[], None]] = []
        self._within = False
        # Whether a delivery began and did not come to its end, because what it called raised.
        self._delivering = False
        self._stopped = False

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._core.now()

    def at(self, time_ns: int, action: Callable[[], object]) -> None:
        """Plans an action: it happens behind all events of its time, and those planned earlier for the same time.

        Raises:
            NetworkError: the time has passed, or is beyond the clock's end; that cannot be called.
        """
        check_call("action", action, "lambda: flow.stop()")
        if time_ns < self.now_ns:
            now = units.format_time(self.now_ns)
            raise NetworkError(f"{units.format_time(time_ns)} has passed: it is {now} now")
        if time_ns > NANOS_MAX:
            raise NetworkError(f"the clock would run over: it is {units.format_time(self.now_ns)} now")
        heapq.heappush(self._planned, (time_ns, next(self._order), action))

    def stop(self) -> None:
        """Lets no more time pass."""
        self._stopped = True

    def add_post(self, deliver: Callable[[], None]) -> None:
        """Has ``deliver`` called whenever a run stops because a program or a watch asked."""
        self._posts.append(deliver)

    def remove_post(self, deliver: Callable[[], None]) -> None:
        """Has it called no more."""
        self._posts.remove(deliver)

    def run(
        self, until_ns: int, traffic: _core.Traffic | None = None, look: Callable[[], None] | None = None
    ) -> bool:
        """Lets time pass until ``until_ns``, or until some traffic has finished; whether it came to that.

        Args:
            until_ns: the latest time.
            traffic: what is to finish; None for no other goal than the time.
            look: called now and then, and at the end.

        Raises:
            NetworkError: this is called from within a run: by an action, a program or a callback; or the network is closed.
        """
        if self._stopped:
            raise NetworkError("the network is closed")
        if self._within:
            raise NetworkError(
                "time passes already: what is called during a run (an action, a program, a callback) cannot let it pass itself"
            )
        self._within = True
        try:
            return self._run(until_ns, traffic, look or _nothing)
        finally:
            self._within = False

    def _run(self, until_ns: int, traffic: _core.Traffic | None, look: Callable[[], None]) -> bool:
        still, last = 0, self.now_ns
        if self._delivering:
            self._deliver()
        while True:
            due = self._planned[0][0] if self._planned else NANOS_MAX
            piece = min(until_ns, due)
            events = _SLICE_EVENTS if self.on_event is None else 1
            reason = self._core.run(piece, traffic, events)
            if self.on_event is not None:
                self.on_event()
            if reason == "asked":
                self._deliver()
            look()
            still, last = (still + 1 if reason == "budget" and last == self.now_ns else 0), self.now_ns
            if still > _MOST_STILL and self.on_event is None:
                raise NetworkError(
                    f"time stands still at {units.format_time(last)}: something goes round without taking any, such as TCP "
                    "over links without rate and delay; give a link one of them"
                )
            match reason:
                case "reached" if traffic is not None:
                    return True
                case "reached" | "limit":
                    if self._act(piece):
                        continue
                    return traffic is None
                case "stuck":
                    # Nothing will happen by itself, but something may be planned.
                    if due > until_ns:
                        return False
                    self._core.run(due, None, events)
                    self._act(due)

    def _deliver(self) -> None:
        """Has programs and watches told what has come. What a call that raises leaves behind is told before time passes again."""
        self._delivering = True
        for deliver in tuple(self._posts):
            deliver()
        self._delivering = False

    def _act(self, time_ns: int) -> bool:
        """Does what is planned up to a time; whether there was anything."""
        acted = False
        while self._planned and self._planned[0][0] <= time_ns:
            acted = True
            heapq.heappop(self._planned)[2]()
        return acted


def _nothing() -> None:
    pass

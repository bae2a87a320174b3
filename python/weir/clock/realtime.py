"""Makes virtual time follow real time."""

from __future__ import annotations

import math
import warnings
from time import monotonic_ns, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Self

from weir.errors import NetworkError, WeirWarning, shown
from weir.units import format_time

if TYPE_CHECKING:
    from weir.clock import Clock, Pace

_TICK_NS = 2_000_000
"""The longest sleep in real time. A controller's request waits no longer than this."""

_CATCH_UP_NS = 1_000_000_000
"""The maximum delay behind real time that a run still catches up with."""

_MIN_SHOWN_DELAY_NS = 100_000_000
"""The minimum delay that is shown; shorter delays come from the computer's scheduler."""


class RealTime:
    """A context in which virtual time runs no faster than real time.

    Returned by :meth:`weir.Network.real_time`. Time is paused between calls that run the network.

    A run that is at most one second behind real time catches up. A run that is further behind
    continues without catching up; :attr:`behind_ns` is the total of these delays.

    Attributes:
        speed: the virtual seconds per real second.
    """

    __slots__ = ("_clock", "_lag", "_lost", "_outer", "_start", "_start_real", "_warned", "speed")

    def __init__(self, clock: Clock, speed: float) -> None:
        if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not 1e-6 <= speed <= 1e6:
            raise NetworkError(
                f"speed: expected virtual seconds in a second, such as 1.0, found {shown(speed)}"
            )
        self._clock, self.speed = clock, float(speed)
        self._outer: Pace | None = None
        self._lost = self._lag = self._warned = 0
        self._start = self._start_real = 0

    @property
    def behind_ns(self) -> int:
        """The virtual nanoseconds that the network is behind real time, summed over all calls."""
        return self._lost + self._lag

    @property
    def is_behind(self) -> bool:
        """Whether the network is behind real time by a tenth of a second or more."""
        return self.behind_ns >= _MIN_SHOWN_DELAY_NS * self.speed

    def _begin(self) -> None:
        """Notes that a run begins: from here, virtual time follows real time."""
        if self.is_behind:
            self._lost = self.behind_ns
        self._lag = 0
        self._start, self._start_real = self._clock.now_ns, monotonic_ns()

    def _limit(self) -> int:
        """Returns the virtual time that corresponds to the wall clock."""
        now = self._clock.now_ns
        due = self._start + int((monotonic_ns() - self._start_real) * self.speed)
        self._lag = max(0, due - now)
        if self._lag > _CATCH_UP_NS * self.speed:
            self._begin()
            self._warn()
            return now
        return max(due, now)

    def _wait(self, span_ns: int) -> None:
        """Sleeps at the limit, for a tick or for a shorter span of virtual time."""
        self._lag = 0
        sleep(min(_TICK_NS, math.ceil(span_ns / self.speed)) / 1e9)

    def _warn(self, final: bool = False) -> None:
        """Warns that the network is behind real time: the first time that this is noticed, and at
        the end."""
        if not self._warned or (final and self.behind_ns != self._warned):
            self._warned = self.behind_ns
            warnings.warn(str(self), WeirWarning, stacklevel=3)

    def __enter__(self) -> Self:
        self._outer, self._clock.pace = self._clock.pace, self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clock.pace = self._outer
        if kind is None and self.is_behind:
            self._warn(final=True)

    def __str__(self) -> str:
        if not self.is_behind:
            return f"virtual time follows the wall clock at {self.speed:g} times its speed"
        return (
            "the simulation is slower than real time: virtual time is "
            f"{format_time(round(self.behind_ns, -8))} behind the wall clock"
        )

    def __repr__(self) -> str:
        return f"<weir.RealTime {self}>"

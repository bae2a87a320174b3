"""Shows the progress of long calls: the virtual time that has passed, and the real time."""

from __future__ import annotations

import sys
from time import monotonic

_FIRST_UPDATE_S = 1.0
"""The real time in seconds after which a call counts as long."""

_UPDATE_INTERVAL_S = {True: 0.25, False: 5.0}
"""The time in seconds between two updates on a terminal (``True``) and elsewhere (``False``)."""

_shown = False
_current: Meter | None = None


def progress(on: bool = True) -> None:
    """Turns the progress of long calls on or off, for all networks of this process.

    A call that takes longer than a second then shows on standard error how much virtual time has
    passed, in how much real time, and the speed; in the Linux world, only the real time. On a
    terminal this is one line that is updated; elsewhere it is a line every five seconds. It is off
    by default; ``Network(progress=True)`` turns it on for one network.
    """
    global _shown
    _shown = bool(on)


def is_shown() -> bool:
    """Returns whether :func:`progress` has turned on the progress of long calls."""
    return _shown


def clear() -> None:
    """Removes the progress line of the call that is running, so that other output can be
    written."""
    if _current is not None:
        _current.clear()


class Meter:
    """Shows the progress of one call.

    Args:
        now_ns: the network's time at the start of the call.
        end_ns: when the call is expected to end; ``None`` if that is unknown.
        is_real: whether the network's time is real.
    """

    def __init__(self, now_ns: int, end_ns: int | None, is_real: bool = False) -> None:
        global _current
        self._start_ns, self._end_ns = now_ns, end_ns
        self._is_real = is_real
        self._start = monotonic()
        self._next = self._start + _FIRST_UPDATE_S
        self._terminal = sys.stderr.isatty()
        self._written = False
        self._width = 0
        _current = self

    def update(self, now_ns: int) -> None:
        """Shows the progress if the last update is old enough."""
        now = monotonic()
        if now >= self._next:
            self._next = now + _UPDATE_INTERVAL_S[self._terminal]
            self._show(now_ns, now - self._start)

    def close(self, now_ns: int) -> None:
        """Replaces the progress line by a final line, if there was a progress line."""
        global _current
        _current = None
        if self._written:
            self._end_ns = None
            self._show(now_ns, monotonic() - self._start)
            if self._terminal:
                _write("\n")

    def clear(self) -> None:
        """Removes the progress line."""
        if self._width:
            _write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _show(self, now_ns: int, wall_s: float) -> None:
        passed, total = now_ns - self._start_ns, self._end_ns and self._end_ns - self._start_ns
        line = real_text(passed, total) if self._is_real else text(passed, total, wall_s)
        self._written = True
        if self._terminal:
            _write(f"\r{line.ljust(self._width)}")
            self._width = len(line)
        else:
            _write(f"{line}\n")


def _write(line: str) -> None:
    """Writes to the stream behind a :class:`weir.text.visible.VisibleStream`, if there is one."""
    stream = getattr(sys.stderr, "own", sys.stderr)
    stream.write(line)
    stream.flush()


def text(passed_ns: int, total_ns: int | None, wall_s: float) -> str:
    """Describes the progress in virtual and in real time.

    For example ``virtual time 3.21 s of 10 s, real time 4.1 s, 782 ms per second``.
    """
    total = "" if total_ns is None else f" of {_time(total_ns)}"
    speed = _time(passed_ns / wall_s) if wall_s > 0 else "0 s"
    return f"virtual time {_time(passed_ns)}{total}, real time {wall_s:.1f} s, {speed} per second"


def real_text(passed_ns: int, total_ns: int | None) -> str:
    """Describes the progress in real time, such as ``real time 3.21 s of 10 s``.

    The expected end is left out once it has passed.
    """
    total = "" if total_ns is None or passed_ns > total_ns else f" of {_time(total_ns)}"
    return f"real time {_time(passed_ns)}{total}"


def _time(nanoseconds: float) -> str:
    """Formats a time with three digits."""
    for unit, length in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        # A time that rounds to 1000 of a unit is shown as 1 of the next unit.
        if nanoseconds >= 0.9995 * length:
            value = nanoseconds / length
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"

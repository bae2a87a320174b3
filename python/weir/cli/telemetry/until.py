"""When a command that listens ends: after a time, after so many datagrams, at Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any, Self

import click

from weir import units


def until_options(command: Any) -> Any:
    """Adds ``--for`` and ``--count``, which :class:`Until` takes."""
    command = click.option(
        "--count", type=click.IntRange(1), metavar="N", help="Stop after this many datagrams."
    )(command)
    return click.option("--for", "duration", metavar="TIME", help="Stop after this time, such as 10s.")(
        command
    )


class Until:
    """The end of a command that listens. Within its block, Ctrl-C and SIGTERM end the command.

    Args:
        duration: the time after which it ends; None for no limit.
        count: the datagrams after which it ends; None for no limit.
    """

    def __init__(self, duration: str | None, count: int | None) -> None:
        limit = None if duration is None else units.time_ns(duration, "--for", "s") / 1e9
        self._deadline = None if limit is None else time.monotonic() + limit
        self._count = count
        self._stopped = threading.Event()

    def is_over(self, datagrams: int) -> bool:
        """Whether the command ends, after this number of datagrams."""
        if self._count is not None and datagrams >= self._count:
            return True
        return self._stopped.is_set() or (self._deadline is not None and time.monotonic() >= self._deadline)

    def wait(self, seconds: float) -> None:
        """Waits for this time, or until a signal."""
        self._stopped.wait(seconds)

    def __enter__(self) -> Self:
        self._before = {
            number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, _: int, __: FrameType | None) -> None:
        self._stopped.set()

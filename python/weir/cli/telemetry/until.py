"""Stops a listening command after a time, after a number of datagrams, or on Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any, Self

import click

from weir import units
from weir.cli.numbers import Whole


def until_options(command: Any) -> Any:
    """Adds ``--for`` and ``--count``, which :class:`Until` takes."""
    command = click.option("--count", type=Whole(1), metavar="N", help="Stop after this many datagrams.")(
        command
    )
    return click.option("--for", "duration", metavar="TIME", help="Stop after this time, such as 10s.")(
        command
    )


class Until:
    """The condition that stops a listening command. Within its block, Ctrl-C and SIGTERM stop the
    command.

    Args:
        duration: the time after which the command stops; ``None`` for no limit.
        count: the number of datagrams after which the command stops; ``None`` for no limit.
    """

    def __init__(self, duration: str | None, count: int | None) -> None:
        limit = None if duration is None else units.time_ns(duration, "--for", "s") / 1e9
        self._deadline = None if limit is None else time.monotonic() + limit
        self._count = count
        self._stopped = threading.Event()

    def is_over(self, datagrams: int) -> bool:
        """Returns whether the command must stop after this number of datagrams."""
        if self._count is not None and datagrams >= self._count:
            return True
        return self._stopped.is_set() or (self._deadline is not None and time.monotonic() >= self._deadline)

    def wait(self, seconds: float) -> None:
        """Waits for a time in seconds, or until a signal stops the command."""
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

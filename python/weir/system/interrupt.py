"""Ends a run between two events on Ctrl-C, so that the network can be run again."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """A context manager in which the first Ctrl-C is only recorded. A second Ctrl-C raises
    KeyboardInterrupt at once. If the first one was not raised within the block, it is raised at the
    end, even if another exception ends the block. In other threads, and if the
    program handles SIGINT itself, nothing changes."""

    __slots__ = ("_installed", "_pending")

    def __init__(self) -> None:
        self._pending = False
        self._installed = False

    def __enter__(self) -> Self:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._record_signal)
            self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            self.check()

    def is_pending(self) -> bool:
        """Returns whether a recorded Ctrl-C has not raised KeyboardInterrupt yet."""
        return self._pending

    def check(self) -> None:
        """Raises KeyboardInterrupt if there was a Ctrl-C."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _record_signal(self, number: int, frame: FrameType | None) -> None:
        if self._pending:
            raise KeyboardInterrupt
        self._pending = True

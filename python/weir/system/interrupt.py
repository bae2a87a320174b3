"""Ctrl-C during a run: the run ends between two events, and the network can go on."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """While it is entered, a first Ctrl-C is only noted.

    A second one raises KeyboardInterrupt at once. If nobody has raised it on exit, this does, even
    if another exception ends the block. In other threads, and if the program handles SIGINT itself,
    nothing changes.
    """

    __slots__ = ("_installed", "_pending")

    def __init__(self) -> None:
        self._pending = False
        self._installed = False

    def __enter__(self) -> Self:
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._note)
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
        """Whether there was a Ctrl-C that has raised nothing."""
        return self._pending

    def check(self) -> None:
        """Raises KeyboardInterrupt after a Ctrl-C."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._pending:
            raise KeyboardInterrupt
        self._pending = True

"""The event loop of a service: its sockets, its timers, and requests from the network's process."""

from __future__ import annotations

import selectors
from collections.abc import Callable
from multiprocessing.connection import Connection
from time import monotonic_ns
from typing import Any


class Service:
    """A service in a process of its own. Subclasses define the methods that the network calls.

    Args:
        control: the connection to the network's process.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
    """

    def __init__(self, control: Connection[Any, Any], origin: int) -> None:
        self.control = control
        self.origin = origin
        # A selector other than epoll, whose time-outs are whole milliseconds.
        self.selector = selectors.SelectSelector()
        self.selector.register(control, selectors.EVENT_READ, self._answer)
        self._said = False
        self._open = True

    def now(self) -> int:
        """Returns the nanoseconds since the network's start."""
        return monotonic_ns() - self.origin

    def work(self) -> float | None:
        """Does the work that is due; returns the seconds until more work is due, ``None`` if there
        is none."""
        return None

    def watch(self, file: Any, call: Callable[[], None], events: int = selectors.EVENT_READ) -> None:
        """Calls a function whenever a file is ready."""
        self.selector.register(file, events, call)

    def unwatch(self, file: Any) -> None:
        """Stops watching a file."""
        self.selector.unregister(file)

    def finish(self) -> None:
        """Reports once that the work is done. The network can still query the results."""
        if not self._said:
            self._said = True
            self.control.send(("finished", None))

    def run(self) -> None:
        """Runs the service until the other end of the control connection is closed."""
        while self._open:
            span = self.work()
            for key, _ in self.selector.select(None if span is None else max(0.0, span)):
                key.data()

    def _answer(self) -> None:
        try:
            method, arguments = self.control.recv()
        except (EOFError, OSError):
            self._open = False
            return
        result = getattr(self, method)(*arguments)
        try:
            self.control.send(("answer", result))
        except OSError:
            self._open = False


def run(kind: type[Service], control: Connection[Any, Any], *arguments: Any) -> None:
    """Creates a service and runs it to its end; reports errors to the network's process."""
    try:
        kind(control, *arguments).run()
    except Exception as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        control.send(("failed", text or type(error).__name__))

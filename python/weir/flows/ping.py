"""Pings that were started."""

from __future__ import annotations

from collections.abc import Callable

from weir import _core
from weir.clock import Clock
from weir.flows.flow import Flow, Progress
from weir.measure import PingReply, PingResult, ping_reply


class PingFlow(Flow[PingResult]):
    """A ping that was started. Got from :meth:`Host.start_ping`. What it still waits for when it is stopped counts as lost."""

    def __init__(
        self,
        clock: Clock,
        core: _core.Traffic,
        ends: tuple[str, str, str],
        size: int,
        count: int,
        progress: Progress | None,
        on_reply: Callable[[PingReply], None] | None,
    ) -> None:
        super().__init__(clock, [core])
        self._core, self._ends, self._size, self._count = core, ends, size, count
        self._progress, self._on_reply = progress, on_reply
        self._replies: list[PingReply] = []

    def wait(self, look: Callable[[], None] | None = None) -> PingResult:
        """Lets the network's time pass until each request has its reply or its time-out; see :meth:`Flow.wait`."""

        def both() -> None:
            self._look()
            if look is not None:
                look()

        return super().wait(both)

    def _look(self) -> None:
        """Takes in what has been settled."""
        for row in self._core.pings(len(self._replies)):
            reply = ping_reply(row)
            self._replies.append(reply)
            if self._on_reply is not None:
                self._on_reply(reply)
        if self._progress is not None:
            self._progress(len(self._replies), self._count)

    def result(self) -> PingResult:
        """The requests settled so far, up to the first that still waits."""
        self._look()
        return PingResult(*self._ends, self._size, list(self._replies))

"""Running replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.clock import Clock
from weir.flows.flow import Flow

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class ReplayFlow(Flow[int]):
    """A running replay, from :meth:`Host.start_replay`."""

    def __init__(self, clock: Clock, core: cores.ReplayTraffic) -> None:
        super().__init__(clock, [core], None)
        self._core = core

    def result(self) -> int:
        """Returns the number of frames sent so far."""
        return self._core.replayed()

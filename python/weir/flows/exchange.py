"""Requests and short flows that were started."""

from __future__ import annotations

from weir import _core
from weir.clock import Clock
from weir.errors import NetworkError
from weir.flows.flow import Flow
from weir.measure import Exchange, Fct


class ExchangeFlow(Flow[Fct]):
    """Exchanges that were started. Got from :meth:`Host.start_requests` and :meth:`Host.start_transfers`."""

    def __init__(self, clock: Clock, core: _core.Traffic, source: str, target: str) -> None:
        super().__init__(clock, [core])
        self._core, self._source, self._target = core, source, target

    def result(self) -> Fct:
        """Those begun so far.

        Raises:
            NetworkError: one could not begin.
        """
        rows, failure = self._core.exchanges()
        if failure is not None:
            raise NetworkError(f"{self._source} to {self._target}: {failure}")
        return Fct(self._source, self._target, [Exchange(*row) for row in rows])

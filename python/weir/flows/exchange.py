"""Running requests and short flows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from weir.clock import Clock
from weir.errors import NetworkError
from weir.flows.flow import Flow
from weir.measure import Fct
from weir.measure.loss_account import LossMark
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir import _core_contracts as cores

_TIMED_OUT = "timed out"
"""The failure of an exchange that got no answer in time."""


class ExchangeFlow(Flow[Fct]):
    """Running exchanges, from :meth:`Host.start_requests` or :meth:`Host.start_transfers`."""

    def __init__(
        self, clock: Clock, core: cores.ExchangeTraffic, source: str, servers: Sequence[str], mark: LossMark
    ) -> None:
        super().__init__(clock, [core], mark)
        self._core, self._source, self._servers = core, source, servers

    def result(self) -> Fct:
        """Returns the results of the exchanges that have begun so far.

        Raises:
            NetworkError: an exchange could not begin.
        """
        exchanges, failure = self._core.exchanges(list(self._servers))
        target = listing(self._servers)
        if failure is not None:
            raise NetworkError(f"{self._source} to {target}: {failure}")
        reason = None
        if any(exchange.failure == _TIMED_OUT for exchange in exchanges):
            reason = self._unexplained_loss()
        elif any(exchange.failure is not None or exchange.repeats for exchange in exchanges):
            reason = self._loss_reason()
        return Fct(self._source, target, exchanges, reason)

    def _hosts(self) -> Collection[str]:
        return {self._source, *self._servers}

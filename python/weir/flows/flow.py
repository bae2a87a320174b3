"""Base class of flows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from weir.clock import MAX_NANOS, Clock
from weir.errors import NetworkError
from weir.measure.loss_account import LossMark

if TYPE_CHECKING:
    from weir import _core_contracts as cores

R = TypeVar("R", covariant=True)


class Flow(ABC, Generic[R]):
    """Traffic that runs while virtual time passes, from a ``start_…`` method of :class:`Host`."""

    def __init__(self, clock: Clock, cores: Sequence[cores.Traffic], mark: LossMark | None) -> None:
        self._clock, self._cores = clock, cores
        # The drops before the flow was started; None if the result does not include losses. Drops
        # are counted before the start, because real hosts send at once and counting takes a while.
        self._mark = mark
        # The time at which the flow will probably end, for the display of progress.
        self._expected_end_ns: int | None = None

    @property
    def finished(self) -> bool:
        """Whether the flow has sent everything and is no longer waiting for anything."""
        return all(core.finished for core in self._cores)

    def __repr__(self) -> str:
        return f"<weir.{type(self).__name__}, {'finished' if self.finished else 'running'}>"

    def stop(self) -> None:
        """Stops sending. After this call, :meth:`wait` still waits for data in flight."""
        for core in self._cores:
            core.stop()

    def _loss_reason(self) -> str | None:
        """Says where and why most packets were dropped since the flow started; returns ``None`` if
        no packet was dropped."""
        if self._mark is None:
            return None
        return self._clock.losses.since(self._mark).between(self._hosts()).sentence()

    def _hosts(self) -> Collection[str]:
        """Returns the names of the hosts whose packets the flow measures."""
        return ()

    def _unexplained_loss(self) -> str:
        """Explains a loss as :meth:`_loss_reason` does, or says that no packet was dropped."""
        reason = self._loss_reason()
        if reason is not None:
            return reason
        if not self._clock.losses.is_complete:
            return (
                "no switch, link, queue or host counted a drop: captures at the ends of links "
                "show where packets end."
            )
        dropped = "no packet was dropped"
        if self._mark is not None and self._clock.losses.since(self._mark).drops:
            dropped = "packets were dropped at other hosts only"
        return f"{dropped}: the missing packets are still on their way, or arrived too late."

    @abstractmethod
    def result(self) -> R:
        """Returns the flow's result so far.

        Raises:
            NetworkError: the flow could not start.
        """

    def wait(self, report: Callable[[], None] | None = None) -> R:
        """Runs the network until the flow has finished.

        Args:
            report: called repeatedly, and at the end.

        Returns:
            The result of the flow.

        Raises:
            NetworkError: the flow could not start, or cannot finish: no event is left in the
                network.
        """
        with self._clock.call(self._expected_end_ns):
            for core in self._cores:
                if not self._clock.run(MAX_NANOS, core, report):
                    raise NetworkError("it cannot finish: no event is left in the network")
        return self.result()

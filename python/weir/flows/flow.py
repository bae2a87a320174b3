"""What all traffic that was started has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from weir import _core
from weir.clock import NANOS_MAX, Clock
from weir.errors import NetworkError

R = TypeVar("R", covariant=True)

Progress = Callable[[int, int], None]
"""Called now and then during a long run with how much is done and how much there is to do."""


class Flow(ABC, Generic[R]):
    """Traffic that runs whenever the network's time passes."""

    def __init__(self, clock: Clock, cores: Sequence[_core.Traffic]) -> None:
        self._clock, self._cores = clock, cores

    @property
    def finished(self) -> bool:
        """Whether all is sent, and nothing is waited for any more."""
        return all(core.finished for core in self._cores)

    def __repr__(self) -> str:
        return f"<weir.{type(self).__name__}, {'finished' if self.finished else 'running'}>"

    def stop(self) -> None:
        """Ends it: what has not left is not sent, and nothing more begins; what has left is waited for."""
        for core in self._cores:
            core.stop()

    @abstractmethod
    def result(self) -> R:
        """What it came to so far.

        Raises:
            NetworkError: it could not start.
        """

    def wait(self, look: Callable[[], None] | None = None) -> R:
        """Lets the network's time pass until it has finished.

        Args:
            look: called now and then, and at the end.

        Returns:
            Its result.

        Raises:
            NetworkError: it could not start, or cannot finish: nothing is left that could happen.
        """
        for core in self._cores:
            if not self._clock.run(NANOS_MAX, core, look):
                raise NetworkError("it cannot finish: nothing is left to happen in the network")
        return self.result()

"""Samplers: the state of link ends at fixed intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.errors import NetworkError
from weir.measure import EndSamples, LinkUse, QueueSeries, Series
from weir.measure.series import numbers
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class Sampler:
    """Samples the state of link ends while virtual time passes; from :meth:`Network.sample`.

    Attributes:
        ends: the link ends sampled.
    """

    def __init__(self, core: cores.Sampler, ends: Sequence[str]) -> None:
        self._core = core
        self.ends = list(ends)

    def samples(self, end: str | None = None) -> EndSamples:
        """Returns the samples of an end so far.

        If the sampler has a single end, ``end`` may be left out.

        Raises:
            NetworkError: the sampler has no such end, or several.
        """
        if end is None and len(self.ends) == 1:
            end = self.ends[0]
        if end not in self.ends:
            has = "several ends" if end is None else f'no end "{end}"'
            raise NetworkError(f"the sampler has {has}: it samples {listing(self.ends)}")
        place = self.ends.index(end)
        waiting = {
            priority: numbers(column, "I") for priority, column in enumerate(self._core.waiting(place))
        }
        times, queue, sent, size, dropped, marked, busy = map(numbers, self._core.columns(place))
        return EndSamples(end, times, queue, sent, size, dropped, marked, busy, waiting)

    def queue(self, end: str | None = None) -> QueueSeries:
        """Returns the number of packets that wait at an end of a link over time.

        Packets in the switch's queues and packets at the link are counted.
        """
        return self.samples(end).queue

    def switch_queue(self, end: str | None = None, priority: int | None = None) -> QueueSeries:
        """Returns the lengths of the switch's queues at an end over time, for one priority or for
        all priorities together."""
        return self.samples(end).switch_queue(priority)

    def use(self, end: str | None = None) -> LinkUse:
        """Returns the utilization of the link at an end over time, from 0 to 1."""
        return self.samples(end).use

    def throughput(self, end: str | None = None) -> Series:
        """Returns the throughput on the wire at an end over time, in Mbit/s."""
        return self.samples(end).throughput

    def __repr__(self) -> str:
        return f"<weir.Sampler of {listing(self.ends)}>"

    def stop(self) -> None:
        """Stops sampling; the samples remain."""
        self._core.stop()

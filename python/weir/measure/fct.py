"""Flow completion times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weir._core import Exchange
from weir.errors import MeasureError
from weir.files.columns import Column
from weir.measure import statistics
from weir.measure.losses import add_reason
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Fct(Table):
    """Flow completion times, from the first SYN or request to the last byte. The last byte of a
    request's exchange is the last byte of the response.

    Attributes:
        source: the host that sent requests or flows.
        target: the host that responded or received, or several hosts from which a data plane chose.
        exchanges: the exchanges in the order of their starts.
        why: a sentence that says where and why most packets were dropped during that time, if an
            exchange failed or a request was repeated.
    """

    source: str
    target: str
    exchanges: Sequence[Exchange] = field(repr=False)
    why: str | None = None

    def __len__(self) -> int:
        return len(self.exchanges)

    @property
    def finished(self) -> int:
        """Number of finished exchanges."""
        return sum(exchange.end_ns is not None for exchange in self.exchanges)

    @property
    def failed(self) -> int:
        """Number of failed exchanges."""
        return sum(exchange.failure is not None for exchange in self.exchanges)

    @property
    def times_ms(self) -> list[float]:
        """The completion times of finished exchanges, in milliseconds."""
        return [exchange.time_ms for exchange in self.exchanges if exchange.time_ms is not None]

    @property
    def _known_times(self) -> list[float]:
        times = self.times_ms
        if not times:
            raise MeasureError(f"{self.source} to {self.target}: none of {len(self)} exchanges has finished")
        return times

    @property
    def mean_ms(self) -> float:
        """The mean completion time in milliseconds.

        Raises :class:`MeasureError` if no exchange has finished, as :attr:`deviation_ms` and
        :meth:`percentile_ms` do.
        """
        return statistics.mean(self._known_times)

    @property
    def deviation_ms(self) -> float:
        """The standard deviation of the completion times, in milliseconds."""
        return statistics.standard_deviation(self._known_times)

    def percentile_ms(self, percent: float) -> float:
        """Computes the time within which this percentage of the finished exchanges completed, in
        milliseconds."""
        return statistics.percentile(self._known_times, percent)

    def columns(self) -> list[Column]:
        """Returns the exchanges as columns, with a row for each exchange.

        The columns are ``start_s``, ``request``, ``response``, ``fct_ms`` (null if the exchange did
        not end), ``failure`` and ``server``.
        """
        return [
            Column("start_s", "float", [exchange.start_ns / 1e9 for exchange in self.exchanges]),
            Column("request", "int", [exchange.request for exchange in self.exchanges]),
            Column("response", "int", [exchange.response for exchange in self.exchanges]),
            Column("fct_ms", "float", [exchange.time_ms for exchange in self.exchanges]),
            Column("failure", "text", [exchange.failure for exchange in self.exchanges]),
            Column("server", "text", [exchange.server for exchange in self.exchanges]),
        ]

    def draw(self, ax: Axes) -> None:
        """Draws the cumulative distribution of completion times."""
        times = sorted(self.times_ms)
        if times:
            shares = [place / len(times) for place in range(1, len(times) + 1)]
            ax.plot(times, shares, drawstyle="steps-post")
        ax.set_xlabel("completion time in ms")
        ax.set_ylabel("share of flows")
        ax.set_ylim(0, 1.02)

    def __str__(self) -> str:
        head = f"{self.source} -> {self.target}: {self.finished}/{len(self)} finished, {self.failed} failed"
        lines = [head]
        if self.finished:
            lines.append(
                f"mean {self.mean_ms:.3f} ms, median {self.percentile_ms(50):.3f} ms, "
                f"99% within {self.percentile_ms(99):.3f} ms"
            )
        return add_reason(lines, self.why)

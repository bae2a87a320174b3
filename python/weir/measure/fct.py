"""How long flows and exchanges take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weir.errors import MeasureError
from weir.measure import figures
from weir.measure.table import Table

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Exchange:
    """A request and its response, or a flow that needs none.

    Attributes:
        start_ns: when it began, with the SYN of its connection if it has one of its own; nanoseconds of virtual time.
        request: bytes sent.
        response: bytes answered.
        request_ns: when the request was there in whole; None if it never was.
        end_ns: when the last byte of the response, or of a request without one, was there; None if it never was.
        repeats: how often the request was sent again, of datagrams; of TCP always 0, for segments are sent again unseen.
        failure: how its connection ended before that, such as ``timed out``.
        server: the host that the request came to, of those that may receive; of a datagram sent again the last before the answer. None if
            it came to none.
    """

    start_ns: int
    request: int
    response: int
    request_ns: int | None
    end_ns: int | None
    repeats: int
    failure: str | None
    server: str | None

    @property
    def time_ms(self) -> float | None:
        """Milliseconds from begin to end; None if it did not come to its end."""
        return None if self.end_ns is None else (self.end_ns - self.start_ns) / 1e6


@dataclass(frozen=True)
class Fct(Table):
    """Flow completion times: from the first SYN or request to the last byte; of requests the time until the answer is there.

    Attributes:
        source: the host that asked, or sent.
        target: the host that answered, or received; or those of which a data plane chose.
        exchanges: one after the other, by their beginning.
    """

    source: str
    target: str
    exchanges: Sequence[Exchange] = field(repr=False)

    def __len__(self) -> int:
        return len(self.exchanges)

    @property
    def finished(self) -> int:
        """How many came to their end."""
        return sum(exchange.end_ns is not None for exchange in self.exchanges)

    @property
    def failed(self) -> int:
        """How many did not, and will not."""
        return sum(exchange.failure is not None for exchange in self.exchanges)

    @property
    def times_ms(self) -> list[float]:
        """The completion times of those that came to their end."""
        return [exchange.time_ms for exchange in self.exchanges if exchange.time_ms is not None]

    @property
    def _some(self) -> list[float]:
        times = self.times_ms
        if not times:
            raise MeasureError(
                f"{self.source} to {self.target}: none of {len(self)} exchanges has come to its end"
            )
        return times

    @property
    def mean_ms(self) -> float:
        """Their mean. :class:`MeasureError` if none came to its end, as in the following."""
        return figures.mean(self._some)

    @property
    def deviation_ms(self) -> float:
        """Their standard deviation."""
        return figures.standard_deviation(self._some)

    def percentile_ms(self, percent: float) -> float:
        """The time that so many percent of them took at most."""
        return figures.percentile(self._some, percent)

    def to_frame(self) -> polars.DataFrame:
        """A row an exchange: ``start_s``, ``request``, ``response``, ``fct_ms`` (null if it did not end), ``failure``, ``server``."""
        import polars

        return polars.DataFrame(
            {
                "start_s": [exchange.start_ns / 1e9 for exchange in self.exchanges],
                "request": [exchange.request for exchange in self.exchanges],
                "response": [exchange.response for exchange in self.exchanges],
                "fct_ms": [exchange.time_ms for exchange in self.exchanges],
                "failure": [exchange.failure for exchange in self.exchanges],
                "server": [exchange.server for exchange in self.exchanges],
            },
            schema={
                "start_s": polars.Float64,
                "request": polars.Int64,
                "response": polars.Int64,
                "fct_ms": polars.Float64,
                "failure": polars.String,
                "server": polars.String,
            },
        )

    def draw(self, ax: Axes) -> None:
        """The distribution of completion times: what share took at most so long."""
        times = sorted(self.times_ms)
        if times:
            shares = [place / len(times) for place in range(1, len(times) + 1)]
            ax.plot(times, shares, drawstyle="steps-post")
        ax.set_xlabel("completion time in ms")
        ax.set_ylabel("share of flows")
        ax.set_ylim(0, 1.02)

    def __str__(self) -> str:
        head = f"{self.source} -> {self.target}: {self.finished}/{len(self)} finished, {self.failed} failed"
        if not self.finished:
            return head
        return (
            f"{head}\nmean {self.mean_ms:.3f} ms, median {self.percentile_ms(50):.3f} ms, "
            f"99% within {self.percentile_ms(99):.3f} ms"
        )

"""The common parts of flows over UDP and over TCP."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar

from weir.clock import Clock
from weir.flows.flow import Flow, R
from weir.flows.plan import FlowPlan
from weir.measure.loss_account import LossMark
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir import _core_contracts as cores

T = TypeVar("T", bound="cores.Traffic", covariant=True)


@dataclass(frozen=True)
class Stream(Generic[T]):
    """A stream of a flow: its plan, the host that opens it, and the hosts that may serve it."""

    core: T
    plan: FlowPlan
    client: str
    servers: Sequence[str]

    def common_result(
        self, place: int | None, source_port: int, start: int, ends: Iterable[int], now: int
    ) -> CommonResult:
        """Builds the part of the result that UDP and TCP share.

        ``place`` is the index in ``servers`` of the host that served the stream, or ``None``.
        """
        span = self.plan.duration_ns
        server = None if place is None else self.servers[place]
        source, target = sender_and_receiver(self.client, server or listing(self.servers), self.plan.reverse)
        return {
            "source": source,
            "target": target,
            "server": server,
            "reverse": self.plan.reverse,
            "source_port": source_port,
            "port": self.plan.port,
            "start_ns": start,
            "end_ns": max(start, *ends, 0 if span is None else min(start + span, now)),
        }

    def interval_bounds(self, number: int, span_ns: int) -> tuple[int, int]:
        """Computes the start and the end of an interval, in nanoseconds from the flow's start.

        The last interval ends with the flow.
        """
        length = self.plan.interval_ns or 0
        start, end = number * length, (number + 1) * length
        return start, span_ns if start < span_ns < end else end


class CommonResult(TypedDict):
    """The part of a stream's result that UDP and TCP share."""

    source: str
    target: str
    server: str | None
    reverse: bool
    source_port: int
    port: int
    start_ns: int
    end_ns: int


class Streams(Flow[R], Generic[R, T]):
    """Several streams from one host to another that were started together."""

    def __init__(
        self, clock: Clock, source: str, target: str, streams: Sequence[Stream[T]], mark: LossMark
    ) -> None:
        super().__init__(clock, [stream.core for stream in streams], mark)
        self._source, self._target, self._streams = source, target, streams
        # The time at which the flow was stopped; None if it was not stopped.
        self._stopped_ns: int | None = None
        spans = [stream.plan.duration_ns for stream in streams]
        if spans and spans[0] is not None:
            self._expected_end_ns = clock.now_ns + spans[0]

    def _hosts(self) -> Collection[str]:
        return {host for stream in self._streams for host in (stream.client, *stream.servers)}

    def stop(self) -> None:
        """Stops all streams; see :meth:`Flow.stop`."""
        if self._stopped_ns is None and not self.finished:
            self._stopped_ns = self._clock.now_ns
        super().stop()


def sender_and_receiver(client: str, server: str, reverse: bool) -> tuple[str, str]:
    """Returns the host that sends and the host that receives."""
    return (server, client) if reverse else (client, server)


def milliseconds(nanoseconds: float | None) -> float | None:
    """Converts nanoseconds to milliseconds; ``None`` stays ``None``."""
    return None if nanoseconds is None else nanoseconds / 1e6

"""Traffic that has been started: what can be waited for, stopped, and asked for its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from weir import _core, units
from weir.clock import NANOS_MAX, Clock
from weir.errors import NetworkError
from weir.measure import (
    Exchange,
    Fct,
    FlowResult,
    PingReply,
    PingResult,
    TcpInterval,
    TcpStream,
    TcpTrace,
    UdpResult,
    UdpStream,
    ping_reply,
)
from weir.measure.series import Series, numbers
from weir.measure.udp import UdpInterval

R = TypeVar("R", covariant=True)

Progress = Callable[[int, int], None]
"""Called now and then during a long run with how much is done and how much there is to do."""


class Flow(ABC, Generic[R]):
    """Traffic that runs whenever the network's time passes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether all is sent, and nothing is waited for any more."""

    @abstractmethod
    def stop(self) -> None:
        """Ends it: nothing more is sent."""

    @abstractmethod
    def result(self) -> R:
        """What it came to so far.

        Raises:
            NetworkError: it could not start.
        """

    @property
    @abstractmethod
    def apps(self) -> Sequence[int]:
        """The numbers of the applications it consists of."""

    def wait(self, look: Callable[[], None] | None = None) -> R:
        """Lets the network's time pass until it has finished.

        Args:
            look: called now and then, and at the end.

        Returns:
            Its result.

        Raises:
            NetworkError: it could not start, or cannot finish: nothing is left that could happen.
        """
        for app in self.apps:
            if not self._clock.run(NANOS_MAX, app, look):
                raise NetworkError("it cannot finish: nothing is left to happen in the network")
        return self.result()


class PingFlow(Flow[PingResult]):
    """A ping that was started. Got from :meth:`Host.start_ping`."""

    def __init__(
        self,
        clock: Clock,
        core: _core.Ping,
        source: str,
        target: str,
        address: str,
        size: int,
        on_reply: Callable[[PingReply], None] | None,
    ) -> None:
        super().__init__(clock)
        self._core = core
        self._source, self._target, self._address, self._size = source, target, address, size
        self._on_reply = on_reply
        self._replies: list[PingReply] = []

    @property
    def apps(self) -> Sequence[int]:
        """The number of its application."""
        return [self._core.app]

    @property
    def finished(self) -> bool:
        """Whether each request has its reply or its time-out."""
        return self._core.finished

    def stop(self) -> None:
        """Ends it: what is still waited for counts as lost."""
        self._core.stop()

    def look(self) -> int:
        """Takes in what has been settled; how many requests that are so far."""
        for row in self._core.rows(len(self._replies)):
            reply = ping_reply(row)
            self._replies.append(reply)
            if self._on_reply is not None:
                self._on_reply(reply)
        return len(self._replies)

    def result(self) -> PingResult:
        """The requests settled so far, up to the first that still waits."""
        self.look()
        return PingResult(self._source, self._target, self._address, self._size, list(self._replies))


C = TypeVar("C", bound=_core.UdpFlow | _core.TcpFlow)


@dataclass(frozen=True)
class Stream(Generic[C]):
    """One flow of several, with what its result is to say of it."""

    core: C
    port: int
    duration_ns: int | None
    interval_ns: int | None


class Streams(Flow[R], Generic[C, R]):
    """Flows from one host to another that were started together."""

    def __init__(self, clock: Clock, source: str, target: str, streams: Sequence[Stream[C]]) -> None:
        super().__init__(clock)
        self._source, self._target, self._streams = source, target, streams

    @property
    def apps(self) -> Sequence[int]:
        """The numbers of their applications."""
        return [stream.core.app for stream in self._streams]

    @property
    def finished(self) -> bool:
        """Whether the last datagram was sent, or the last connection is over, and nothing is waited for any more."""
        return all(stream.core.finished for stream in self._streams)

    def stop(self) -> None:
        """Ends the sending: what has not left is not sent; what has left is waited for."""
        for stream in self._streams:
            stream.core.stop()


class UdpFlow(Streams[_core.UdpFlow, UdpResult]):
    """Flows of datagrams that were started together. Got from :meth:`Host.start_iperf` and its like."""

    def result(self) -> UdpResult:
        """What was sent and what arrived so far; what is under way counts as lost.

        Raises:
            NetworkError: a flow could not start.
        """
        streams = [self._stream(stream) for stream in self._streams]
        return UdpResult(self._source, self._target, streams)

    def _stream(self, stream: Stream[_core.UdpFlow]) -> UdpStream:
        report = stream.core.report()
        if report.failure is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report.failure}")
        start = report.started
        ends = [start, report.last_sent or 0, *(report.arrivals or ())]
        if stream.duration_ns is not None:
            ends.append(min(start + stream.duration_ns, self._clock.now_ns))
        least, average, greatest, deviation = report.delays or (None, None, None, None)
        number, sent, arrived = (numbers(column) for column in report.rows())
        delays = [(end - begin) / 1e6 for begin, end in zip(sent, arrived, strict=True)]
        return UdpStream(
            self._source,
            self._target,
            stream.core.source_port,
            stream.port,
            start,
            max(ends),
            report.sent,
            report.sent_bytes,
            report.received,
            report.received_bytes,
            report.duplicates,
            report.reordered,
            report.refused,
            report.errors,
            report.jitter / 1e6,
            _milliseconds(least),
            _milliseconds(average),
            _milliseconds(greatest),
            _milliseconds(deviation),
            _intervals(report, stream, max(ends) - start),
            Series("delay", "ms", arrived, delays),
            number,
        )


class TcpFlow(Streams[_core.TcpFlow, FlowResult]):
    """Bulk flows over TCP that were started together. Got from :meth:`Host.start_iperf`."""

    def pace(self, rate: str | None) -> None:
        """Paces what each flow sends from now on at a rate of IP packets, such as ``"10Mbit"``; None leaves it to the congestion control.

        Raises:
            UnitError: the rate cannot be read.
        """
        bits = None if rate is None else units.rate_bps(rate, "rate")
        for stream in self._streams:
            stream.core.pace(bits)

    def result(self) -> FlowResult:
        """What has arrived so far.

        Raises:
            NetworkError: a connection could not be opened, or nobody answered.
        """
        streams = [self._stream(stream) for stream in self._streams]
        return FlowResult(self._source, self._target, streams)

    def _stream(self, stream: Stream[_core.TcpFlow]) -> TcpStream:
        report = stream.core.report()
        start = report.started
        if report.failure is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report.failure}")
        if report.closed is not None and report.connected is None and report.closed != "closed":
            raise NetworkError(
                f"{self._source} to {self._target}, TCP port {stream.port}: the connection was {report.closed}"
                if report.closed != "timed out"
                else f"{self._source} to {self._target}, TCP port {stream.port}: nobody answered"
            )
        ends = [start, *(report.arrivals or ())]
        if stream.duration_ns is not None:
            ends.append(min(start + stream.duration_ns, self._clock.now_ns))
        figures = report.figures()
        return TcpStream(
            self._source,
            self._target,
            report.source_port or 0,
            stream.port,
            start,
            max(ends),
            report.connected,
            report.received,
            figures.get("acked", 0),
            figures.get("retransmits", 0),
            figures.get("timeouts", 0),
            figures.get("recoveries", 0),
            figures.get("segments_out", 0),
            figures.get("mss", 0),
            _milliseconds(figures.get("srtt") or None),
            _milliseconds(figures.get("min_rtt") or None),
            report.closed or "open",
            report.ip_options,
            _tcp_intervals(report, stream, max(ends) - start),
            _trace(report),
        )


class ExchangeFlow(Flow[Fct]):
    """Exchanges over TCP that were started. Got from :meth:`Host.start_requests` and :meth:`Host.start_transfers`."""

    def __init__(self, clock: Clock, core: _core.Exchanges, source: str, target: str) -> None:
        super().__init__(clock)
        self._core, self._source, self._target = core, source, target

    @property
    def apps(self) -> Sequence[int]:
        """The number of its application."""
        return [self._core.app]

    @property
    def finished(self) -> bool:
        """Whether the last is over and its connection closed."""
        return self._core.finished

    def stop(self) -> None:
        """Begins no more; those under way go on."""
        self._core.stop()

    def result(self) -> Fct:
        """Those begun so far.

        Raises:
            NetworkError: one could not begin.
        """
        rows, failure = self._core.rows()
        if failure is not None:
            raise NetworkError(f"{self._source} to {self._target}: {failure}")
        return Fct(self._source, self._target, [Exchange(*row) for row in rows])


class ReplayFlow(Flow[int]):
    """A replay that was started. Got from :meth:`Host.start_replay`."""

    def __init__(self, clock: Clock, core: _core.Replay) -> None:
        super().__init__(clock)
        self._core = core

    @property
    def apps(self) -> Sequence[int]:
        """The number of its application."""
        return [self._core.app]

    @property
    def finished(self) -> bool:
        """Whether the last frame was sent."""
        return self._core.finished

    def stop(self) -> None:
        """Ends it."""
        self._core.stop()

    def result(self) -> int:
        """Frames sent so far."""
        return self._core.sent


def _intervals(report: _core.UdpReport, stream: Stream[_core.UdpFlow], span_ns: int) -> list[UdpInterval]:
    """The report's intervals; the last ends with the flow."""
    length = stream.interval_ns or 0
    intervals = []
    for number, (sent, there, received, size, reordered, delays, jitter) in enumerate(report.intervals()):
        start, end = number * length, (number + 1) * length
        if start < span_ns < end:
            end = span_ns
        intervals.append(
            UdpInterval(
                start / 1e9,
                end / 1e9,
                sent,
                sent - there,
                received,
                size,
                reordered,
                jitter / 1e6 if received else None,
                delays / received / 1e6 if received else None,
            )
        )
    return intervals


def _tcp_intervals(report: _core.TcpReport, stream: Stream[_core.TcpFlow], span_ns: int) -> list[TcpInterval]:
    """The report's intervals; the last ends with the flow, and what is left of the connection then belongs to it."""
    length = stream.interval_ns or 0
    intervals: list[TcpInterval] = []
    for number, (received, _, again, timeouts, window, rtt) in enumerate(report.intervals()):
        start, end = number * length, (number + 1) * length
        if start >= span_ns and intervals:
            # The last acknowledgements and the FINs' come behind the last byte.
            last = intervals[-1]
            intervals[-1] = replace(
                last, retransmits=last.retransmits + again, timeouts=last.timeouts + timeouts
            )
            continue
        end = span_ns if start < span_ns < end else end
        intervals.append(
            TcpInterval(start / 1e9, end / 1e9, received, again, timeouts, window, _milliseconds(rtt or None))
        )
    return intervals


def _trace(report: _core.TcpReport) -> TcpTrace:
    times, kinds, sequence, lengths, cwnd, ssthresh, flight, srtt = map(numbers, report.trace())
    names = _core.trace_kinds()
    return TcpTrace(
        times,
        [names[kind] for kind in kinds],
        sequence,
        lengths,
        cwnd,
        [None if value == (1 << 64) - 1 else value for value in ssthresh],
        flight,
        srtt,
    )


def _milliseconds(nanoseconds: float | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6

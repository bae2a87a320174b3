"""Traffic that has been started: what can be waited for, stopped, and asked for its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypedDict, TypeVar

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
    UdpInterval,
    UdpResult,
    UdpStream,
    ping_reply,
)
from weir.measure.series import Series, numbers
from weir.traffic import FlowPlan

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


class PingFlow(Flow[PingResult]):
    """A ping that was started. Got from :meth:`Host.start_ping`. What it still waits for when it is stopped counts as lost."""

    def __init__(
        self,
        clock: Clock,
        core: _core.Traffic,
        ends: tuple[str, str, str],
        size: int,
        count: int,
        progress: Progress | None,
        on_reply: Callable[[PingReply], None] | None,
    ) -> None:
        super().__init__(clock, [core])
        self._core, self._ends, self._size, self._count = core, ends, size, count
        self._progress, self._on_reply = progress, on_reply
        self._replies: list[PingReply] = []

    def wait(self, look: Callable[[], None] | None = None) -> PingResult:
        """Lets the network's time pass until each request has its reply or its time-out; see :meth:`Flow.wait`."""

        def both() -> None:
            self._look()
            if look is not None:
                look()

        return super().wait(both)

    def _look(self) -> None:
        """Takes in what has been settled."""
        for row in self._core.pings(len(self._replies)):
            reply = ping_reply(row)
            self._replies.append(reply)
            if self._on_reply is not None:
                self._on_reply(reply)
        if self._progress is not None:
            self._progress(len(self._replies), self._count)

    def result(self) -> PingResult:
        """The requests settled so far, up to the first that still waits."""
        self._look()
        return PingResult(*self._ends, self._size, list(self._replies))


@dataclass(frozen=True)
class Stream:
    """One flow of several, as it was planned; its sending and its receiving host."""

    core: _core.Traffic
    plan: FlowPlan
    source: str
    target: str

    def where(self, source_port: int, start: int, ends: Iterable[int], now: int) -> Where:
        """What the results of UDP and TCP begin with.

        Raises:
            NetworkError: it could not start.
        """
        span = self.plan.duration_ns
        return {
            "source": self.source,
            "target": self.target,
            "reverse": self.plan.reverse,
            "source_port": source_port,
            "port": self.plan.port,
            "start_ns": start,
            "end_ns": max(start, *ends, 0 if span is None else min(start + span, now)),
        }

    def edges(self, number: int, span_ns: int) -> tuple[int, int]:
        """Where an interval begins and ends, in nanoseconds from the flow's start; the last ends with the flow."""
        length = self.plan.interval_ns or 0
        start, end = number * length, (number + 1) * length
        return start, span_ns if start < span_ns < end else end


class Where(TypedDict):
    """What :meth:`Stream.where` tells."""

    source: str
    target: str
    reverse: bool
    source_port: int
    port: int
    start_ns: int
    end_ns: int


class Streams(Flow[R]):
    """Flows from one host to another that were started together."""

    def __init__(self, clock: Clock, source: str, target: str, streams: Sequence[Stream]) -> None:
        super().__init__(clock, [stream.core for stream in streams])
        self._source, self._target, self._streams = source, target, streams


class UdpFlow(Streams[UdpResult]):
    """Flows of datagrams that were started together. Got from :meth:`Host.start_iperf` and its like."""

    def result(self) -> UdpResult:
        """What was sent and what arrived so far; what is under way counts as lost.

        Raises:
            NetworkError: a flow could not start.
        """
        streams = [self._stream(stream) for stream in self._streams]
        return UdpResult(self._source, self._target, streams)

    def _stream(self, stream: Stream) -> UdpStream:
        report = stream.core.udp()
        if report["failure"] is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report['failure']}")
        start = report["started"]
        ends = [report["last_sent"] or 0, *(report["arrivals"] or ())]
        where = stream.where(report["source_port"], start, ends, self._clock.now_ns)
        least, average, greatest, deviation = report["delays"] or (None, None, None, None)
        number, sent, arrived = (numbers(column) for column in report["rows"])
        delays = [(end - begin) / 1e6 for begin, end in zip(sent, arrived, strict=True)]
        return UdpStream(
            **where,
            bytes=report["received_bytes"],
            intervals=_udp_intervals(report, stream, where["end_ns"] - start),
            delays=Series("delay", "ms", arrived, delays),
            sent=report["sent"],
            sent_bytes=report["sent_bytes"],
            received=report["received"],
            duplicates=report["duplicates"],
            reordered=report["reordered"],
            refused=report["refused"],
            errors=report["errors"],
            jitter_ms=report["jitter"] / 1e6,
            delay_min_ms=_milliseconds(least),
            delay_mean_ms=_milliseconds(average),
            delay_max_ms=_milliseconds(greatest),
            delay_deviation_ms=_milliseconds(deviation),
            numbers=number,
        )


class TcpFlow(Streams[FlowResult]):
    """Flows over TCP that were started together. Got from :meth:`Host.start_iperf` and its like."""

    def pace(self, rate: str | None) -> None:
        """Paces what each flow sends from now on at a rate of IP packets, such as ``"10Mbit"``; None leaves it to the congestion control.

        Raises:
            UnitError: the rate cannot be read.
        """
        bits = None if rate is None else units.rate_bps(rate, "rate")
        for core in self._cores:
            core.pace(bits)

    def result(self) -> FlowResult:
        """What has arrived so far.

        Raises:
            NetworkError: a connection could not be opened, or nobody answered.
        """
        streams = [self._stream(stream) for stream in self._streams]
        return FlowResult(self._source, self._target, streams)

    def _stream(self, stream: Stream) -> TcpStream:
        report = stream.core.tcp()
        start, closed = report["started"], report["closed"]
        if report["failure"] is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report['failure']}")
        if report["connected"] is None and closed not in (None, "closed", "aborted"):
            why = "nobody answered" if closed == "timed out" else f"the connection was {closed}"
            raise NetworkError(f"{self._source} to {self._target}, TCP port {stream.plan.port}: {why}")
        figures = report["figures"] or _NO_FIGURES
        if closed == "closed" and figures["acked"] and not report["received"]:
            raise NetworkError(
                f"{self._source} to {self._target}, TCP port {stream.plan.port}: all arrived, but not at {self._target}: "
                "name the host that receives with server=…"
            )
        where = stream.where(report["source_port"] or 0, start, report["arrivals"] or (), self._clock.now_ns)
        trace = _trace(report)
        return TcpStream(
            **where,
            bytes=report["received"],
            intervals=_tcp_intervals(report, stream, where["end_ns"] - start),
            delays=_delays(trace, report),
            connected_ns=report["connected"],
            acked=figures["acked"],
            retransmits=figures["retransmits"],
            timeouts=figures["timeouts"],
            recoveries=figures["recoveries"],
            spurious=figures["spurious"],
            segments=figures["segments_out"],
            mss=figures["mss"],
            rtt_ms=_milliseconds(figures["srtt"] or None),
            rtt_variation_ms=_milliseconds(figures["rttvar"] if figures["srtt"] else None),
            rtt_min_ms=_milliseconds(figures["min_rtt"] or None),
            outcome=closed or "open",
            ip_options=report["ip_options"],
            trace=trace,
        )


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


class ReplayFlow(Flow[int]):
    """A replay that was started. Got from :meth:`Host.start_replay`."""

    def __init__(self, clock: Clock, core: _core.Traffic) -> None:
        super().__init__(clock, [core])
        self._core = core

    def result(self) -> int:
        """Frames sent so far."""
        return self._core.replayed()


def _udp_intervals(report: _core.UdpReport, stream: Stream, span_ns: int) -> list[UdpInterval]:
    intervals = []
    for number, (sent, there, received, size, reordered, delays, jitter) in enumerate(report["intervals"]):
        start, end = stream.edges(number, span_ns)
        intervals.append(
            UdpInterval(
                start_s=start / 1e9,
                end_s=end / 1e9,
                bytes=size,
                sent=sent,
                lost=sent - there,
                received=received,
                reordered=reordered,
                jitter_ms=jitter / 1e6 if received else None,
                delay_ms=delays / received / 1e6 if received else None,
            )
        )
    return intervals


def _tcp_intervals(report: _core.TcpReport, stream: Stream, span_ns: int) -> list[TcpInterval]:
    """What is left of the connection behind the flow's end belongs to the last interval."""
    intervals: list[TcpInterval] = []
    for number, (received, _, again, timeouts, window, rtt) in enumerate(report["intervals"]):
        start, end = stream.edges(number, span_ns)
        if start >= span_ns and intervals:
            # The last acknowledgements and the FINs' come behind the last byte.
            last = intervals[-1]
            intervals[-1] = replace(
                last, retransmits=last.retransmits + again, timeouts=last.timeouts + timeouts
            )
            continue
        intervals.append(
            TcpInterval(
                start_s=start / 1e9,
                end_s=end / 1e9,
                bytes=received,
                retransmits=again,
                timeouts=timeouts,
                cwnd_bytes=window,
                rtt_ms=_milliseconds(rtt or None),
            )
        )
    return intervals


def _trace(report: _core.TcpReport) -> TcpTrace:
    times, kinds, sequence, lengths, cwnd, ssthresh, flight, srtt = map(numbers, report["trace"])
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


def _delays(trace: TcpTrace, report: _core.TcpReport) -> Series:
    """Each time bytes came, how long ago the last of them had first been sent: new bytes are sent in their order, and come in it."""
    rows = zip(trace.times_ns, trace.kinds, trace.sequence, trace.lengths, strict=True)
    sent = [(first + length, time) for time, kind, first, length in rows if kind == "sent"]
    times, received = map(numbers, report["deliveries"])
    delays, place = [], 0
    for time, count in zip(times, received, strict=True):
        # The first byte is number 1.
        while sent[place][0] <= count:
            place += 1
        delays.append((time - sent[place][1]) / 1e6)
    return Series("delay", "ms", times, delays)


_NO_FIGURES: _core.TcpFigures = {
    "mss": 0,
    "cwnd": 0,
    "ssthresh": 0,
    "srtt": 0,
    "rttvar": 0,
    "min_rtt": 0,
    "rto": 0,
    "in_flight": 0,
    "pacing_rate": None,
    "written": 0,
    "room": 0,
    "acked": 0,
    "received": 0,
    "segments_out": 0,
    "segments_in": 0,
    "retransmits": 0,
    "timeouts": 0,
    "recoveries": 0,
    "spurious": 0,
    "ecn_reductions": 0,
    "peer_window": 0,
}
"""Those of a connection before its beginning."""


def _milliseconds(nanoseconds: float | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6

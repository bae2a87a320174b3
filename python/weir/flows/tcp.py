"""Running flows over TCP, and their results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from weir import _core, units
from weir.errors import NetworkError
from weir.flows.stream import Stream, Streams, milliseconds
from weir.measure import FlowResult, TcpInterval, TcpStream, TcpTrace
from weir.measure.series import Series, numbers

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class TcpFlow(Streams[FlowResult, "cores.TcpTraffic"]):
    """TCP flows that were started together, from :meth:`Host.start_iperf` and similar methods."""

    def pace(self, rate: str | None) -> None:
        """Paces each flow at a rate of IP packets, such as ``"10Mbit"``.

        ``None`` leaves pacing to the congestion control.

        Raises:
            UnitError: the rate cannot be read.
        """
        bits = None if rate is None else units.rate_bps(rate, "rate")
        for stream in self._streams:
            stream.core.pace(bits)

    def result(self) -> FlowResult:
        """Returns the result with the data that has arrived so far.

        Raises:
            NetworkError: a connection could not be opened, or the target did not answer.
        """
        streams = [self._stream(stream) for stream in self._streams]
        reason = self._loss_reason() if any(stream.retransmits for stream in streams) else None
        return FlowResult(self._source, self._target, streams, reason)

    def _stream(self, stream: Stream[cores.TcpTraffic]) -> TcpStream:
        report = stream.core.tcp()
        start, closed = report["started"], report["closed"]
        if report["failure"] is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report['failure']}")
        if report["connected"] is None and closed not in (None, "closed", "aborted"):
            reason = "nobody answered" if closed == "timed out" else f"the connection was {closed}"
            why = self._unexplained_loss() if closed == "timed out" else self._loss_reason()
            raise NetworkError(
                f"{self._source} to {self._target}, TCP port {stream.plan.port}: {reason}"
                + ("" if why is None else f". Why: {why}")
            )
        figures = report["figures"] or _NO_FIGURES
        if closed == "closed" and figures["acked"] and not report["received"]:
            raise NetworkError(
                f"{self._source} to {self._target}, TCP port {stream.plan.port}: all arrived, but not "
                f"at {' or '.join(stream.servers)}: name the host that receives with server=…"
            )
        common_result = stream.common_result(
            report["server"], report["source_port"] or 0, start, report["arrivals"] or (), self._clock.now_ns
        )
        trace = _trace(report)
        return TcpStream(
            **common_result,
            bytes=report["received"],
            intervals=_tcp_intervals(report, stream, common_result["end_ns"] - start),
            delays=_delays(trace, report),
            connected_ns=report["connected"],
            acked=figures["acked"],
            retransmits=figures["retransmits"],
            timeouts=figures["timeouts"],
            recoveries=figures["recoveries"],
            spurious=figures["spurious"],
            segments=figures["segments_out"],
            mss=figures["mss"],
            rtt_ms=milliseconds(figures["srtt"] or None),
            rtt_variation_ms=milliseconds(figures["rttvar"] if figures["srtt"] else None),
            rtt_min_ms=milliseconds(figures["min_rtt"] or None),
            outcome=closed or "open",
            ip_options=report["ip_options"],
            trace=trace,
        )


def _tcp_intervals(
    report: _core.TcpReport, stream: Stream[cores.TcpTraffic], span_ns: int
) -> list[TcpInterval]:
    """Returns the intervals; events after the flow's end count in the last one."""
    intervals: list[TcpInterval] = []
    for number, (received, _, again, timeouts, window, rtt) in enumerate(report["intervals"]):
        start, end = stream.interval_bounds(number, span_ns)
        if start >= span_ns and intervals:
            # The last acknowledgements, including those of the FINs, arrive after the last byte.
            last = intervals[-1]
            timeout_count = None if last.timeouts is None else last.timeouts + timeouts
            intervals[-1] = replace(last, retransmits=last.retransmits + again, timeouts=timeout_count)
            continue
        intervals.append(
            TcpInterval(
                start_s=start / 1e9,
                end_s=end / 1e9,
                bytes=received,
                retransmits=again,
                timeouts=timeouts,
                cwnd_bytes=window,
                rtt_ms=milliseconds(rtt or None),
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
    """Computes the delay of each delivery: the time since the delivery's last byte was first sent.

    New bytes are sent and delivered in order.
    """
    rows = zip(trace.times_ns, trace.kinds, trace.sequence, trace.lengths, strict=True)
    sent = [(first + length, time) for time, kind, first, length in rows if kind == "sent"]
    times, received = map(numbers, report["deliveries"])
    delays, place = [], 0
    for time, count in zip(times, received, strict=True):
        # Byte numbers begin at 1.
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
    "send_space": 0,
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
"""The counters of a connection before it is opened."""

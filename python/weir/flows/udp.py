"""Running flows of datagrams, and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import _core
from weir.errors import NetworkError
from weir.flows.stream import Stream, Streams, milliseconds
from weir.measure import UdpInterval, UdpResult, UdpStream
from weir.measure.series import Series, numbers

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class UdpFlow(Streams[UdpResult, "cores.UdpTraffic"]):
    """UDP flows that were started together, from :meth:`Host.start_iperf` and similar methods."""

    def result(self) -> UdpResult:
        """Returns the datagrams sent and received so far; datagrams in flight count as lost.

        Raises:
            NetworkError: a flow could not start.
        """
        streams = [self._stream(stream) for stream in self._streams]
        reason = None
        if any(stream.refused for stream in streams):
            reason = self._loss_reason() or f"{self._source} has no route to the target."
        elif any(stream.lost for stream in streams):
            reason = self._unexplained_loss()
        return UdpResult(self._source, self._target, streams, reason)

    def _stream(self, stream: Stream[cores.UdpTraffic]) -> UdpStream:
        report = stream.core.udp()
        if report["failure"] is not None:
            raise NetworkError(f"{self._source} to {self._target}: {report['failure']}")
        start = report["started"]
        ends = [report["last_sent"] or 0, *(report["arrivals"] or ())]
        common_result = stream.common_result(
            report["server"], report["source_port"], start, ends, self._clock.now_ns
        )
        smallest, average, largest, deviation = report["delays"] or (None, None, None, None)
        number, sent, arrived = (numbers(column) for column in report["rows"])
        delays = [(end - begin) / 1e6 for begin, end in zip(sent, arrived, strict=True)]
        return UdpStream(
            **common_result,
            bytes=report["received_bytes"],
            intervals=_udp_intervals(report, stream, common_result["end_ns"] - start),
            delays=Series("delay", "ms", arrived, delays),
            sent=report["sent"],
            sent_bytes=report["sent_bytes"],
            received=report["received"],
            by_server=_datagrams_by_server(stream, report),
            duplicates=report["duplicates"],
            reordered=report["reordered"],
            refused=report["refused"],
            errors=report["errors"],
            jitter_ms=report["jitter"] / 1e6,
            delay_min_ms=milliseconds(smallest),
            delay_mean_ms=milliseconds(average),
            delay_max_ms=milliseconds(largest),
            delay_deviation_ms=milliseconds(deviation),
            numbers=number,
            receiver_s=self._receiver_s(stream, report),
        )

    def _receiver_s(self, stream: Stream[cores.UdpTraffic], report: _core.UdpReport) -> tuple[float, float]:
        """Computes the begin and the end of the time during which datagrams arrived, in seconds;
        see :class:`weir.UdpStream`."""
        start, arrivals = report["started"], report["arrivals"]
        if arrivals is None:
            return (0.0, (max(start, report["last_sent"] or 0) - start) / 1e9)
        first, last = arrivals
        duration = stream.plan.duration_ns
        if duration is None:
            # Each datagram counts for the time until the next datagram.
            sent = _filled_time((report["last_sent"] or start) - start, report["sent"])
            span = max(sent, _filled_time(last - first, report["received"]))
            if not span:
                return (0.0, (last - start) / 1e9)
        else:
            if self._stopped_ns is not None:
                duration = min(duration, max(0, self._stopped_ns - start))
            elif not stream.core.finished:
                duration = min(duration, self._clock.now_ns - first)
            if report["sent"] == 1 and duration < last - start:
                # The flow is measured without a duration, like a flow with a fixed number of
                # datagrams.
                return (0.0, (last - start) / 1e9)
            span = max(duration, last - first)
        return ((first - start) / 1e9, (first - start + span) / 1e9)


def _filled_time(span_ns: int, datagrams: int) -> int:
    """Extends the time between the first and the last datagram by one mean gap between
    datagrams."""
    return span_ns * datagrams // (datagrams - 1) if datagrams > 1 else 0


def _datagrams_by_server(stream: Stream[cores.UdpTraffic], report: _core.UdpReport) -> dict[str, int]:
    counts, place = report["by_server"], report["server"]
    if counts:
        return dict(zip(stream.servers, counts, strict=True))
    # There is only one datagram, or several servers send.
    return {name: report["received"] if number == place else 0 for number, name in enumerate(stream.servers)}


def _udp_intervals(
    report: _core.UdpReport, stream: Stream[cores.UdpTraffic], span_ns: int
) -> list[UdpInterval]:
    intervals = []
    for number, (sent, there, received, size, reordered, delays, jitter) in enumerate(report["intervals"]):
        start, end = stream.interval_bounds(number, span_ns)
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

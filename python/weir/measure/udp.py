"""Results of flows of datagrams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weir.measure.flow import Flows, FlowStream, Interval
from weir.measure.losses import add_reason


@dataclass(frozen=True, kw_only=True)
class UdpInterval(Interval):
    """One interval of a flow, or of several flows together; see :class:`Interval`.

    Attributes:
        sent: datagrams sent in the interval.
        lost: datagrams sent in the interval that never arrived.
        received: datagrams that arrived in the interval, without duplicates.
        reordered: datagrams that arrived in the interval after one with a higher number.
        jitter_ms: the jitter of RFC 3550 after the last arrival; ``None`` if no datagram arrived.
            For several flows the mean.
        delay_ms: the mean one-way delay of the arrivals; ``None`` if no datagram arrived.
    """

    sent: int
    lost: int
    received: int
    reordered: int
    jitter_ms: float | None
    delay_ms: float | None


@dataclass(frozen=True, kw_only=True)
class UdpStream(FlowStream[UdpInterval]):
    """One flow of datagrams; see :class:`FlowStream`.

    The flow ends when its last datagram arrived, when it was sent if none arrived later, or at the
    end of its duration. ``delays`` has the one-way delay of each arrival, in the order of arrival.

    Attributes:
        sent: datagrams sent.
        sent_bytes: bytes of payload sent.
        received: datagrams that arrived, without duplicates.
        by_server: the number of datagrams that each server received; with ``reverse``, that it
            sent.
        duplicates: arrivals of datagrams that had arrived before.
        reordered: datagrams that arrived after one with a higher number; they do not count as lost.
        refused: datagrams that could not be sent because there was no route.
        errors: ICMP errors received.
        jitter_ms: the jitter of RFC 3550 after the last arrival.
        delay_min_ms: the smallest one-way delay; ``None`` if nothing arrived, like the next three.
        delay_mean_ms: the mean one-way delay.
        delay_max_ms: the largest one-way delay.
        delay_deviation_ms: the standard deviation of the one-way delay.
        numbers: the numbers of the datagrams in ``delays``, from 0.
        receiver_s: the start and the end of the interval over which goodput is measured, in seconds
            after the flow's start. The interval begins when the first datagram arrives, and lasts
            as long as the sender sends, or until the last datagram arrives if that is later. The
            goodput therefore does not depend on the delay of datagrams. For a flow of one datagram,
            the interval is the datagram's travel time and begins with the flow.
    """

    sent: int
    sent_bytes: int
    received: int
    by_server: Mapping[str, int]
    duplicates: int
    reordered: int
    refused: int
    errors: int
    jitter_ms: float
    delay_min_ms: float | None
    delay_mean_ms: float | None
    delay_max_ms: float | None
    delay_deviation_ms: float | None
    numbers: Sequence[int] = field(repr=False)
    receiver_s: tuple[float, float]

    @property
    def goodput_bps(self) -> float:
        """The goodput in bits per second over the interval ``receiver_s``; 0 if nothing arrived."""
        return _rate(self.bytes, self.receiver_s)

    @property
    def lost(self) -> int:
        """The number of datagrams that did not arrive."""
        return self.sent - self.received

    @property
    def loss(self) -> float:
        """The share of sent datagrams that were lost, from 0 to 1; 0 if none was sent."""
        return self.lost / self.sent if self.sent else 0.0


@dataclass(frozen=True, repr=False)
class UdpResult(Flows[UdpStream, UdpInterval]):
    """The result of flows of datagrams from one host to another; see :class:`Flows`.

    Bytes are counted after the UDP header.
    """

    @property
    def receiver_s(self) -> tuple[float, float]:
        """The interval over which goodput is measured, over all flows; see :class:`UdpStream`."""
        reached = [stream for stream in self.streams if stream.received]
        if not reached:
            return (0.0, self.duration_s)
        begun = min(stream.start_ns for stream in self.streams)
        late = [(stream.start_ns - begun) / 1e9 for stream in reached]
        return (
            min(lateness + stream.receiver_s[0] for lateness, stream in zip(late, reached, strict=True)),
            max(lateness + stream.receiver_s[1] for lateness, stream in zip(late, reached, strict=True)),
        )

    @property
    def goodput_bps(self) -> float:
        """The goodput in bits per second over ``receiver_s``, summed over all flows."""
        return _rate(self.bytes, self.receiver_s)

    @property
    def sent(self) -> int:
        """The number of datagrams sent, summed over all flows."""
        return sum(stream.sent for stream in self.streams)

    @property
    def received(self) -> int:
        """The number of datagrams that arrived (without duplicates), summed over all flows."""
        return sum(stream.received for stream in self.streams)

    @property
    def lost(self) -> int:
        """The number of datagrams that did not arrive, summed over all flows."""
        return self.sent - self.received

    @property
    def loss(self) -> float:
        """The share of sent datagrams that were lost, from 0 to 1; 0 if none was sent."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def reordered(self) -> int:
        """The number of datagrams that arrived after a later one, summed over all flows."""
        return sum(stream.reordered for stream in self.streams)

    @property
    def duplicates(self) -> int:
        """The number of arrivals of datagrams that had arrived before, summed over all flows."""
        return sum(stream.duplicates for stream in self.streams)

    @property
    def refused(self) -> int:
        """The number of datagrams not sent because there was no route, summed over all flows."""
        return sum(stream.refused for stream in self.streams)

    @property
    def errors(self) -> int:
        """The number of ICMP errors received, summed over all flows."""
        return sum(stream.errors for stream in self.streams)

    @property
    def sent_bytes(self) -> int:
        """The bytes of payload sent, summed over all flows."""
        return sum(stream.sent_bytes for stream in self.streams)

    @property
    def jitter_ms(self) -> float:
        """The jitter of RFC 3550 in milliseconds, averaged over the flows."""
        return sum(stream.jitter_ms for stream in self.streams) / max(1, len(self.streams))

    @property
    def delay_mean_ms(self) -> float | None:
        """The mean one-way delay of all arrivals in milliseconds; ``None`` if nothing arrived."""
        delays = [(stream.received, stream.delay_mean_ms) for stream in self.streams]
        total = sum(count * delay for count, delay in delays if delay is not None)
        return total / self.received if self.received else None

    @property
    def delay_min_ms(self) -> float | None:
        """The smallest one-way delay in milliseconds; ``None`` if nothing arrived."""
        return min(self._interval_values("delay_min_ms"), default=None)

    @property
    def delay_max_ms(self) -> float | None:
        """The largest one-way delay in milliseconds; ``None`` if nothing arrived."""
        return max(self._interval_values("delay_max_ms"), default=None)

    @property
    def delay_deviation_ms(self) -> float | None:
        """The standard deviation of the one-way delay of all arrivals in milliseconds; ``None`` if
        nothing arrived."""
        mean = self.delay_mean_ms
        if mean is None:
            return None
        arrived = [stream for stream in self.streams if stream.received]
        # The variance of all arrivals is the mean of the variances within the flows, plus the
        # variance of the flows' means.
        squares = sum(
            stream.received * (stream.delay_deviation_ms**2 + (stream.delay_mean_ms - mean) ** 2)
            for stream in arrived
            if stream.delay_deviation_ms is not None and stream.delay_mean_ms is not None
        )
        return math.sqrt(squares / self.received)

    def _interval_values(self, name: str) -> list[float]:
        return [value for stream in self.streams if (value := getattr(stream, name)) is not None]

    @property
    def _interval_type(self) -> type[UdpInterval]:
        """The class of the intervals."""
        return UdpInterval

    @property
    def intervals(self) -> list[UdpInterval]:
        """The intervals, each as the sum over all flows.

        Jitter is the mean over the flows, delay over the arrivals.
        """
        together = []
        for parts in self._common_intervals():
            received = sum(part.received for part in parts)
            jitters = [part.jitter_ms for part in parts if part.jitter_ms is not None]
            delays = sum(part.delay_ms * part.received for part in parts if part.delay_ms is not None)
            together.append(
                UdpInterval(
                    start_s=parts[0].start_s,
                    end_s=max(part.end_s for part in parts),
                    sent=sum(part.sent for part in parts),
                    lost=sum(part.lost for part in parts),
                    received=received,
                    bytes=sum(part.bytes for part in parts),
                    reordered=sum(part.reordered for part in parts),
                    jitter_ms=sum(jitters) / len(jitters) if jitters else None,
                    delay_ms=delays / received if received else None,
                )
            )
        return together

    def __str__(self) -> str:
        flows = "" if len(self.streams) == 1 else f" ({len(self.streams)} flows)"
        lines = [
            f"{self.source} -> {self.target}{flows}: {self.bytes} bytes in {self.duration_s:.3f} s, "
            f"{self.goodput_mbps:.3f} Mbit/s",
            f"{self.lost}/{self.sent} lost ({100 * self.loss:.3g}%), {self.reordered} reordered, "
            f"{self.duplicates} duplicates, jitter {self.jitter_ms:.3f} ms",
        ]
        if self.refused:
            lines.append(f"{self.refused} not sent: no route")
        if self.errors:
            lines.append(f"{self.errors} ICMP errors received")
        return add_reason(lines, self.why)


def _rate(size: int, span: tuple[float, float]) -> float:
    start, end = span
    return size * 8 / (end - start) if end > start else 0.0

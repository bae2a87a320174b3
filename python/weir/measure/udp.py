"""What flows of datagrams came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weir.measure.series import Series
from weir.measure.table import Table

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class UdpInterval:
    """What happened in one interval of a flow.

    Attributes:
        start_s: its start, in seconds from the flow's.
        end_s: its end.
        sent: datagrams sent in it.
        lost: how many of those did not arrive, then or later.
        received: datagrams that arrived in it, each number once.
        bytes: their payload.
        reordered: how many of them came behind one with a higher number.
        jitter_ms: the jitter of RFC 3550 after the last of them; None if none arrived.
        delay_ms: their mean one-way delay; None if none arrived.
    """

    start_s: float
    end_s: float
    sent: int
    lost: int
    received: int
    bytes: int
    reordered: int
    jitter_ms: float | None
    delay_ms: float | None

    @property
    def goodput_bps(self) -> float:
        """Bits of payload that arrived per second."""
        return self.bytes * 8 / (self.end_s - self.start_s)


@dataclass(frozen=True)
class UdpStream:
    """One flow of datagrams.

    Attributes:
        source: the sending host.
        target: the receiving host.
        source_port: the UDP port it came from.
        port: the UDP port it went to.
        start_ns: when it started, in nanoseconds of virtual time.
        end_ns: when the last datagram arrived, or was sent if none arrived after that, or the time was over that it was to take.
        sent: datagrams sent.
        sent_bytes: their payload.
        received: datagrams that arrived, each number once.
        bytes: their payload.
        duplicates: arrivals of what had arrived before.
        reordered: arrivals behind one with a higher number. Late is not lost.
        refused: datagrams that could not be sent, for want of a route.
        errors: ICMP errors that came back.
        jitter_ms: the jitter of RFC 3550 after the last arrival.
        delay_min_ms: one-way delay, None if nothing arrived; as the following.
        delay_mean_ms: their mean.
        delay_max_ms: the greatest.
        delay_deviation_ms: their standard deviation.
        intervals: by interval.
        delays: each arrival's one-way delay in milliseconds, in the order and at the times of arrival; empty unless asked for.
        numbers: the numbers of these datagrams, from 0.
    """

    source: str
    target: str
    source_port: int
    port: int
    start_ns: int
    end_ns: int
    sent: int
    sent_bytes: int
    received: int
    bytes: int
    duplicates: int
    reordered: int
    refused: int
    errors: int
    jitter_ms: float
    delay_min_ms: float | None
    delay_mean_ms: float | None
    delay_max_ms: float | None
    delay_deviation_ms: float | None
    intervals: Sequence[UdpInterval] = field(repr=False)
    delays: Series = field(repr=False)
    numbers: Sequence[int] = field(repr=False)

    @property
    def lost(self) -> int:
        """Datagrams that did not arrive."""
        return self.sent - self.received

    @property
    def duration_s(self) -> float:
        """Seconds from the start to the end."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits of payload that arrived per second; 0 for a flow that took no time."""
        return self.bytes * 8 / self.duration_s if self.end_ns > self.start_ns else 0.0


@dataclass(frozen=True)
class UdpResult(Table):
    """What flows of datagrams from one host to another came to, together. Sizes count payload: bytes after the UDP header.

    Attributes:
        source: the sending host.
        target: the receiving host.
        streams: the flows, one unless more were asked for at once.
    """

    source: str
    target: str
    streams: Sequence[UdpStream]

    @property
    def sent(self) -> int:
        """Datagrams sent."""
        return sum(stream.sent for stream in self.streams)

    @property
    def received(self) -> int:
        """Datagrams that arrived."""
        return sum(stream.received for stream in self.streams)

    @property
    def lost(self) -> int:
        """Datagrams that did not arrive."""
        return self.sent - self.received

    @property
    def loss(self) -> float:
        """The lost ones' share of those sent, from 0 to 1; 0 if none was sent."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def reordered(self) -> int:
        """Datagrams that came behind one with a higher number."""
        return sum(stream.reordered for stream in self.streams)

    @property
    def duplicates(self) -> int:
        """Arrivals of what had arrived before."""
        return sum(stream.duplicates for stream in self.streams)

    @property
    def sent_bytes(self) -> int:
        """Bytes of payload sent."""
        return sum(stream.sent_bytes for stream in self.streams)

    @property
    def bytes(self) -> int:
        """Bytes of payload that arrived."""
        return sum(stream.bytes for stream in self.streams)

    @property
    def duration_s(self) -> float:
        """Seconds from the first start to the last end."""
        if not self.streams:
            return 0.0
        start = min(stream.start_ns for stream in self.streams)
        return (max(stream.end_ns for stream in self.streams) - start) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits of payload that arrived per second, all flows together."""
        return self.bytes * 8 / self.duration_s if self.duration_s else 0.0

    @property
    def goodput_mbps(self) -> float:
        """The same in Mbit/s."""
        return self.goodput_bps / 1e6

    @property
    def jitter_ms(self) -> float:
        """The jitter of RFC 3550, the mean over the flows."""
        return sum(stream.jitter_ms for stream in self.streams) / max(1, len(self.streams))

    @property
    def delay_mean_ms(self) -> float | None:
        """The mean one-way delay of all arrivals; None if nothing arrived."""
        known = [(stream.received, stream.delay_mean_ms) for stream in self.streams]
        total = sum(count * delay for count, delay in known if delay is not None)
        return total / self.received if self.received else None

    @property
    def intervals(self) -> list[UdpInterval]:
        """All flows' intervals added up. Jitter is the mean over the flows, delay over the arrivals."""
        together = []
        for number in range(max((len(stream.intervals) for stream in self.streams), default=0)):
            parts = [stream.intervals[number] for stream in self.streams if number < len(stream.intervals)]
            received = sum(part.received for part in parts)
            jitters = [part.jitter_ms for part in parts if part.jitter_ms is not None]
            delays = sum(part.delay_ms * part.received for part in parts if part.delay_ms is not None)
            together.append(
                UdpInterval(
                    parts[0].start_s,
                    parts[0].end_s,
                    sum(part.sent for part in parts),
                    sum(part.lost for part in parts),
                    received,
                    sum(part.bytes for part in parts),
                    sum(part.reordered for part in parts),
                    sum(jitters) / len(jitters) if jitters else None,
                    delays / received if received else None,
                )
            )
        return together

    def to_frame(self) -> polars.DataFrame:
        """A row an interval of a flow: ``stream`` (from 1), the interval's values, ``goodput_bps``."""
        import polars

        rows = [
            (number, interval)
            for number, stream in enumerate(self.streams, 1)
            for interval in stream.intervals
        ]
        schema: dict[str, type[polars.DataType]] = {
            "stream": polars.Int64,
            "start_s": polars.Float64,
            "end_s": polars.Float64,
            "sent": polars.Int64,
            "lost": polars.Int64,
            "received": polars.Int64,
            "bytes": polars.Int64,
            "reordered": polars.Int64,
            "jitter_ms": polars.Float64,
            "delay_ms": polars.Float64,
            "goodput_bps": polars.Float64,
        }
        columns = {name: [getattr(interval, name) for _, interval in rows] for name in list(schema)[1:]}
        return polars.DataFrame({"stream": [number for number, _ in rows], **columns}, schema=schema)

    def draw(self, ax: Axes) -> None:
        """Goodput over time, a step an interval."""
        intervals = self.intervals
        edges = [interval.start_s for interval in intervals] + [intervals[-1].end_s] if intervals else []
        if edges:
            ax.stairs([interval.goodput_bps / 1e6 for interval in intervals], edges, label="goodput")
        ax.set_xlabel("time in s")
        ax.set_ylabel("goodput in Mbit/s")
        ax.set_ylim(bottom=0)

    def __str__(self) -> str:
        lines = [
            f"{self.source} -> {self.target}: {self.bytes} bytes in {self.duration_s:.3f} s, {self.goodput_mbps:.3f} Mbit/s",
            f"{self.lost}/{self.sent} lost ({100 * self.loss:.3g}%), {self.reordered} reordered, "
            f"{self.duplicates} duplicates, jitter {self.jitter_ms:.3f} ms",
        ]
        return "\n".join(lines)

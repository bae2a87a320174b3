"""What bulk flows over TCP came to."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weir.measure.series import Series
from weir.measure.table import Table

if TYPE_CHECKING:
    import polars
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class TcpInterval:
    """What happened in one interval of a flow, or of several together.

    Attributes:
        start_s: its start, in seconds from the flow's.
        end_s: its end.
        bytes: what the receiving application got in it.
        retransmits: segments sent again in it.
        timeouts: retransmission time-outs in it.
        cwnd_bytes: the congestion window at its end; of several flows their sum.
        rtt_ms: the smoothed round-trip time at its end; of several flows the mean; None before a first measurement.
    """

    start_s: float
    end_s: float
    bytes: int
    retransmits: int
    timeouts: int
    cwnd_bytes: int
    rtt_ms: float | None

    @property
    def goodput_bps(self) -> float:
        """Bits that the receiving application got per second."""
        return self.bytes * 8 / (self.end_s - self.start_s)


@dataclass(frozen=True, eq=False)
class TcpTrace(Table):
    """A row for each segment sent, each acknowledgement, and each turn of recovery, as the sender saw them.

    Attributes:
        times_ns: when, in nanoseconds of virtual time.
        kinds: ``sent``, ``resent``, ``acked``, ``timeout``, ``recovery``, ``recovered`` or ``undone`` (a reduction taken back).
        sequence: the position in the stream of bytes; 1 is the first byte of data.
        lengths: bytes; of ``acked`` those acknowledged.
        cwnd: the congestion window in bytes.
        ssthresh: the slow start threshold in bytes; None while there is none.
        in_flight: bytes thought to be in the network.
        srtt_ns: the smoothed round-trip time in nanoseconds.
    """

    times_ns: Sequence[int]
    kinds: Sequence[str]
    sequence: Sequence[int]
    lengths: Sequence[int]
    cwnd: Sequence[int]
    ssthresh: Sequence[int | None]
    in_flight: Sequence[int]
    srtt_ns: Sequence[int]

    def __len__(self) -> int:
        return len(self.times_ns)

    @property
    def window(self) -> Series:
        """The congestion window over time, in kB."""
        return Series("cwnd", "kB", self.times_ns, [value / 1e3 for value in self.cwnd])

    @property
    def flight(self) -> Series:
        """The bytes in flight over time, in kB."""
        return Series("in_flight", "kB", self.times_ns, [value / 1e3 for value in self.in_flight])

    @property
    def rtt(self) -> Series:
        """The smoothed round-trip time over time, in ms."""
        return Series("srtt", "ms", self.times_ns, [value / 1e6 for value in self.srtt_ns])

    def count(self, kind: str) -> int:
        """How many rows are of a kind."""
        return sum(known == kind for known in self.kinds)

    def to_frame(self) -> polars.DataFrame:
        """A row an event: ``time_s``, ``kind``, ``sequence``, ``length``, ``cwnd``, ``ssthresh``, ``in_flight``, ``srtt_ms``."""
        import polars

        return polars.DataFrame(
            {
                "time_s": [time / 1e9 for time in self.times_ns],
                "kind": list(self.kinds),
                "sequence": list(self.sequence),
                "length": list(self.lengths),
                "cwnd": list(self.cwnd),
                "ssthresh": list(self.ssthresh),
                "in_flight": list(self.in_flight),
                "srtt_ms": [value / 1e6 for value in self.srtt_ns],
            },
            schema={
                "time_s": polars.Float64,
                "kind": polars.String,
                "sequence": polars.Int64,
                "length": polars.Int64,
                "cwnd": polars.Int64,
                "ssthresh": polars.Int64,
                "in_flight": polars.Int64,
                "srtt_ms": polars.Float64,
            },
        )

    def draw(self, ax: Axes) -> None:
        """Sequence numbers over time, as the books draw them: segments, acknowledgements, and what was sent again."""
        for kind, mark, size in (("sent", ".", 2.0), ("acked", ".", 1.0), ("resent", "x", 4.0)):
            places = [place for place, known in enumerate(self.kinds) if known == kind]
            times = [self.times_ns[place] / 1e9 for place in places]
            ax.plot(
                times,
                [self.sequence[place] / 1e3 for place in places],
                mark,
                markersize=size,
                label=kind,
            )
        for place, kind in enumerate(self.kinds):
            if kind == "timeout":
                ax.axvline(self.times_ns[place] / 1e9, linestyle=":", linewidth=1)
        ax.set_xlabel("time in s")
        ax.set_ylabel("sequence number in kB")
        ax.legend()

    def plot_window(self, path: str | Path, title: str | None = None) -> Path:
        """Draws congestion window, slow start threshold and bytes in flight over time into a file; the path.

        Raises:
            FileError: the file cannot be written, or its ending says no picture's format.
        """
        from weir.report.plot import axes, save_as

        times = [time / 1e9 for time in self.times_ns]
        known = [
            (time, value / 1e3) for time, value in zip(times, self.ssthresh, strict=True) if value is not None
        ]
        with axes() as ax:
            ax.plot(times, [value / 1e3 for value in self.in_flight], linewidth=0.8, label="in flight")
            ax.plot(times, [value / 1e3 for value in self.cwnd], label="congestion window")
            if known:
                ax.plot(*zip(*known, strict=True), linestyle="--", label="slow start threshold")
            ax.set_xlabel("time in s")
            ax.set_ylabel("kB")
            ax.set_ylim(bottom=0)
            ax.legend()
            if title is not None:
                ax.set_title(title)
            return save_as(ax, Path(path))


@dataclass(frozen=True)
class TcpStream:
    """One bulk flow over TCP.

    Attributes:
        source: the sending host, which opened the connection.
        target: the receiving host.
        source_port: the TCP port it came from.
        port: the TCP port it went to.
        start_ns: when its SYN left, in nanoseconds of virtual time.
        end_ns: when the last byte arrived, or the time was over that it was to take.
        connected_ns: when the handshake was complete; None if it was not.
        bytes: what the receiving application got.
        acked: bytes acknowledged to the sender.
        retransmits: segments sent again.
        timeouts: retransmission time-outs.
        recoveries: recoveries begun without a time-out.
        segments: segments sent, those without data too.
        mss: payload of a full segment in bytes.
        rtt_ms: the smoothed round-trip time at the end; None without a measurement.
        rtt_min_ms: the least round-trip time seen.
        outcome: how the connection ended: ``closed`` (all arrived), ``reset``, ``timed out``, ``aborted``; ``open`` while it has not.
        ip_options: the IPv4 options of the server's SYN-ACK.
        intervals: by interval.
        trace: each segment and acknowledgement; empty unless asked for.
    """

    source: str
    target: str
    source_port: int
    port: int
    start_ns: int
    end_ns: int
    connected_ns: int | None
    bytes: int
    acked: int
    retransmits: int
    timeouts: int
    recoveries: int
    segments: int
    mss: int
    rtt_ms: float | None
    rtt_min_ms: float | None
    outcome: str
    ip_options: builtins.bytes
    intervals: Sequence[TcpInterval] = field(repr=False)
    trace: TcpTrace = field(repr=False)

    @property
    def duration_s(self) -> float:
        """Seconds from the start to the end."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits that the receiving application got per second; 0 for a flow that took no time."""
        return self.bytes * 8 / self.duration_s if self.end_ns > self.start_ns else 0.0


@dataclass(frozen=True)
class FlowResult(Table):
    """What bulk flows over TCP from one host to another came to, together. Bytes are those that applications write and get.

    Attributes:
        source: the sending host.
        target: the receiving host.
        streams: the flows, one unless more were asked for at once.
    """

    source: str
    target: str
    streams: Sequence[TcpStream]

    @property
    def bytes(self) -> int:
        """What the receiving application got."""
        return sum(stream.bytes for stream in self.streams)

    @property
    def retransmits(self) -> int:
        """Segments sent again."""
        return sum(stream.retransmits for stream in self.streams)

    @property
    def timeouts(self) -> int:
        """Retransmission time-outs."""
        return sum(stream.timeouts for stream in self.streams)

    @property
    def duration_s(self) -> float:
        """Seconds from the first start to the last end: the flow's completion time, if it was to send so many bytes."""
        if not self.streams:
            return 0.0
        start = min(stream.start_ns for stream in self.streams)
        return (max(stream.end_ns for stream in self.streams) - start) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits that the receiving application got per second, all flows together."""
        return self.bytes * 8 / self.duration_s if self.duration_s else 0.0

    @property
    def goodput_mbps(self) -> float:
        """The same in Mbit/s."""
        return self.goodput_bps / 1e6

    @property
    def intervals(self) -> list[TcpInterval]:
        """All flows' intervals added up."""
        together = []
        for number in range(max((len(stream.intervals) for stream in self.streams), default=0)):
            parts = [stream.intervals[number] for stream in self.streams if number < len(stream.intervals)]
            rtts = [part.rtt_ms for part in parts if part.rtt_ms is not None]
            together.append(
                TcpInterval(
                    parts[0].start_s,
                    max(part.end_s for part in parts),
                    sum(part.bytes for part in parts),
                    sum(part.retransmits for part in parts),
                    sum(part.timeouts for part in parts),
                    sum(part.cwnd_bytes for part in parts),
                    sum(rtts) / len(rtts) if rtts else None,
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
            "bytes": polars.Int64,
            "retransmits": polars.Int64,
            "timeouts": polars.Int64,
            "cwnd_bytes": polars.Int64,
            "rtt_ms": polars.Float64,
            "goodput_bps": polars.Float64,
        }
        columns = {name: [getattr(interval, name) for _, interval in rows] for name in list(schema)[1:]}
        return polars.DataFrame({"stream": [number for number, _ in rows], **columns}, schema=schema)

    def draw(self, ax: Axes) -> None:
        """Goodput over time, a step an interval; each flow's, if there are several."""
        for number, stream in enumerate(self.streams, 1):
            if stream.intervals:
                edges = [interval.start_s for interval in stream.intervals] + [stream.intervals[-1].end_s]
                rates = [interval.goodput_bps / 1e6 for interval in stream.intervals]
                ax.stairs(rates, edges, label=f"flow {number}")
        if len(self.streams) > 1:
            ax.legend()
        ax.set_xlabel("time in s")
        ax.set_ylabel("goodput in Mbit/s")
        ax.set_ylim(bottom=0)

    def __str__(self) -> str:
        flows = "" if len(self.streams) == 1 else f" ({len(self.streams)} flows)"
        return (
            f"{self.source} -> {self.target}{flows}: {self.bytes} bytes in {self.duration_s:.3f} s, "
            f"{self.goodput_mbps:.3f} Mbit/s\n{self.retransmits} segments sent again, {self.timeouts} time-outs"
        )

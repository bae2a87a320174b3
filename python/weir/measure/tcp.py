"""Results of flows over TCP."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from weir.files.columns import Column
from weir.measure.flow import Flows, FlowStream, Interval
from weir.measure.losses import add_reason
from weir.measure.series import Series
from weir.measure.table import Table, plot_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class TcpInterval(Interval):
    """One interval of a flow, or of several flows together; see :class:`Interval`.

    Attributes:
        retransmits: segments retransmitted in the interval.
        timeouts: retransmission timeouts in the interval; ``None`` if a real host's kernel does not
            report them.
        cwnd_bytes: the congestion window at the end of the interval; for several flows the sum.
        rtt_ms: the smoothed round-trip time at the end of the interval; for several flows the mean;
            ``None`` before the first measurement.
    """

    retransmits: int
    timeouts: int | None
    cwnd_bytes: int
    rtt_ms: float | None


@dataclass(frozen=True, eq=False, repr=False)
class TcpTrace(Table):
    """The view of a TCP flow's sender: a row for each sent segment, acknowledgement and step of
    loss recovery.

    Attributes:
        times_ns: the times of the samples, in virtual nanoseconds.
        kinds: ``sent``, ``resent``, ``acked``, ``timeout``, ``recovery``, ``recovered`` or
            ``undone`` (a reverted reduction).
        sequence: the position in the stream of bytes; 1 is the first byte of data.
        lengths: bytes; for ``acked`` the acknowledged bytes.
        cwnd: the congestion window in bytes.
        ssthresh: the slow start threshold in bytes; ``None`` while there is none.
        in_flight: bytes that the sender estimates to be in the network.
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

    def __repr__(self) -> str:
        return f"<weir.TcpTrace: {len(self)} rows>"

    def __str__(self) -> str:
        return f"{len(self)} rows: {self.count('sent')} sent, {self.count('resent')} resent, {self.count('acked')} acknowledgements"

    @property
    def _sparkline(self) -> Series:
        return self.window

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
        """Counts the rows of a kind."""
        return sum(other == kind for other in self.kinds)

    def columns(self) -> list[Column]:
        """Returns the events as columns, with a row for each event.

        The columns are ``time_s``, ``kind``, ``sequence``, ``length``, ``cwnd``, ``ssthresh``,
        ``in_flight`` and ``srtt_ms``.
        """
        return [
            Column("time_s", "float", [time / 1e9 for time in self.times_ns]),
            Column("kind", "text", list(self.kinds)),
            Column("sequence", "int", list(self.sequence)),
            Column("length", "int", list(self.lengths)),
            Column("cwnd", "int", list(self.cwnd)),
            Column("ssthresh", "int", list(self.ssthresh)),
            Column("in_flight", "int", list(self.in_flight)),
            Column("srtt_ms", "float", [value / 1e6 for value in self.srtt_ns]),
        ]

    def draw(self, ax: Axes) -> None:
        """Draws sequence numbers over time: segments, acknowledgements and retransmissions."""
        for kind, mark, size in (("sent", ".", 2.0), ("acked", ".", 1.0), ("resent", "x", 4.0)):
            places = [place for place, other in enumerate(self.kinds) if other == kind]
            if not places:
                continue
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
        if ax.lines:
            for line in ax.legend().get_lines():
                line.set_markersize(6)

    def plot_window(
        self, path: str | Path | None = None, title: str | None = None, *, ax: Axes | None = None
    ) -> Figure:
        """Draws congestion window, slow start threshold and bytes in flight over time.

        Arguments, result and errors are those of :meth:`plot`.
        """
        return plot_figure(self._draw_window, path, title, ax)

    def _draw_window(self, ax: Axes) -> None:
        times = [time / 1e9 for time in self.times_ns]
        points = [
            (time, value / 1e3) for time, value in zip(times, self.ssthresh, strict=True) if value is not None
        ]
        ax.plot(times, [value / 1e3 for value in self.in_flight], linewidth=0.8, label="in flight")
        ax.plot(times, [value / 1e3 for value in self.cwnd], label="congestion window")
        if points:
            ax.plot(*zip(*points, strict=True), linestyle="--", label="slow start threshold")
        ax.set_xlabel("time in s")
        ax.set_ylabel("kB")
        ax.set_ylim(bottom=0)
        ax.legend()


@dataclass(frozen=True, kw_only=True)
class TcpStream(FlowStream[TcpInterval]):
    """One flow over TCP; see :class:`FlowStream`.

    Values that differ between the ends of a connection are those of the sender.

    ``delays`` has, for each delivery to the receiving application, the time since its last byte was
    first sent.

    Attributes:
        connected_ns: the time when the handshake was complete; ``None`` if it never was.
        acked: bytes acknowledged to the sender.
        retransmits: retransmitted segments.
        timeouts: retransmission timeouts; ``None`` on real hosts with a kernel before 6.7.
        recoveries: fast recoveries; ``None`` on real hosts.
        spurious: retransmitted segments that had arrived before, as reported by the receiver;
            ``None`` on real hosts with a kernel before 4.19.
        segments: segments sent, including those without data.
        mss: payload of a full segment in bytes.
        rtt_ms: the smoothed round-trip time at the end; ``None`` without a measurement.
        rtt_variation_ms: the mean deviation of the round-trip time at the end (RTTVAR of RFC 6298).
        rtt_min_ms: the smallest round-trip time measured.
        outcome: how the connection ended: ``closed`` (all data arrived), ``reset``, ``timed out``,
            ``aborted``; or ``open``.
        ip_options: the IPv4 options of the server's SYN-ACK.
        trace: each segment and acknowledgement; empty unless requested.
    """

    connected_ns: int | None
    acked: int
    retransmits: int
    timeouts: int | None
    recoveries: int | None
    spurious: int | None
    segments: int
    mss: int
    rtt_ms: float | None
    rtt_variation_ms: float | None
    rtt_min_ms: float | None
    outcome: str
    ip_options: builtins.bytes
    trace: TcpTrace = field(repr=False)

    @property
    def loss(self) -> float:
        """The share of segments retransmitted because of loss, as far as the sender knows.

        It is 0 if no segment was sent.
        """
        return max(0, self.retransmits - (self.spurious or 0)) / self.segments if self.segments else 0.0

    @property
    def rtt(self) -> Series:
        """The smoothed round-trip time at each interval's end, in milliseconds."""
        points = [
            (self.start_ns + round(interval.end_s * 1e9), interval.rtt_ms)
            for interval in self.intervals
            if interval.rtt_ms is not None
        ]
        return Series("srtt", "ms", [time for time, _ in points], [rtt for _, rtt in points])


@dataclass(frozen=True, repr=False)
class FlowResult(Flows[TcpStream, TcpInterval]):
    """The result of flows over TCP from one host to another; see :class:`Flows`.

    Bytes are payload that applications send and receive.
    """

    @property
    def retransmits(self) -> int:
        """The number of retransmitted segments, summed over all flows."""
        return sum(stream.retransmits for stream in self.streams)

    @property
    def timeouts(self) -> int | None:
        """The number of retransmission timeouts, summed over all flows.

        ``None`` if a real host's kernel does not report them.
        """
        return _sum(stream.timeouts for stream in self.streams)

    @property
    def _interval_type(self) -> type[TcpInterval]:
        """The class of the intervals."""
        return TcpInterval

    @property
    def intervals(self) -> list[TcpInterval]:
        """The intervals, each as the sum over all flows."""
        together = []
        for parts in self._common_intervals():
            rtts = [part.rtt_ms for part in parts if part.rtt_ms is not None]
            together.append(
                TcpInterval(
                    start_s=parts[0].start_s,
                    end_s=max(part.end_s for part in parts),
                    bytes=sum(part.bytes for part in parts),
                    retransmits=sum(part.retransmits for part in parts),
                    timeouts=_sum(part.timeouts for part in parts),
                    cwnd_bytes=sum(part.cwnd_bytes for part in parts),
                    rtt_ms=sum(rtts) / len(rtts) if rtts else None,
                )
            )
        return together

    def __str__(self) -> str:
        flows = "" if len(self.streams) == 1 else f" ({len(self.streams)} flows)"
        timeouts = "" if self.timeouts is None else f", {self.timeouts} timeouts"
        lines = [
            f"{self.source} -> {self.target}{flows}: {self.bytes} bytes in {self.duration_s:.3f} s, "
            f"{self.goodput_mbps:.3f} Mbit/s",
            f"{self.retransmits} retransmissions{timeouts}",
        ]
        return add_reason(lines, self.why)


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Adds up numbers; returns ``None`` if one of them is unknown."""
    total = 0
    for value in numbers:
        if value is None:
            return None
        total += value
    return total

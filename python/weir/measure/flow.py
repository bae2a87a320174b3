"""Parts that results of UDP flows and of TCP flows share: bytes, times, rates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from weir.files.columns import Column
from weir.measure import statistics
from weir.measure.series import Series
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Interval:
    """One interval of a flow, or of several flows that started together.

    Attributes:
        start_s: the start of the interval, in seconds after the flow's start.
        end_s: the end of the interval.
        bytes: bytes that the receiving application received in the interval.
    """

    start_s: float
    end_s: float
    bytes: int

    @property
    def goodput_bps(self) -> float:
        """The goodput in bits per second: the bits that the receiving application received."""
        return self.bytes * 8 / (self.end_s - self.start_s)


I = TypeVar("I", bound=Interval, covariant=True)  # noqa: E741


@dataclass(frozen=True, kw_only=True)
class FlowStream(Generic[I]):
    """One flow of a result.

    Attributes:
        source: the sending host.
        target: the receiving host.
        server: the host that served: with TCP the host that accepted the connection, with UDP the
            host that received the first datagram; ``None`` if no host did.
        reverse: whether the server sends; the ports are then also reversed.
        source_port: the client's port. The client is the source, except in reverse.
        port: the server's port.
        start_ns: the start of the flow, in virtual nanoseconds.
        end_ns: when the last byte arrived, or the end of its duration.
        bytes: bytes that the receiving application received.
        intervals: the intervals of the flow, in order.
        delays: one-way delays in milliseconds, at the times of arrival; empty unless requested.
    """

    source: str
    target: str
    server: str | None
    reverse: bool
    source_port: int
    port: int
    start_ns: int
    end_ns: int
    bytes: int
    intervals: Sequence[I] = field(repr=False)
    delays: Series = field(repr=False)

    @property
    def duration_s(self) -> float:
        """Seconds from the start to the end; for a flow with a size, the completion time."""
        return (self.end_ns - self.start_ns) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits per second that the application received; 0 for a flow that took no time."""
        return self.bytes * 8 / self.duration_s if self.end_ns > self.start_ns else 0.0

    @property
    def goodput(self) -> Series:
        """The goodput of each interval in Mbit/s, at the time when the interval ends.
        A shorter last interval is left out."""
        return _goodput(self.intervals, self.start_ns)


S = TypeVar("S", bound=FlowStream[Interval], covariant=True)


@dataclass(frozen=True, repr=False)
class Flows(Table, Generic[S, I]):
    """The result of one or several flows from one host to another.

    Attributes:
        source: the sending host; with ``reverse`` possibly several hosts from which a data plane
            chose.
        target: the receiving host, or several hosts from which a data plane chose.
        streams: the flows: one, or as many as ``parallel``.
        why: a sentence that says where and why most packets were dropped during that time, if
            packets were lost or retransmitted.
    """

    source: str
    target: str
    streams: Sequence[S]
    why: str | None = None

    @property
    def bytes(self) -> int:
        """Bytes that the receiving application received."""
        return sum(stream.bytes for stream in self.streams)

    @property
    def duration_s(self) -> float:
        """Seconds from the first start to the last end; for flows with a size, the completion
        time."""
        if not self.streams:
            return 0.0
        start = min(stream.start_ns for stream in self.streams)
        return (max(stream.end_ns for stream in self.streams) - start) / 1e9

    @property
    def goodput_bps(self) -> float:
        """Bits per second that the receiving application received, summed over all flows."""
        return self.bytes * 8 / self.duration_s if self.duration_s else 0.0

    @property
    def goodput_mbps(self) -> float:
        """Mbit/s that the receiving application received, summed over all flows."""
        return self.goodput_bps / 1e6

    @property
    def goodput(self) -> Series:
        """The goodput of all flows over time, in Mbit/s."""
        return _goodput(self.intervals, min((stream.start_ns for stream in self.streams), default=0))

    @property
    def fairness(self) -> float:
        """Jain's fairness index of the flows' goodputs: 1 if all are equal.

        Raises :class:`MeasureError` if nothing arrived.

        :class:`MeasureError` if nothing arrived.
        """
        return statistics.jain(stream.goodput_bps for stream in self.streams)

    @property
    def _sparkline(self) -> Series:
        return self.goodput

    @property
    @abstractmethod
    def intervals(self) -> list[I]:
        """The intervals, each as the sum over all flows."""

    @property
    @abstractmethod
    def _interval_type(self) -> type[I]:
        """The class of the intervals."""

    def _common_intervals(self) -> list[Sequence[I]]:
        """Groups the intervals of all flows by their number."""
        longest = max((len(stream.intervals) for stream in self.streams), default=0)
        return [
            [stream.intervals[number] for stream in self.streams if number < len(stream.intervals)]  # type: ignore[misc]
            for number in range(longest)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Converts the result to plain values for JSON, without traces and delays of single
        packets."""
        left_out = ("delays", "trace", "numbers", "ip_options")

        def plain(value: Interval | FlowStream[Interval]) -> dict[str, Any]:
            members = {
                part.name: getattr(value, part.name) for part in fields(value) if part.name not in left_out
            }
            if "intervals" in members:
                members["intervals"] = [plain(interval) for interval in members["intervals"]]
                members["duration_s"] = value.duration_s  # type: ignore[union-attr]
            return {**members, "goodput_bps": value.goodput_bps}

        return {
            "source": self.source,
            "target": self.target,
            "bytes": self.bytes,
            "duration_s": self.duration_s,
            "goodput_bps": self.goodput_bps,
            "why": self.why,
            "intervals": [plain(interval) for interval in self.intervals],
            "streams": [plain(stream) for stream in self.streams],
        }

    def columns(self) -> list[Column]:
        """Returns the intervals as columns, with a row for each interval of a flow.

        The columns are ``stream`` (from 1), the interval's values, ``goodput_bps``, and the flow's
        ``server``.
        """
        names = [*(field.name for field in fields(self._interval_type)), "goodput_bps"]
        types = {field.name: field.type for field in fields(self._interval_type)}
        rows = [
            (number, stream.server, interval)
            for number, stream in enumerate(self.streams, 1)
            for interval in stream.intervals
        ]
        return [
            Column("stream", "int", [number for number, *_ in rows]),
            *(
                Column(
                    name,
                    "int" if types.get(name) == "int" else "float",
                    [getattr(interval, name) for *_, interval in rows],
                )
                for name in names
            ),
            Column("server", "text", [server for _, server, _ in rows]),
        ]

    def draw(self, ax: Axes) -> None:
        """Draws goodput over time: a line for each flow, a step for each interval.

        A shorter last interval is left out.
        """
        for number, stream in enumerate(self.streams, 1):
            whole_intervals = _whole_intervals(stream.intervals)
            if whole_intervals:
                edges = [interval.start_s for interval in whole_intervals] + [whole_intervals[-1].end_s]
                rates = [interval.goodput_bps / 1e6 for interval in whole_intervals]
                ax.stairs(rates, edges, linewidth=1.6, label=f"flow {number}", baseline=None)
        if len(self.streams) > 1:
            ax.legend()
        ax.set_xlabel("time in s")
        ax.set_ylabel("goodput in Mbit/s")
        # A flow with a constant rate should not coincide with the frame.
        highest = max((rate for stream in self.streams for rate in stream.goodput.values), default=0)
        ax.set_ylim(0, 1.05 * highest or None)


def _whole_intervals(intervals: Sequence[I]) -> Sequence[I]:
    """Returns the intervals without a shorter last interval, whose rate means little."""
    if len(intervals) > 1 and intervals[-1].end_s - intervals[-1].start_s < 0.999 * intervals[0].end_s:
        return intervals[:-1]
    return intervals


def _goodput(intervals: Sequence[Interval], start_ns: int) -> Series:
    whole_intervals = _whole_intervals(intervals)
    ends = [start_ns + round(interval.end_s * 1e9) for interval in whole_intervals]
    return Series("goodput", "mbps", ends, [interval.goodput_bps / 1e6 for interval in whole_intervals])

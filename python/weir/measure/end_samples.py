"""Samples of link ends: queues and utilization over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from weir.errors import NetworkError, shown
from weir.files.columns import Column
from weir.measure.series import Series
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class QueueSeries(Series):
    """The number of packets that wait at a link end over time, without the one being sent.

    Attributes:
        end: the link end, such as ``s1-p2``.
    """

    end: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class LinkUse(Series):
    """The share of time in which a link end was sending, 0 to 1, over time.

    Each value is for the time between two samples.

    Attributes:
        end: the link end, such as ``s1-p2``.
    """

    end: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class EndSamples(Table):
    """The samples of one link end. Counters start at 0 at the network's start.

    Attributes:
        end: the link end, such as ``s1-p2``; packets that leave the node there are counted.
        times_ns: the times of the samples, in virtual nanoseconds.
        queue_packets: packets waiting at the link, without the one being sent.
        sent_packets: packets whose transmission began.
        sent_bytes: the bytes of these packets, from the Ethernet header on.
        dropped_packets: packets dropped because the queue was full, they were lost on the wire, or
            the link was down.
        marked_packets: packets that the end's queueing discipline marked (ECN, RFC 3168).
        busy_ns: nanoseconds during which the end was sending.
        waiting: at a switch's port, the number of packets that wait in the switch, for each
            priority; empty for hosts. Packets wait in the switch if the queue has a rate
            (``queue_rate`` of the topology, ``set_queue_rate``), otherwise at the link.
    """

    end: str
    times_ns: Sequence[int]
    queue_packets: Sequence[int]
    sent_packets: Sequence[int]
    sent_bytes: Sequence[int]
    dropped_packets: Sequence[int]
    marked_packets: Sequence[int]
    busy_ns: Sequence[int]
    waiting: Mapping[int, Sequence[int]]

    def __len__(self) -> int:
        return len(self.times_ns)

    def __repr__(self) -> str:
        return f"<weir.EndSamples {self.end}: {len(self)} samples>"

    @property
    def _sparkline(self) -> Series:
        return self.queue

    def __str__(self) -> str:
        if not len(self):
            return f"{self.end}: no samples"
        sent, dropped = self.sent_packets[-1], self.dropped_packets[-1]
        return f"{self.end}: {len(self)} samples\nqueue up to {max(self.queue.values)} packets, {sent} sent, {dropped} dropped"

    @property
    def queue(self) -> QueueSeries:
        """The packets that wait at this end over time: in the switch's queues, and at the link."""
        everywhere = zip(self.queue_packets, *self.waiting.values(), strict=True)
        values = [sum(together) for together in everywhere] if self.waiting else self.queue_packets
        return QueueSeries("queue", "packets", self.times_ns, values, end=self.end)

    @property
    def link_queue(self) -> QueueSeries:
        """The packets that wait at the link over time."""
        return QueueSeries("link_queue", "packets", self.times_ns, self.queue_packets, end=self.end)

    def switch_queue(self, priority: int | None = None) -> QueueSeries:
        """Returns the length of the switch's queues over time: for one priority, or the sum over
        all priorities.

        Raises:
            NetworkError: the end belongs to a host, or there is no such priority.
        """
        if not self.waiting and self.times_ns:
            raise NetworkError(f"{self.end} is the end of a host, which has no switch queues")
        if priority is None:
            values: Sequence[int] = [sum(together) for together in zip(*self.waiting.values(), strict=True)]
        elif isinstance(priority, int) and (priority in self.waiting or not self.times_ns):
            values = self.waiting.get(priority, [])
        else:
            raise NetworkError(
                f"{self.end} has no priority {shown(priority)}: expected 0 to {max(self.waiting)}"
            )
        return QueueSeries("switch_queue", "packets", self.times_ns, values, end=self.end)

    @property
    def use(self) -> LinkUse:
        """The link's utilization between each two samples."""
        shares = self._rates_per_nanosecond(self.busy_ns)
        return LinkUse("use", "", self.times_ns[1:], shares, end=self.end)

    @property
    def throughput(self) -> Series:
        """The throughput on the wire between samples, in Mbit/s. Frames count when their
        transmission begins, from the Ethernet header on."""
        rates = [rate * 8e3 for rate in self._rates_per_nanosecond(self.sent_bytes)]
        return Series("throughput", "mbps", self.times_ns[1:], rates)

    @property
    def drops(self) -> Series:
        """The number of packets dropped between each two samples."""
        return self._increase("drops", self.dropped_packets)

    @property
    def marks(self) -> Series:
        """The number of packets marked between each two samples."""
        return self._increase("marks", self.marked_packets)

    def columns(self) -> list[Column]:
        """Returns the samples as columns, with a row for each sample.

        The columns are ``time_s``, ``end``, ``queue_packets``, ``sent_packets``, ``sent_bytes``,
        ``dropped_packets``, ``marked_packets``, ``busy_s``; at a switch's port also ``waiting_0``,
        ``waiting_1`` and so on, by priority.
        """
        waiting = [
            Column(f"waiting_{priority}", "int", list(values)) for priority, values in self.waiting.items()
        ]
        return [
            Column("time_s", "float", [time / 1e9 for time in self.times_ns]),
            Column("end", "text", [self.end] * len(self)),
            Column("queue_packets", "int", list(self.queue_packets)),
            Column("sent_packets", "int", list(self.sent_packets)),
            Column("sent_bytes", "int", list(self.sent_bytes)),
            Column("dropped_packets", "int", list(self.dropped_packets)),
            Column("marked_packets", "int", list(self.marked_packets)),
            Column("busy_s", "float", [busy / 1e9 for busy in self.busy_ns]),
            *waiting,
        ]

    def draw(self, ax: Axes) -> None:
        """Draws the queue at the link over time, and the switch queues that held packets."""
        self.link_queue.draw(ax)
        for priority, values in self.waiting.items():
            if any(values):
                queue = "" if len(self.waiting) == 1 else f", priority {priority}"
                ax.plot(
                    self.link_queue.times_s,
                    values,
                    linewidth=ax.lines[0].get_linewidth(),
                    label=f"in the switch{queue}",
                )
        if len(ax.lines) > 1:
            ax.lines[0].set_label("at the link")
            ax.legend()
        ax.set_ylim(bottom=0)
        ax.set_ylabel(f"packets waiting at {self.end}")

    def _increase(self, name: str, counts: Sequence[int]) -> Series:
        """Computes the increase of a count of packets between samples."""
        steps = pairwise(counts)
        return Series(name, "packets", self.times_ns[1:], [after - before for before, after in steps])

    def _rates_per_nanosecond(self, counts: Sequence[int]) -> list[float]:
        steps = zip(self.times_ns, self.times_ns[1:], counts, counts[1:], strict=False)
        return [(after - before) / (end - start) for start, end, before, after in steps]

"""Computes the state of paths, hop latencies, queues and events from recent reports."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl

from weir.telemetry.batch import Batch
from weir.telemetry.flow import Flow, flow_of
from weir.telemetry.frames import frame
from weir.telemetry.live.numbers import Numbering
from weir.telemetry.protocol import MD

_MAX_RECENT_LATENCIES: Final = 2000
"""The maximum number of recent latencies of each node from which percentiles are computed."""

_MAX_RECENT_VALUES: Final = 30
"""The number of recent values stored for each queue."""

_MAX_EVENTS: Final = 200
_MAX_FLOWS: Final = 1000
"""The maximum number of flows whose paths are stored. The store keeps the paths of the flows that
were seen last."""

_FORGET_AFTER_NS: Final = 100_000_000
"""The time in ns after which a node without reports no longer belongs to a flow's path, in modes in
which each node reports separately."""


@dataclass
class PathState:
    """The current path of a flow.

    Attributes:
        path: the nodes on the path, such as ``1-2-3``.
        reports: the number of reports of this flow.
        time_ns: the arrival time of the last report.
    """

    path: str
    reports: int
    time_ns: int


@dataclass
class QueueState:
    """The state of a queue.

    Attributes:
        packets: the packets in the last report.
        most: the maximum over all reports.
        course: the maximum in each recent update of the view.
        is_above: whether the last report was at or above the threshold.
    """

    packets: int = 0
    most: int = 0
    course: deque[int] = field(default_factory=lambda: deque(maxlen=_MAX_RECENT_VALUES))
    is_above: bool = False


class LiveState:
    """The state from all reports so far, updated by :meth:`feed` with batches in order of arrival.

    Args:
        origin_ns: the time that is 0 in times of events.
        threshold: the number of packets in a queue from which an event is noted; with ``None``,
            queues cause no events.

    Attributes:
        datagrams: the number of datagrams with reports.
        reports: the number of reports.
        bad: the number of datagrams that were not reports.
        lost: report datagrams that were missing when a later one arrived, including late ones.
        paths: the path of each flow.
        latencies: recent hop latencies in µs, by node.
        queues: the state of each queue, by node, egress port and queue.
        events: the times in ns from the origin and the descriptions of events, with the newest
            last.
        time_ns: the arrival time of the last report, in ns from the origin.
    """

    def __init__(self, *, origin_ns: int = 0, threshold: int | None = None) -> None:
        self.datagrams = self.reports = self.bad = self.lost = 0
        self.paths: dict[str, PathState] = {}
        self.latencies: dict[int, deque[int]] = {}
        self.queues: dict[tuple[int | None, int | None, int], QueueState] = {}
        self.events: deque[tuple[int, str]] = deque(maxlen=_MAX_EVENTS)
        self.time_ns = 0
        self._origin_ns, self._threshold = origin_ns, threshold
        self._numbering = Numbering()
        self._nodes: dict[str, dict[int, tuple[int, int]]] = {}
        self._congested: set[int] = set()

    def feed(self, batch: Batch) -> None:
        """Updates the state with the reports in a batch."""
        happened = [(datagram.time_ns, f"bad datagram: {datagram.reason}") for datagram in batch.bad]
        self.bad += len(batch.bad)
        if len(batch):
            reports, hops = frame(batch.reports), frame(batch.hops)
            first = reports.filter("first_in_datagram")
            self.datagrams += first.height
            self.reports += reports.height
            self.time_ns = int(reports["time_ns"][-1]) - self._origin_ns
            happened += self._follow_numbers(first)
            happened += self._follow_paths(reports, hops)
            happened += self._follow_flags(reports)
            self._follow_latencies(hops)
            happened += self._follow_queues(hops)
        happened.sort(key=lambda event: event[0])
        self.events += [(time_ns - self._origin_ns, text) for time_ns, text in happened]

    def percentiles(self, node: int) -> tuple[float, float, float]:
        """Computes the median, 99th percentile and maximum of a node's recent latencies in µs."""
        values = np.fromiter(self.latencies[node], np.float64)
        half, most, largest = np.percentile(values, (50, 99, 100))
        return float(half), float(most), float(largest)

    def _follow_numbers(self, first: pl.DataFrame) -> Iterator[tuple[int, str]]:
        for node, part, number, time_ns in first.select("node", "hw_id", "sequence", "time_ns").iter_rows():
            missing = self._numbering.missing_before(node, part, number)
            if missing:
                self.lost += missing
                yield time_ns, f"{missing} report datagram{'s' * (missing > 1)} of node {node} missing"

    def _follow_paths(self, reports: pl.DataFrame, hops: pl.DataFrame) -> Iterator[tuple[int, str]]:
        names = hops.group_by("report", maintain_order=True).agg(
            path=pl.col("node").cast(pl.String).fill_null("?").str.join("-"), last=pl.col("node").last()
        )
        complete_reports = reports.filter(
            pl.col("source").is_not_null() & ~pl.col("dropped") & ~pl.col("intermediate")
        )
        columns = ["time_ns", "mode", "ttl", "path", "last", *Flow._fields]
        for time_ns, mode, ttl, path, last, *flow in (
            complete_reports.join(names, "report").select(columns).iter_rows()
        ):
            name = _text(flow)
            old_path = self.paths.pop(name, None)
            changed = old_path is not None and old_path.path != path
            if mode != MD:
                path, changed = self._joined_path(name, ttl, last, time_ns)
            if old_path is not None and changed:
                yield time_ns, f"{name} left the path {old_path.path} for {path}"
            # Moves the flow that was seen last to the end.
            self.paths[name] = PathState(
                path, old_path.reports + 1 if old_path else 1, time_ns - self._origin_ns
            )
        while len(self.paths) > _MAX_FLOWS:
            gone = next(iter(self.paths))
            del self.paths[gone]
            self._nodes.pop(gone, None)

    def _joined_path(self, flow: str, ttl: int, node: int, time_ns: int) -> tuple[str, bool]:
        """Returns the path of a flow whose nodes report separately, and whether the path has
        changed."""
        nodes = self._nodes.setdefault(flow, {})
        changed = nodes.get(ttl, (node, 0))[0] != node
        nodes[ttl] = (node, time_ns)
        for old in [key for key, (_, seen) in nodes.items() if seen < time_ns - _FORGET_AFTER_NS]:
            del nodes[old]
        return "-".join(str(nodes[key][0]) for key in sorted(nodes, reverse=True)), changed

    def _follow_flags(self, reports: pl.DataFrame) -> Iterator[tuple[int, str]]:
        nodes = {*reports.filter("congested")["node"], *self._congested}
        flagged = reports.filter(pl.col("dropped") | pl.col("node").is_in(nodes))
        columns = ["time_ns", "node", "dropped", "congested", "drop_reason", *Flow._fields]
        for time_ns, node, dropped, congested, reason, *flow in flagged.select(columns).iter_rows():
            if dropped:
                reason_text = "" if reason is None else f" (reason {reason})"
                yield time_ns, f"node {node} dropped a packet of {_text(flow)}{reason_text}"
            if congested and node not in self._congested:
                self._congested.add(node)
                yield time_ns, f"node {node} reports congestion: {_text(flow)}"
            elif not congested:
                self._congested.discard(node)

    def _follow_latencies(self, hops: pl.DataFrame) -> None:
        with_latency = hops.filter(pl.col("latency_us").is_not_null() & pl.col("node").is_not_null())
        for (node,), rows in with_latency.group_by("node", maintain_order=True):
            recent = self.latencies.setdefault(int(str(node)), deque(maxlen=_MAX_RECENT_LATENCIES))
            recent += rows["latency_us"].tail(_MAX_RECENT_LATENCIES).to_list()

    def _follow_queues(self, hops: pl.DataFrame) -> Iterator[tuple[int, str]]:
        with_queue = hops.filter(pl.col("queue_packets").is_not_null())
        for key, rows in with_queue.group_by("node", "egress_port", "queue", maintain_order=True):
            queue = self.queues.setdefault(key, QueueState())
            packets = rows["queue_packets"]
            queue.packets, most = packets[-1], max(packets)
            queue.most = max(queue.most, most)
            queue.course.append(most)
            if self._threshold is None:
                continue
            above = packets >= self._threshold
            was_above = above.shift(1, fill_value=queue.is_above)
            for time_ns, packet_count in (
                rows.filter(above & ~was_above).select("time_ns", "queue_packets").iter_rows()
            ):
                node, port, number = key
                yield time_ns, f"queue {number} of node {node}, port {port}: {packet_count} packets"
            queue.is_above = bool(above[-1])


def _text(flow: list[Any]) -> str:
    """Formats a flow, given by the values of its columns."""
    return str(flow_of(flow) or "an unknown flow")

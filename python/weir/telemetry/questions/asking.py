"""The queries as methods of a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

from weir.errors import CommandError, shown
from weir.errors.checks import check_whole
from weir.telemetry.flow import Flow
from weir.telemetry.questions.bursts import Microbursts, bursts
from weir.telemetry.questions.drops import PacketDrops, drops
from weir.telemetry.questions.latencies import HopLatencies, latencies
from weir.telemetry.questions.losses import ReportGaps, ReportLosses, gaps, losses
from weir.telemetry.questions.overview import (
    BadDatagrams,
    Flows,
    Overview,
    bad_datagrams,
    flows,
    overview,
)
from weir.telemetry.questions.paths import FlowPaths, paths
from weir.telemetry.questions.queues import QueueOccupancy, queues
from weir.telemetry.questions.selection import Clock, Selection
from weir.telemetry.questions.shares import QueueShares, shares

if TYPE_CHECKING:
    import duckdb

_Answer = TypeVar("_Answer")


class ChosenReports(TypedDict, total=False):
    """The options that select reports for a query; see :class:`Selection`."""

    flow: str | Flow | None
    node: int | None
    port: int | None
    queue: int | None
    start: str | None
    end: str | None


class Questions(ABC):
    """The queries of a store, as methods.

    ``flow``, ``node``, ``port`` (the egress port), ``queue``, ``start`` and ``end`` select reports.
    A flow is a :class:`Flow` or a string such as ``udp 10.0.1.1:4000 > 10.0.2.2:5000``, in which
    parts may be missing or ``*``. Times, such as ``"1.5s"``, are arrival times from the store's
    origin on. With ``clock="node"``, queries about queues over time use the time at which packets
    arrived at the node, by the node's own clock, and leave out reports without this time; see the
    instruction ``INGRESS_TIME``.
    """

    @property
    @abstractmethod
    def origin_ns(self) -> int:
        """The time in nanoseconds that is 0 in answers."""

    @property
    @abstractmethod
    def batches(self) -> int:
        """The number of batches in the store."""

    def overview(self) -> Overview:
        """Queries a summary of the contents of the store."""
        batches = self.batches
        return self._ask(lambda connection: overview(connection, self.origin_ns, batches))

    def flows(self, **chosen: Unpack[ChosenReports]) -> Flows:
        """Queries the flows in the reports, with the most bytes first."""
        return self._ask(lambda connection: flows(connection, self.origin_ns, Selection(**chosen)))

    def bad(self) -> BadDatagrams:
        """Queries the datagrams that are not reports, with the reasons."""
        return self._ask(lambda connection: bad_datagrams(connection, self.origin_ns))

    def paths(self, *, window: str = "10ms", **chosen: Unpack[ChosenReports]) -> FlowPaths:
        """Queries the paths that flows took, over time.

        A report of INT-MD has the whole path. In the other modes each node sends its own report. In
        these modes, the reports in a time window form a path, in the order of the packets' time to
        live, and a path that lasted for less than the window can be missing.

        Args:
            window: the length of the time window.
            chosen: ``flow``, ``start``, ``end``.
        """
        return self._ask(lambda connection: paths(connection, self.origin_ns, Selection(**chosen), window))

    def latencies(self, *, by_flow: bool = False, **chosen: Unpack[ChosenReports]) -> HopLatencies:
        """Queries the latencies of packets in each node: percentiles, mean and maximum.

        Args:
            by_flow: whether each flow has its own row.
            chosen: the options that select reports.
        """
        return self._ask(
            lambda connection: latencies(connection, self.origin_ns, Selection(**chosen), by_flow)
        )

    def queues(
        self, *, interval: str = "10ms", clock: Clock = "arrival", **chosen: Unpack[ChosenReports]
    ) -> QueueOccupancy:
        """Queries the length of each queue in packets over time.

        Args:
            interval: the length of the time interval of a row.
            clock: the clock for times, ``arrival`` or ``node``.
            chosen: the options that select reports.
        """
        _check_clock(clock)
        return self._ask(
            lambda connection: queues(connection, self.origin_ns, Selection(**chosen), interval, clock)
        )

    def shares(self, *, at_least: int = 0, **chosen: Unpack[ChosenReports]) -> QueueShares:
        """Queries the flows that shared each queue, and its aggressor: the flow with the most
        bytes.

        Args:
            at_least: the minimum number of packets in the queue for a packet to count.
            chosen: the options that select reports.
        """
        check_whole("at_least", at_least, 0)
        return self._ask(lambda connection: shares(connection, self.origin_ns, Selection(**chosen), at_least))

    def bursts(
        self,
        threshold: int,
        *,
        shorter_than: str = "1ms",
        clock: Clock = "arrival",
        **chosen: Unpack[ChosenReports],
    ) -> Microbursts:
        """Queries the microbursts, which are short times in which a queue had ``threshold`` packets
        or more.

        Args:
            threshold: the number of packets in the queue.
            shorter_than: the time from which a burst is too long to be a microburst.
            clock: the clock for times, ``arrival`` or ``node``.
            chosen: the options that select reports.
        """
        check_whole("threshold", threshold, 1)
        _check_clock(clock)
        return self._ask(
            lambda connection: bursts(
                connection, self.origin_ns, Selection(**chosen), threshold, shorter_than, clock
            )
        )

    def drops(
        self,
        *,
        flow: str | Flow | None = None,
        node: int | None = None,
        start: str | None = None,
        end: str | None = None,
    ) -> PacketDrops:
        """Queries the drops that nodes reported, with the reason."""
        selection = Selection(flow=flow, node=node, start=start, end=end)
        return self._ask(lambda connection: drops(connection, self.origin_ns, selection))

    def losses(
        self, *, node: int | None = None, start: str | None = None, end: str | None = None
    ) -> ReportLosses:
        """Queries how many report datagrams of each node were lost or late."""
        selection = Selection(node=node, start=start, end=end)
        return self._ask(lambda connection: losses(connection, self.origin_ns, selection))

    def gaps(
        self, *, node: int | None = None, start: str | None = None, end: str | None = None
    ) -> ReportGaps:
        """Queries the gaps of missing report datagrams of each node."""
        selection = Selection(node=node, start=start, end=end)
        return self._ask(lambda connection: gaps(connection, self.origin_ns, selection))

    @abstractmethod
    def _ask(self, question: Callable[[duckdb.DuckDBPyConnection], _Answer]) -> _Answer:
        """Runs a query, and returns its answer."""


def _check_clock(clock: str) -> None:
    if clock not in ("arrival", "node"):
        raise CommandError(f'clock: expected "arrival" or "node", found {shown(clock)}')

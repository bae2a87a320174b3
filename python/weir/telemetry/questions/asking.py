"""The questions as methods of a store."""

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
    """The reports that a question is about; see :class:`Selection`."""

    flow: str | Flow | None
    node: int | None
    port: int | None
    queue: int | None
    start: str | None
    end: str | None


class Questions(ABC):
    """The questions that a store answers.

    ``flow``, ``node``, ``port`` (the egress port), ``queue``, ``start`` and ``end`` limit what a
    question is about. A flow is a :class:`Flow` or a text such as ``udp 10.0.1.1:4000 >
    10.0.2.2:5000``, in which parts may be missing or ``*``. Times, such as ``"1.5s"``, are those of
    arrival, from the store's origin on. With ``clock="node"``, questions about the course of queues
    take the time at which packets came to the node, by its own clock, and leave out reports without
    it; see the instruction ``INGRESS_TIME``.
    """

    @property
    @abstractmethod
    def origin_ns(self) -> int:
        """The instant from which answers count time."""

    @property
    @abstractmethod
    def batches(self) -> int:
        """The number of batches in the store."""

    def overview(self) -> Overview:
        """A summary of the contents of the store."""
        batches = self.batches
        return self._ask(lambda connection: overview(connection, self.origin_ns, batches))

    def flows(self, **chosen: Unpack[ChosenReports]) -> Flows:
        """The flows that reports are about, the one with the most bytes first."""
        return self._ask(lambda connection: flows(connection, self.origin_ns, Selection(**chosen)))

    def bad(self) -> BadDatagrams:
        """The datagrams that are not reports, with the reason."""
        return self._ask(lambda connection: bad_datagrams(connection, self.origin_ns))

    def paths(self, *, window: str = "10ms", **chosen: Unpack[ChosenReports]) -> FlowPaths:
        """The paths that flows took, over time.

        A report of INT-MD has the whole path. In the other modes each node sends its own report.
        Then the reports of a time window form a path, in the order of the packets' time to live,
        and a path that lasted for less than the window can be missing.

        Args:
            window: the length of the time window.
            chosen: ``flow``, ``start``, ``end``.
        """
        return self._ask(lambda connection: paths(connection, self.origin_ns, Selection(**chosen), window))

    def latencies(self, *, by_flow: bool = False, **chosen: Unpack[ChosenReports]) -> HopLatencies:
        """How long packets stayed in each node: percentiles, mean, largest.

        Args:
            by_flow: whether each flow has a row of its own.
            chosen: the reports that the question is about.
        """
        return self._ask(
            lambda connection: latencies(connection, self.origin_ns, Selection(**chosen), by_flow)
        )

    def queues(
        self, *, interval: str = "10ms", clock: Clock = "arrival", **chosen: Unpack[ChosenReports]
    ) -> QueueOccupancy:
        """How many packets waited in each queue, over time.

        Args:
            interval: the time that a row covers.
            clock: the clock whose time counts, ``arrival`` or ``node``.
            chosen: the reports that the question is about.
        """
        _check_clock(clock)
        return self._ask(
            lambda connection: queues(connection, self.origin_ns, Selection(**chosen), interval, clock)
        )

    def shares(self, *, at_least: int = 0, **chosen: Unpack[ChosenReports]) -> QueueShares:
        """The flows that shared each queue, and its aggressor: the flow with the most bytes.

        Args:
            at_least: counts only packets that met at least this many packets in the queue.
            chosen: the reports that the question is about.
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
        """Microbursts: when queues had ``threshold`` packets or more, for a short time.

        Args:
            threshold: packets in the queue.
            shorter_than: longer times are not microbursts.
            clock: the clock whose time counts, ``arrival`` or ``node``.
            chosen: the reports that the question is about.
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
        """The drops that nodes reported, with the reason."""
        selection = Selection(flow=flow, node=node, start=start, end=end)
        return self._ask(lambda connection: drops(connection, self.origin_ns, selection))

    def losses(
        self, *, node: int | None = None, start: str | None = None, end: str | None = None
    ) -> ReportLosses:
        """How many report datagrams of each node were lost or late."""
        selection = Selection(node=node, start=start, end=end)
        return self._ask(lambda connection: losses(connection, self.origin_ns, selection))

    def gaps(
        self, *, node: int | None = None, start: str | None = None, end: str | None = None
    ) -> ReportGaps:
        """Which report datagrams of each node are missing."""
        selection = Selection(node=node, start=start, end=end)
        return self._ask(lambda connection: gaps(connection, self.origin_ns, selection))

    @abstractmethod
    def _ask(self, question: Callable[[duckdb.DuckDBPyConnection], _Answer]) -> _Answer:
        """The answer to a question."""


def _check_clock(clock: str) -> None:
    if clock not in ("arrival", "node"):
        raise CommandError(f'clock: expected "arrival" or "node", found {shown(clock)}')

"""Active queue management: CoDel, FQ-CoDel, RED."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.checks import check_flag, check_whole
from weir.qdisc.base import Qdisc, below, small


@dataclass(frozen=True)
class Codel(Qdisc):
    """Drops, or marks, by how long packets wait (CoDel: RFC 8289, tc-codel).

    Once packets have waited longer than the target throughout an interval, one is dropped or marked, and the n-th of a series
    interval / √n after the one before it, until a packet has waited less.

    Attributes:
        limit: how many packets may wait.
        target: how long packets may wait all the time.
        interval: for how long they may wait longer; about the longest usual round trip.
        ecn: whether packets of ECN-capable transports are marked (RFC 3168) instead of dropped.
        ce_threshold: packets that have waited longer are marked if they can be, whatever else happens.
    """

    limit: str = "1000p"
    target: str = "5ms"
    interval: str = "100ms"
    ecn: bool = False
    ce_threshold: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.codel(units.packets(self.limit, "limit"), _control(self))


@dataclass(frozen=True)
class FqCodel(Qdisc):
    """Queues of flows, served in turn, each under CoDel; those that were empty first (RFC 8290, tc-fq_codel).

    Attributes:
        limit: how many packets may wait in all; beyond, the longest queue loses some.
        target: as of :class:`Codel`.
        interval: as of :class:`Codel`.
        ecn: as of :class:`Codel`, but on.
        ce_threshold: as of :class:`Codel`.
        flows: how many queues there are; a hash says which flow goes to which.
        quantum: how much of a queue is served in its turn.
        memory_limit: how many bytes of packets may wait in all.
        drop_batch: how many packets the longest queue loses at most at a time.
    """

    limit: str = "10240p"
    target: str = "5ms"
    interval: str = "100ms"
    ecn: bool = True
    ce_threshold: str | None = None
    flows: int = 1024
    quantum: str = "1514B"
    memory_limit: str = "32MiB"
    drop_batch: str = "64p"

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        check_whole("flows", self.flows, 1, 65536)
        return _core.Qdisc.fq_codel(
            units.packets(self.limit, "limit"),
            _control(self),
            self.flows,
            small(self.quantum, "quantum"),
            units.size_bytes(self.memory_limit, "memory_limit", "32MiB"),
            units.packets(self.drop_batch, "drop_batch"),
        )


def _control(of: Codel | FqCodel) -> tuple[int, int, bool, int | None]:
    check_flag("ecn", of.ecn)
    threshold = None if of.ce_threshold is None else units.time_ns(of.ce_threshold, "ce_threshold")
    return units.time_ns(of.target, "target"), units.time_ns(of.interval, "interval"), of.ecn, threshold


@dataclass(frozen=True)
class Red(Qdisc):
    """Drops, or marks, by the queue's mean length (RED: S. Floyd and V. Jacobson 1993, tc-red).

    Attributes:
        limit: how much may wait, in bytes.
        avpkt: a usual packet's size.
        min: below this mean length packets pass; a third of ``max`` by default.
        max: from this mean length on all are dropped or marked; a quarter of ``limit`` by default.
        burst: how many usual packets may come at once without the mean's reaching ``min``, which says how fast it follows the length;
            by default ``(2 min + max) / (3 avpkt)``.
        probability: how likely a packet is dropped or marked where the mean is just below ``max``.
        bandwidth: how fast the queue drains, which says how the mean falls while it is empty.
        ecn: whether packets of ECN-capable transports are marked (RFC 3168) instead of dropped.
        harddrop: with ``ecn``, whether from ``max`` on packets are dropped all the same.
        nodrop: with ``ecn``, whether packets that cannot be marked pass.
        adaptive: whether ``probability`` is fitted each half second (S. Floyd, R. Gummadi, S. Shenker 2001).
        queue: where packets wait, instead of first in, first out with that limit.
    """

    limit: str
    avpkt: str = "1000B"
    min: str | None = None
    max: str | None = None
    burst: str | None = None
    probability: str = "2%"
    bandwidth: str = "10Mbit"
    ecn: bool = False
    harddrop: bool = False
    nodrop: bool = False
    adaptive: bool = False
    queue: Qdisc | str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        bounds = (
            None if self.min is None else units.size_bytes(self.min, "min", "30kB"),
            None if self.max is None else units.size_bytes(self.max, "max", "90kB"),
            None if self.burst is None else units.packets(self.burst, "burst"),
        )
        flags = (self.ecn, self.harddrop, self.nodrop, self.adaptive)
        for name, flag in zip(("ecn", "harddrop", "nodrop", "adaptive"), flags, strict=True):
            check_flag(name, flag)
        return _core.Qdisc.red(
            units.size_bytes(self.limit, "limit", "400kB"),
            units.size_bytes(self.avpkt, "avpkt", "1000B"),
            bounds,
            units.share(self.probability, "probability"),
            units.rate_bps(self.bandwidth, "bandwidth"),
            flags,
            below(self.queue),
        )

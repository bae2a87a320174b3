"""Active queue management: CoDel, FQ-CoDel, RED, DualPI2."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.errors import UnitError, shown
from weir.errors.checks import check_flag, check_whole
from weir.qdisc.base import Qdisc, child, small_size


@dataclass(frozen=True)
class Codel(Qdisc):
    """Drops or marks packets depending on how long packets wait (CoDel: RFC 8289, tc-codel).

    When packets have waited longer than the target throughout an interval, a packet is dropped or
    marked. More drops or marks follow, the n-th after a time of interval / √n, until a packet has
    waited less than the target.

    Attributes:
        limit: maximum packets that wait.
        target: acceptable standing delay.
        interval: how long packets may wait longer than the target; about the longest usual
            round-trip time.
        ecn: whether packets of ECN-capable transports are marked (RFC 3168) instead of dropped.
        ce_threshold: ECN-capable packets that have waited longer than this are always marked.
    """

    limit: str = "1000p"
    target: str = "5ms"
    interval: str = "100ms"
    ecn: bool = False
    ce_threshold: str | None = None

    def core(self) -> _core.Qdisc:
        """Converts the settings to the form that the core takes."""
        return _core.Qdisc.codel(units.packets(self.limit, "limit"), _control(self))


@dataclass(frozen=True)
class FqCodel(Qdisc):
    """A queue for each flow, served in turn, each with CoDel (RFC 8290, tc-fq_codel).

    New flows come first.

    Attributes:
        limit: maximum packets that wait in total; above it, packets of the longest queue are
            dropped.
        target: see :class:`Codel`.
        interval: see :class:`Codel`.
        ecn: see :class:`Codel`, but on by default.
        ce_threshold: see :class:`Codel`.
        flows: number of queues; a hash assigns flows to queues.
        quantum: bytes that a queue sends in its turn.
        memory_limit: maximum bytes of packets that wait in total.
        drop_batch: maximum packets dropped from the longest queue at a time.
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
        """Converts the settings to the form that the core takes."""
        check_whole("flows", self.flows, 1, 65536)
        return _core.Qdisc.fq_codel(
            units.packets(self.limit, "limit"),
            _control(self),
            self.flows,
            small_size(self.quantum, "quantum"),
            units.size_bytes(self.memory_limit, "memory_limit", "32MiB"),
            units.packets(self.drop_batch, "drop_batch"),
        )


def _control(qdisc: Codel | FqCodel) -> tuple[int, int, bool, int | None]:
    check_flag("ecn", qdisc.ecn)
    threshold = None if qdisc.ce_threshold is None else units.time_ns(qdisc.ce_threshold, "ce_threshold")
    return (
        units.time_ns(qdisc.target, "target"),
        units.time_ns(qdisc.interval, "interval"),
        qdisc.ecn,
        threshold,
    )


@dataclass(frozen=True)
class Red(Qdisc):
    """Drops or marks packets depending on the mean length of the queue (RED, tc-red).

    The algorithm is that of S. Floyd and V. Jacobson 1993.

    Attributes:
        limit: maximum bytes that wait.
        avpkt: average size of a packet.
        min: mean length below which no packet is dropped or marked; a third of ``max`` by default.
        max: mean length at and above which all packets are dropped or marked; a quarter of
            ``limit`` by default.
        burst: average packets that may arrive at once before the mean reaches ``min``; it
            determines how fast the mean follows the length; by default ``(2 min + max) / (3
            avpkt)``.
        probability: probability that a packet is dropped or marked when the mean is just below
            ``max``.
        bandwidth: rate at which the queue drains; it determines how the mean falls while the queue
            is empty.
        ecn: whether packets of ECN-capable transports are marked (RFC 3168) instead of dropped.
        harddrop: with ``ecn``, whether packets are dropped at and above ``max``.
        nodrop: with ``ecn``, whether packets that cannot be marked pass.
        adaptive: whether ``probability`` is adapted every half second (S. Floyd, R. Gummadi, S.
            Shenker 2001).
        queue: the discipline in which packets wait; by default first in, first out with ``limit``.
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
        """Converts the settings to the form that the core takes."""
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
            child(self.queue),
        )


@dataclass(frozen=True)
class DualPi2(Qdisc):
    """Two coupled queues: low latency for L4S packets next to classic ones (RFC 9332, tc-dualpi2).

    Packets with ECT(1) or CE are L4S packets (RFC 9331). A controller adapts a base probability p
    from the delay of the queues. Classic packets are dropped, or marked if they have ECT(0), with
    the probability p²; L4S packets are marked with the probability ``coupling_factor`` · p.

    Attributes:
        limit: maximum packets that wait in both queues together.
        target: delay of the queues that the controller aims at.
        tupdate: time between two updates of the probability, from 100 us to 10 s.
        alpha: growth of the probability in an update for each second above the target, in 1/s, from
            0 to 256.
        beta: growth of the probability in an update for each second of growth of the delay, in
            1/s, from 0 to 256.
        coupling_factor: ratio of the probability of marks of L4S packets to the base probability (k
            in RFC 9332), from 1 to 255.
        step_thresh: L4S packets that waited longer than this are marked.
        classic_protection: share of bytes that classic packets have at least while both kinds wait,
            in whole percent from 0 % to 99 %.
        drop_on_overload: whether L4S packets are dropped, too, when marking all of them does not
            suffice. Otherwise the queue grows up to its limit.
    """

    limit: str = "10000p"
    target: str = "15ms"
    tupdate: str = "16ms"
    alpha: float = 0.16
    beta: float = 3.2
    coupling_factor: int = 2
    step_thresh: str = "1ms"
    classic_protection: str = "10%"
    drop_on_overload: bool = True

    def core(self) -> _core.Qdisc:
        """Converts the settings to the form that the core takes."""
        check_flag("drop_on_overload", self.drop_on_overload)
        check_whole("coupling_factor", self.coupling_factor, 1, 255)
        protection = 100 * units.share(self.classic_protection, "classic_protection")
        if protection != int(protection) or protection > 99:
            raise UnitError(
                f"classic_protection {shown(self.classic_protection)}: expected whole percent from 0% to 99%"
            )
        return _core.Qdisc.dualpi2(
            units.packets(self.limit, "limit"),
            (
                units.time_ns(self.target, "target"),
                units.time_ns(self.tupdate, "tupdate"),
                units.time_ns(self.step_thresh, "step_thresh"),
            ),
            (_read_factor("alpha", self.alpha), _read_factor("beta", self.beta)),
            self.coupling_factor,
            int(protection),
            self.drop_on_overload,
        )


def _read_factor(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 256:
        raise UnitError(f"{name}: {shown(value)} is not a number from 0 to 256")
    return float(value)

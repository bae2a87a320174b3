"""Queueing disciplines: how packets wait at the sending side of an interface, and which leaves when.

>>> net.host("h1").interface("eth0").qdisc = weir.qdisc.Fq(maxrate="20Mbit")        # doctest: +SKIP
>>> net.host("h1").tc("qdisc replace dev eth0 root fq maxrate 20mbit")              # doctest: +SKIP

Both lines do the same. Settings are those of Linux' ``tc``, with units; docs/links.md says what each does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core, units
from weir.errors import NetworkError, UnitError
from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss, correlation_row, jitter_row, loss_row
from weir.suggest import listing, nearest


@dataclass(frozen=True)
class Fifo:
    """First in, first out.

    Attributes:
        limit: how much may wait: packets (``"100p"``) or bytes (``"64kB"``).
    """

    limit: str = "1000p"

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.fifo(*units.queue(self.limit, "limit"))


@dataclass(frozen=True)
class Tbf:
    """A token bucket: all packets together leave at one rate (tc-tbf).

    Attributes:
        rate: such as ``"10Mbit"``.
        burst: how much may leave at once after a pause; larger packets never pass.
        limit: how much may wait, in bytes; or say ``latency``.
        latency: how long a packet may wait at most, which gives the limit.
        queue: where packets wait, instead of first in, first out with that limit.
        peakrate: of a second bucket, which spreads what the first lets through at once; more than ``rate``.
        mtu: how much that second bucket lets through at once; larger packets never pass.
    """

    rate: str
    burst: str
    limit: str | None = None
    latency: str | None = None
    queue: Qdisc | str | None = None
    peakrate: str | None = None
    mtu: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rate = units.rate_bps(self.rate, "rate")
        burst = units.size_bytes(self.burst, "burst", "15kB")
        limit = latency = peak = None
        if self.limit is not None:
            limit = units.size_bytes(self.limit, "limit", "64kB")
        if self.latency is not None:
            latency = units.time_ns(self.latency, "latency")
        if (limit is None) == (latency is None):
            raise UnitError("a token bucket takes either a limit (bytes) or a latency (time)")
        if self.peakrate is not None and self.mtu is not None:
            peak = (units.rate_bps(self.peakrate, "peakrate"), units.size_bytes(self.mtu, "mtu"))
        elif self.peakrate is not None or self.mtu is not None:
            raise UnitError("a token bucket's peakrate and its mtu belong together: give both or none")
        return _core.Qdisc.tbf(rate, burst, peak, limit, latency or 0, _below(self.queue))


@dataclass(frozen=True)
class Fq:
    """A queue for each flow, served in turn, with pacing (tc-fq).

    Attributes:
        limit: how many packets may wait in all.
        flow_limit: how many of one flow.
        quantum: how much of a flow is served in its turn.
        initial_quantum: how much in its first.
        maxrate: the most that one flow may have.
        pacing: whether ``maxrate`` and the times at which senders want their packets to leave are kept.
        horizon: packets that are to leave later than this from now are dropped.
        ce_threshold: packets that leave more than this after they could have, for their time and ``maxrate``, are marked (RFC 3168) if
            their transport is ECN-capable.
    """

    limit: str = "10000p"
    flow_limit: str = "100p"
    quantum: str = "3028B"
    initial_quantum: str = "15140B"
    maxrate: str | None = None
    pacing: bool = True
    horizon: str = "10s"
    ce_threshold: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.fq(
            units.packets(self.limit, "limit"),
            units.packets(self.flow_limit, "flow_limit"),
            units.size_bytes(self.quantum, "quantum"),
            units.size_bytes(self.initial_quantum, "initial_quantum"),
            None if self.maxrate is None else units.rate_bps(self.maxrate, "maxrate"),
            self.pacing,
            units.time_ns(self.horizon, "horizon", "s"),
            None if self.ce_threshold is None else units.time_ns(self.ce_threshold, "ce_threshold"),
        )


@dataclass(frozen=True)
class Codel:
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
class FqCodel:
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
        return _core.Qdisc.fq_codel(
            units.packets(self.limit, "limit"),
            _control(self),
            _count(self.flows, "flows"),
            units.size_bytes(self.quantum, "quantum"),
            units.size_bytes(self.memory_limit, "memory_limit", "32MiB"),
            units.packets(self.drop_batch, "drop_batch"),
        )


def _control(of: Codel | FqCodel) -> tuple[int, int, bool, int | None]:
    threshold = None if of.ce_threshold is None else units.time_ns(of.ce_threshold, "ce_threshold")
    return units.time_ns(of.target, "target"), units.time_ns(of.interval, "interval"), of.ecn, threshold


@dataclass(frozen=True)
class Red:
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
        return _core.Qdisc.red(
            units.size_bytes(self.limit, "limit", "400kB"),
            units.size_bytes(self.avpkt, "avpkt", "1000B"),
            bounds,
            units.share(self.probability, "probability"),
            units.rate_bps(self.bandwidth, "bandwidth"),
            (self.ecn, self.harddrop, self.nodrop, self.adaptive),
            _below(self.queue),
        )


@dataclass(frozen=True)
class Slot:
    """When packets of :class:`Netem` may leave: in bunches, as where a medium is had only now and then (tc-netem's ``slot``).

    Attributes:
        min: how long it takes at least until a slot comes, from when a packet's delay is over.
        max: how long it takes at most; ``min`` by default. The time is uniform between the two.
        packets: how many packets leave in one slot; any number by default.
        bytes: how much leaves in one; the packet that goes beyond still does.
    """

    min: str
    max: str | None = None
    packets: str | None = None
    bytes: str | None = None


@dataclass(frozen=True)
class Netem:
    """Delay, loss and their like before the link (tc-netem).

    Attributes:
        delay: how long each packet waits.
        jitter: what is added to it, drawn for each packet; a time alone is uniform around 0, as netem has it. Packets overtake one
            another where jitter makes them.
        loss: the share lost, or another kind of loss.
        duplicate: the share that leaves twice.
        corrupt: the share of which one bit is flipped.
        correlation: how much each packet's lot depends on that of the one before.
        reorder: the share that does not wait, and at least how many packets behind the last such (netem's ``gap``).
        rate: of a bottleneck before the delay.
        limit: how many packets may wait, those on their delay among them.
        queue: where packets go after their delay, if not straight to the link.
        packet_overhead: what a packet takes on that bottleneck beside its bytes; ``"-14B"`` takes off Ethernet's header.
        cell_size: packets take whole cells of this size there; ``"0B"``: no cells.
        cell_overhead: what a cell takes beside its bytes: ATM has ``"48B"`` and ``"5B"``.
        ecn: packets that are to be lost are marked (RFC 3168) instead and go on, if their transport is ECN-capable.
        slot: packets leave in bunches.
        seed: of random numbers of its own, which are then the same at each interface with this seed; by default they come from the
            network's seed and the interface's name.
    """

    delay: str = "0ms"
    jitter: str | Jitter | None = None
    loss: str | Loss = "0%"
    duplicate: str = "0%"
    corrupt: str = "0%"
    correlation: Correlation = UNCORRELATED
    reorder: tuple[str, int] | None = None
    rate: str | None = None
    limit: str = "1000p"
    queue: Qdisc | str | None = None
    packet_overhead: str = "0B"
    cell_size: str = "0B"
    cell_overhead: str = "0B"
    ecn: bool = False
    slot: Slot | None = None
    seed: int | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        if isinstance(self.jitter, str):
            jitter = ("around", [units.time_ns(self.jitter, "jitter")], 0.0)
        else:
            jitter = jitter_row(self.jitter)
        reorder = None
        if self.reorder is not None:
            reorder = (units.share(self.reorder[0], "reorder"), int(self.reorder[1]))
        return _core.Qdisc.netem(
            units.time_ns(self.delay, "delay"),
            jitter,
            loss_row(self.loss),
            units.share(self.duplicate, "duplicate"),
            units.share(self.corrupt, "corrupt"),
            correlation_row(self.correlation),
            reorder,
            None if self.rate is None else units.rate_bps(self.rate, "rate"),
            (
                _overhead(self.packet_overhead, "packet_overhead"),
                units.size_bytes(self.cell_size, "cell_size", "48B"),
                _overhead(self.cell_overhead, "cell_overhead"),
            ),
            self.ecn,
            None if self.slot is None else _slot(self.slot),
            None if self.seed is None else _count(self.seed, "seed"),
            units.packets(self.limit, "limit"),
            _below(self.queue),
        )


def _overhead(value: object, what: str) -> int:
    """Bytes, also fewer than none."""
    if isinstance(value, str) and value.lstrip().startswith("-"):
        return -units.size_bytes(value.lstrip()[1:], what, "5B")
    return units.size_bytes(value, what, "5B")


def _slot(slot: Slot) -> tuple[int, int, int | None, int | None]:
    least = units.time_ns(slot.min, "slot's min")
    return (
        least,
        least if slot.max is None else units.time_ns(slot.max, "slot's max"),
        None if slot.packets is None else units.packets(slot.packets, "slot's packets"),
        None if slot.bytes is None else units.size_bytes(slot.bytes, "slot's bytes", "15kB"),
    )


def _count(value: object, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise UnitError(f"{what} {value!r}: expected a whole number from 0 on")
    return value


@dataclass(frozen=True)
class HtbClass:
    """A class of :class:`Htb`.

    Attributes:
        name: what filters and other classes call it.
        rate: what it has in any case.
        ceil: what it may have with what it borrows; the rate by default.
        parent: the name of the class it borrows from.
        burst: how much may leave at once at ``rate`` after a pause.
        cburst: how much may leave at once at ``ceil`` after a pause.
        priority: who borrows first, 0 to 7, lowest first.
        quantum: how much is served in a turn; in proportion to the rate by default.
        queue: where its packets wait; first in, first out, 1000 packets by default.
        filters: of a class with classes below it: which of its packets go to which of them, as :class:`Htb` has them.
    """

    name: str
    rate: str
    ceil: str | None = None
    parent: str | None = None
    burst: str = "1600B"
    cburst: str = "1600B"
    priority: int = 0
    quantum: str | None = None
    queue: Qdisc | str | None = None
    filters: Sequence[tuple[str, str | None]] = ()


@dataclass(frozen=True)
class Htb:
    """Classes with a rate each, which lend one another what they do not use (tc-htb).

    Attributes:
        classes: the classes, parents among them.
        filters: which packets go to which class: a filter in tcpdump's language and a class's name; the first that matches counts. A
            class with others below it sends on by its own filters. None instead of a name: past all classes, at once and unshaped.
        default: the class of packets that no filter matches; without one they leave at once and unshaped.
    """

    classes: Sequence[HtbClass]
    filters: Sequence[tuple[str, str | None]] = ()
    default: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rows = []
        for number, one in enumerate(self.classes, 1):
            rate = units.rate_bps(one.rate, "rate")
            rows.append(
                (
                    number,
                    None if one.parent is None else self._number(one.parent),
                    rate,
                    rate if one.ceil is None else units.rate_bps(one.ceil, "ceil"),
                    units.size_bytes(one.burst, "burst"),
                    units.size_bytes(one.cburst, "cburst"),
                    one.priority,
                    None if one.quantum is None else units.size_bytes(one.quantum, "quantum"),
                    _below(one.queue),
                )
            )
        filters = self._filters(None, self.filters)
        for one in self.classes:
            filters += self._filters(self._number(one.name), one.filters)
        default = None if self.default is None else self._number(self.default)
        return _core.Qdisc.htb(default, rows, filters)

    def _filters(
        self, parent: int | None, filters: Sequence[tuple[str, str | None]]
    ) -> list[tuple[str, int, int | None]]:
        return [(text, 0 if name is None else self._number(name), parent) for text, name in filters]

    def _number(self, name: str) -> int:
        names = [one.name for one in self.classes]
        if name not in names:
            suggestion = nearest(name, names)
            text = "" if suggestion else f" (there are: {listing(names)})"
            raise NetworkError(f'there is no class "{name}"{text}', suggestion=suggestion)
        return names.index(name) + 1


Qdisc = Fifo | Tbf | Fq | Codel | FqCodel | Red | Netem | Htb


def core(value: Qdisc | str) -> _core.Qdisc:
    """A queueing discipline as the core takes it; a limit alone (``"100p"``, ``"64kB"``) is first in, first out.

    Raises:
        UnitError: a quantity cannot be read.
        NetworkError: a filter cannot be read, or names no class.
    """
    return value.core() if isinstance(value, Qdisc) else _core.Qdisc.fifo(*units.queue(value))


def _below(value: Qdisc | str | None) -> _core.Qdisc | None:
    return None if value is None else core(value)

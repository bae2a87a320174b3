"""Network emulation."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.checks import check_flag, check_whole
from weir.errors import UnitError
from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss, correlation_row, jitter_row, loss_row
from weir.qdisc.base import Qdisc, below, small


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
class Netem(Qdisc):
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
        check_flag("ecn", self.ecn)
        if self.seed is not None:
            check_whole("seed", self.seed, 0, (1 << 64) - 1)
        return _core.Qdisc.netem(
            units.time_ns(self.delay, "delay"),
            jitter,
            loss_row(self.loss),
            units.share(self.duplicate, "duplicate"),
            units.share(self.corrupt, "corrupt"),
            correlation_row(self.correlation),
            None if self.reorder is None else _reorder(self.reorder),
            None if self.rate is None else units.rate_bps(self.rate, "rate"),
            (
                _overhead(self.packet_overhead, "packet_overhead"),
                small(self.cell_size, "cell_size", "48B"),
                _overhead(self.cell_overhead, "cell_overhead"),
            ),
            self.ecn,
            None if self.slot is None else _slot(self.slot),
            self.seed,
            units.packets(self.limit, "limit"),
            below(self.queue),
        )


def _reorder(value: object) -> tuple[float, int]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise UnitError(
            f'expected a share and a gap in packets for reorder, such as ("25%", 5), found {value!r}'
        )
    check_whole("reorder's gap", value[1], 0)
    return units.share(value[0], "reorder"), value[1]


def _overhead(value: object, what: str) -> int:
    """Bytes, also fewer than none."""
    if isinstance(value, str) and value.lstrip().startswith("-"):
        return -small(value.lstrip()[1:], what, "5B")
    return small(value, what, "5B")


def _slot(slot: Slot) -> tuple[int, int, int | None, int | None]:
    if not isinstance(slot, Slot):
        raise UnitError(f'expected a slot such as qdisc.Slot("20ms"), found {slot!r}')
    least = units.time_ns(slot.min, "slot's min")
    return (
        least,
        least if slot.max is None else units.time_ns(slot.max, "slot's max"),
        None if slot.packets is None else units.packets(slot.packets, "slot's packets"),
        None if slot.bytes is None else units.size_bytes(slot.bytes, "slot's bytes", "15kB"),
    )

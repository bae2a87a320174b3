"""Network emulation: delay, loss and other impairments."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.errors import UnitError, shown
from weir.errors.checks import check_flag, check_whole
from weir.impairments import (
    UNCORRELATED,
    Correlation,
    Jitter,
    Loss,
    UniformAround,
    correlations,
    jitter_model,
    loss_model,
)
from weir.qdisc.base import Qdisc, child, small_size


@dataclass(frozen=True)
class Slot:
    """Time slots in which packets of :class:`Netem` leave (tc-netem's ``slot``).

    Slots model a medium with scheduled access.

    Attributes:
        min: minimum time until the next slot, after a packet's delay.
        max: maximum time; ``min`` by default. The time is uniform between the two.
        packets: maximum packets in a slot; no limit by default.
        bytes: maximum bytes in a slot; the packet that exceeds it is still sent.
    """

    min: str
    max: str | None = None
    packets: str | None = None
    bytes: str | None = None


@dataclass(frozen=True)
class Netem(Qdisc):
    """Delay, loss and other impairments before the link (tc-netem).

    Attributes:
        delay: delay of each packet.
        jitter: random time added to the delay; a time alone is uniform around 0, as in netem.
            Packets can overtake others because of jitter.
        loss: the share of packets lost, or another model of loss.
        duplicate: the share of packets sent twice.
        corrupt: the share of packets with one bit flipped.
        correlation: how much the random number of an effect depends on the effect's previous
            number.
        reorder: the share of packets sent without delay, and the minimum distance between two of
            them in packets (netem's ``gap``).
        rate: rate of a bottleneck before the delay.
        limit: maximum packets that wait, including delayed ones.
        queue: the discipline after the delay; by default packets go directly to the link.
        packet_overhead: bytes added to each packet at the bottleneck; ``"-14B"`` subtracts the
            Ethernet header.
        cell_size: payload of a cell at the bottleneck; packets use whole cells; ``"0B"`` for none.
        cell_overhead: bytes added to each cell: ATM has ``"48B"`` and ``"5B"``.
        ecn: whether ECN-capable packets are marked (RFC 3168) instead of lost.
        slot: time slots in which packets leave.
        seed: seed of the random numbers, which are the same at all interfaces with this seed; by
            default derived from the network's seed and the interface's name.
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
        """Converts the settings to the form that the core takes."""
        jitter = UniformAround(self.jitter) if isinstance(self.jitter, str) else self.jitter
        check_flag("ecn", self.ecn)
        if self.seed is not None:
            check_whole("seed", self.seed, 0, (1 << 64) - 1)
        return _core.Qdisc.netem(
            units.time_ns(self.delay, "delay"),
            jitter_model(jitter),
            loss_model(self.loss),
            units.share(self.duplicate, "duplicate"),
            units.share(self.corrupt, "corrupt"),
            correlations(self.correlation),
            None if self.reorder is None else _reorder(self.reorder),
            None if self.rate is None else units.rate_bps(self.rate, "rate"),
            (
                _overhead(self.packet_overhead, "packet_overhead"),
                small_size(self.cell_size, "cell_size", "48B"),
                _overhead(self.cell_overhead, "cell_overhead"),
            ),
            self.ecn,
            None if self.slot is None else _slot(self.slot),
            self.seed,
            units.packets(self.limit, "limit"),
            child(self.queue),
        )


def _reorder(value: object) -> tuple[float, int]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise UnitError(
            f'expected a share and a gap in packets for reorder, such as ("25%", 5), found {shown(value)}'
        )
    check_whole("reorder's gap", value[1], 0)
    return units.share(value[0], "reorder"), value[1]


def _overhead(value: object, what: str) -> int:
    """Reads the overhead of a packet or cell: a number of bytes, which may be negative."""
    if isinstance(value, str) and value.lstrip().startswith("-"):
        return -small_size(value.lstrip()[1:], what, "5B")
    return small_size(value, what, "5B")


def _slot(slot: Slot) -> tuple[int, int, int | None, int | None]:
    if not isinstance(slot, Slot):
        raise UnitError(f'expected a slot such as qdisc.Slot("20ms"), found {shown(slot)}')
    minimum = units.time_ns(slot.min, "slot's min")
    return (
        minimum,
        minimum if slot.max is None else units.time_ns(slot.max, "slot's max"),
        None if slot.packets is None else units.packets(slot.packets, "slot's packets"),
        None if slot.bytes is None else units.size_bytes(slot.bytes, "slot's bytes", "15kB"),
    )

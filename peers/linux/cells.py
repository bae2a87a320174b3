"""The cells of the comparison: flows over one bottleneck."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

MBIT = 1e6
FRAME = 1514
CONTROLS = ("reno", "cubic", "bbr")


@dataclass(frozen=True)
class Flow:
    """A flow of a pair of hosts."""

    pair: int
    congestion: str
    start: float
    seconds: float


@dataclass(frozen=True)
class Cell:
    """Flows over a bottleneck.

    Attributes:
        name: its unique name.
        rate: the rate of the bottleneck, in bit/s of frames.
        limit: the number of frames that its queue holds.
        rtts: the round trip of each pair of hosts without queueing, in ms.
        flows: the flows that are sent.
        low, high: the part of the time in which goodput and queue are measured, in seconds.
        loss: the probability of a random loss.
        shaper: `tc qdisc` arguments at the sender of pair 0, in place of the bottleneck.
        gso: the maximum number of segments that the kernel hands to an interface at once; 0 for its
            own maximum.
    """

    name: str
    rate: float
    limit: int
    rtts: tuple[float, ...]
    flows: tuple[Flow, ...]
    low: float
    high: float
    loss: float = 0
    shaper: str = ""
    gso: int = 0


def bdp(rate: float, rtt: float) -> float:
    """Bandwidth-delay product in full frames."""
    return rate * rtt / 1000 / 8 / FRAME


def one_flow(rate: float, rtt: float, queue: float, congestion: str) -> Cell:
    """A cell of the matrix: `queue` is in BDPs."""
    seconds = 60 if rate * rtt > 5e9 else 40
    limit = max(1, round(queue * bdp(rate, rtt)))
    flows = (Flow(0, congestion, 0, seconds),)
    name = f"{rate / MBIT:.0f} {rtt:g} {queue:g} {congestion}"
    return Cell(name, rate, limit, (rtt,), flows, seconds / 4, seconds)


def matrix() -> Iterator[Cell]:
    """One flow: 10 and 100 Mbit/s, three round trips, three queues, three congestion controls."""
    for rate in (10 * MBIT, 100 * MBIT):
        for rtt in (10, 50, 100):
            for queue in (0.25, 1, 4):
                for congestion in CONTROLS:
                    yield one_flow(rate, rtt, queue, congestion)


def single_segments() -> Iterator[Cell]:
    """The cells of the matrix in which the kernel sends one segment at a time, as Weir does."""
    for rtt in (10, 50):
        for control in ("reno", "cubic"):
            cell = one_flow(100 * MBIT, rtt, 0.25, control)
            yield replace(cell, name=f"{cell.name} singly", gso=1)


def several_flows() -> Iterator[Cell]:
    """The cells with several flows, and with random losses."""
    for control in CONTROLS:
        flows = (Flow(0, control, 0, 60), Flow(1, control, 10, 50))
        yield Cell(f"two {control}", 10 * MBIT, 41, (50, 50), flows, 35, 60)
        flows = tuple(Flow(pair, control, pair, 60 - pair) for pair in range(4))
        yield Cell(f"four {control}", 100 * MBIT, 165, (20,) * 4, flows, 30, 60)
        flows = (Flow(0, control, 0, 60), Flow(1, control, 0.3, 59.7))
        yield Cell(f"rtts {control}", 20 * MBIT, 83, (10, 50), flows, 20, 60)
    for queue, limit in (("1", 66), ("4", 264)):
        flows = (Flow(0, "cubic", 0, 60), Flow(1, "bbr", 1, 59))
        yield Cell(f"cubic and bbr {queue}", 20 * MBIT, limit, (40, 40), flows, 20, 60)
    flows = (Flow(0, "cubic", 0, 60), Flow(1, "reno", 1, 59))
    yield Cell("cubic and reno 1", 20 * MBIT, 66, (40, 40), flows, 20, 60)
    for loss in (0.001, 0.01):
        for control in CONTROLS:
            flows = (Flow(0, control, 0, 40),)
            name = f"loss {100 * loss:g} {control}"
            yield Cell(name, 100 * MBIT, 826, (50,), flows, 5, 40, loss)


def shapers() -> Iterator[Cell]:
    """The cells with `tc` at the sender instead of a bottleneck on the path."""
    kinds = {
        "tbf": "tbf rate 10mbit burst 15140b limit 64000",
        "htb": "htb default 1",
    }
    for name, shaper in kinds.items():
        for control in ("cubic", "bbr"):
            flows = (Flow(0, control, 0, 30),)
            yield Cell(f"{name} {control}", 0, 0, (20,), flows, 10, 30, 0, shaper)


@dataclass(frozen=True)
class ShortFlows:
    """Short flows, one after the other, alone or while a long flow fills the queue."""

    name: str
    congestion: str
    bytes: int
    count: int
    background: str = ""
    rate: float = 10 * MBIT
    limit: int = 33
    rtt: float = 40


def short_flows() -> Iterator[ShortFlows]:
    """The cells that measure completion times of short flows."""
    for control in CONTROLS:
        for size in (10_000, 100_000, 1_000_000):
            count = 20 if size < 1_000_000 else 8
            yield ShortFlows(f"short {size // 1000} {control}", control, size, count)
    for background in ("cubic", "bbr"):
        name = f"short 100 during {background}"
        yield ShortFlows(name, "cubic", 100_000, 20, background)


@dataclass(frozen=True)
class Datagrams:
    """Datagrams at a constant rate, and small datagrams with answers, over one bottleneck."""

    name: str
    blast: float
    background: str = ""
    rate: float = 10 * MBIT
    limit: int = 50
    rtt: float = 20
    seconds: float = 20


def datagrams() -> Iterator[Datagrams]:
    """The cells with UDP above the bottleneck's rate, and round trips under load."""
    yield Datagrams("udp 12", 12 * MBIT)
    yield Datagrams("udp 20", 20 * MBIT)
    for control in CONTROLS:
        yield Datagrams(f"ping during {control}", 0, control)

"""A program's speed from memory to memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir import _core
from weir.control.switch import Switch
from weir.network import Profile
from weir.program import Program


@dataclass(frozen=True)
class PipelineSpeed:
    """What was measured.

    Attributes:
        program: the program's file.
        executor: what ran it.
        packets: packets that went in.
        out: packets that came out, copies among them.
        dropped: packets that the switch gave up.
        seconds: wall clock.
        size: bytes of a packet.
        flows: different packets.
        entries: entries in all tables, the program's constant ones too.
        ns_undisturbed: nanoseconds a packet in the lowest tenth of windows of 1024 packets: while nothing else runs on the core.
        varied: the fields that differ from flow to flow, by name: those that tables with entries match on.
    """

    program: str
    executor: str
    packets: int
    out: int
    dropped: int
    seconds: float
    size: int
    flows: int
    entries: int
    ns_undisturbed: float
    varied: tuple[str, ...]

    @property
    def packets_per_second(self) -> float:
        """Packets that went in, a second."""
        return self.packets / self.seconds

    @property
    def ns_per_packet(self) -> float:
        """Nanoseconds for each of them."""
        return 1e9 * self.seconds / self.packets


def time_pipeline(
    program: Program,
    *,
    load: Callable[[Switch], None] | None = None,
    packet: bytes | None = None,
    size: int = 64,
    flows: int = 1024,
    ports: Sequence[int] = (0,),
    seconds: float = 2.0,
    seed: int = 1,
) -> PipelineSpeed:
    """Measures how fast a program carries packets from memory to memory on one core.

    The switch takes no time of its own: no queue has a rate, nothing waits. Every flow is one packet, a copy of ``packet`` in which the
    header fields that tables match on are drawn from the entries that ``load`` made. A field that an entry leaves open stays as it is.

    Args:
        program: what is measured.
        load: fills the switch's tables.
        packet: what all flows start from; else Ethernet, IPv4 and UDP of ``size`` bytes.
        size: bytes of that packet, at least 42.
        flows: how many different packets go round.
        ports: where they come in, in turn.
        seconds: for how long, about; more than 0.
        seed: where the random choices begin.
    """
    core = _core.Straight(program._core, list(range(511)), seed)
    if load is not None:
        load(Switch(core.control(), "switch", program, Profile.named("default")))
    found = core.measure(packet, size, flows, list(ports), seed, seconds)
    return PipelineSpeed(
        program=program.path,
        executor=found.executor,
        packets=found.packets,
        out=found.out,
        dropped=found.dropped,
        seconds=found.seconds,
        size=len(packet) if packet is not None else max(size, 42),
        flows=flows,
        entries=sum(core.control().table_state(table)[0] for table in program.tables),
        ns_undisturbed=found.ns_undisturbed,
        varied=tuple(found.varied),
    )

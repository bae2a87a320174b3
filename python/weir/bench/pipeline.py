"""Measures a program from memory to memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir import _core
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.program import Program


@dataclass(frozen=True)
class PipelineSpeed:
    """The speed of a program.

    Attributes:
        program: the program's file.
        executor: the executor that ran it.
        packets: packets sent into the switch.
        out: packets that left it, including copies.
        dropped: packets that the switch dropped.
        seconds: real time.
        size: bytes of a packet.
        flows: number of different packets.
        entries: entries in all tables, including constant ones.
        ns_undisturbed: nanoseconds per packet in the fastest tenth of windows of 1024 packets:
            while nothing else runs on the core.
        varied: names of the fields that differ between flows: those that tables with entries match
            on.
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
        """Packets sent into the switch per second."""
        return self.packets / self.seconds

    @property
    def ns_per_packet(self) -> float:
        """Nanoseconds per packet."""
        return 1e9 * self.seconds / self.packets


def time_pipeline(
    program: Program,
    *,
    load: Callable[[Switch], None] | None = None,
    packet: bytes | None = None,
    packets: Sequence[bytes] | None = None,
    size: int = 64,
    flows: int = 1024,
    ports: Sequence[int] = (0,),
    seconds: float = 2.0,
    seed: int = 1,
) -> PipelineSpeed:
    """Measures how fast a program processes packets from memory to memory on one core.

    Virtual time does not matter: no queue has a rate, and nothing waits. Every flow is one packet,
    a copy of ``packet`` in which the header fields that tables match on are drawn from the entries
    that ``load`` made. Fields that an entry does not constrain keep their value. Where entries of
    several tables must fit together, give ``packets`` instead.

    Args:
        program: the program to measure.
        load: called to fill the switch's tables.
        packet: the packet that all flows are copies of; by default Ethernet, IPv4 and UDP of
            ``size`` bytes.
        packets: the packets to send in turn as they are, all of one length, instead of flows.
        size: bytes of that packet, at least 42.
        flows: number of different packets, if there are no ``packets``.
        ports: the ingress ports, in turn.
        seconds: approximate time to measure; more than 0.
        seed: the seed of the random choices.

    Raises:
        ValueError: ``packets`` has no packets, empty ones or ones of different lengths, or is given
            together with ``packet``.
        weir.NetworkError: a packet did not leave the switch in 1000 passes; the message says which.
    """
    if packets is not None:
        lengths = sorted({len(each) for each in packets})
        if len(lengths) != 1 or lengths[0] == 0:
            raise ValueError(f"packets must all have one length of at least 1 byte, found {lengths}")
        if packet is not None:
            raise ValueError("give either packet or packets, not both")
        size, flows = lengths[0], len(packets)
    core = _core.BenchSwitch(program._core, list(range(511)), seed)
    if load is not None:
        load(Switch(core.control(), "switch", program, Profile.named("default")))
    joined = b"".join(packets) if packets is not None else None
    found = core.measure(packet, joined, size, flows, list(ports), seed, seconds)
    return PipelineSpeed(
        program=program.path,
        executor=found.executor,
        packets=found.packets,
        out=found.out,
        dropped=found.dropped,
        seconds=found.seconds,
        size=len(packet) if packet is not None else size if packets is not None else max(size, 42),
        flows=flows,
        entries=sum(core.control().table_state(table)[0] for table in program.tables),
        ns_undisturbed=found.ns_undisturbed,
        varied=tuple(found.varied),
    )

"""Measures the speed of a program with packets in memory."""

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
        executor: the executor of the program.
        packets: the number of packets sent to the switch.
        out: the number of packets that left the switch, including copies.
        dropped: the number of packets that the switch dropped.
        seconds: the real time in seconds.
        size: bytes of a packet.
        flows: number of different packets.
        entries: entries in all tables, including constant ones.
        ns_undisturbed: the nanoseconds per packet in the fastest tenth of windows of 1024 packets,
            when no other process used the core.
        varied: the names of the fields that differ between flows, on which tables with entries
            match.
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
        """Nanoseconds of real time per packet that was sent into the switch."""
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

    Virtual time has no effect, because no queue has a rate and no packet waits. Each flow is a
    packet, a copy of ``packet`` whose matched header fields have random values from the entries
    that ``load`` added. Fields that an entry does not constrain keep their value. If entries of
    several tables must fit together, use ``packets`` instead.

    Args:
        program: the program to measure.
        load: a function that fills the switch's tables.
        packet: the packet to copy for all flows; by default Ethernet, IPv4 and UDP with ``size``
            bytes.
        packets: packets of equal length to send unchanged in turn, instead of flows.
        size: bytes of that packet, at least 42.
        flows: number of different packets, if there are no ``packets``.
        ports: the ingress ports, used in turn.
        seconds: approximate time to measure; more than 0.
        seed: the seed of the random choices.

    Raises:
        ValueError: ``packets`` is empty, has empty packets or packets of different lengths, or is
            given together with ``packet``.
        weir.NetworkError: a packet, which the message names, did not leave the switch within 1000
            passes.
    """
    if packets is not None:
        lengths = sorted({len(each) for each in packets})
        if len(lengths) != 1 or lengths[0] == 0:
            raise ValueError(f"packets must all have one length of at least 1 byte, found {lengths}")
        if packet is not None:
            raise ValueError("give either packet or packets, not both")
        size, flows = lengths[0], len(packets)
    core = _core.BenchSwitch(program._core, list(program._ports), seed)
    if load is not None:
        load(Switch(core.control(), "switch", program, Profile.named("default")))
    joined = b"".join(packets) if packets is not None else None
    speed = core.measure(packet, joined, size, flows, list(ports), seed, seconds)
    return PipelineSpeed(
        program=program.path,
        executor=speed.executor,
        packets=speed.packets,
        out=speed.out,
        dropped=speed.dropped,
        seconds=speed.seconds,
        size=len(packet) if packet is not None else size if packets is not None else max(size, 42),
        flows=flows,
        entries=sum(core.control().table_state(table)[0] for table in program.tables),
        ns_undisturbed=speed.ns_undisturbed,
        varied=tuple(speed.varied),
    )

"""One node's metadata about a packet, read from bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from weir.telemetry.instruction import Instruction


@dataclass(frozen=True)
class Hop:
    """What one node reports about a packet.

    Values that were not requested or are not available are None.

    Attributes:
        node: the node's id.
        ingress_port: level 1 interface at which the packet arrived.
        egress_port: level 1 interface from which it left.
        latency_us: time from its arrival to the end of its wait.
        queue: queue id.
        queue_packets: packets that were waiting when it arrived.
        ingress_time_us: when it arrived, in µs since the switch started.
        egress_time_us: the end of its wait.
        logical_ingress: level 2 interface.
        logical_egress: level 2 interface.
        utilization_ppm: the rate that the port sent in the previous bin, in millionths of the
            link's rate.
        buffer: buffer id.
        buffer_packets: packets in the buffer.
        complement: checksum complement, 32 bits.
        drop_reason: in reports of drops.
    """

    node: int | None = None
    ingress_port: int | None = None
    egress_port: int | None = None
    latency_us: int | None = None
    queue: int | None = None
    queue_packets: int | None = None
    ingress_time_us: int | None = None
    egress_time_us: int | None = None
    logical_ingress: int | None = None
    logical_egress: int | None = None
    utilization_ppm: int | None = None
    buffer: int | None = None
    buffer_packets: int | None = None
    complement: int | None = None
    drop_reason: int | None = None


def read_hop(data: bytes, instructions: int) -> Hop:
    """Reads a node's metadata; instructions that Weir does not know are skipped.

    Args:
        data: at least the words of the instructions.
        instructions: the bitmap they follow.
    """
    found: dict[str, int | None] = {}
    place = 0
    for bit in range(16):
        mask = 0x8000 >> bit
        if not instructions & mask:
            continue
        form, names = _FIELDS.get(mask, ("!I", ()))
        size = struct.calcsize(form)
        if data[place : place + size] != b"\xff" * size:
            values = struct.unpack_from(form, data, place)
            found |= {name: value for name, value in zip(names, values, strict=False) if name}
        place += size
    for queue, packets in (("queue", "queue_packets"), ("buffer", "buffer_packets")):
        both = found.get(queue)
        if both is not None:
            found |= {queue: both >> 24, packets: both & 0xFFFFFF}
    return Hop(**found)


_FIELDS: Final[dict[int, tuple[str, tuple[str, ...]]]] = {
    Instruction.NODE: ("!I", ("node",)),
    Instruction.INTERFACES: ("!HH", ("ingress_port", "egress_port")),
    Instruction.LATENCY: ("!I", ("latency_us",)),
    Instruction.QUEUE: ("!I", ("queue",)),
    Instruction.INGRESS_TIME: ("!Q", ("ingress_time_us",)),
    Instruction.EGRESS_TIME: ("!Q", ("egress_time_us",)),
    Instruction.LOGICAL_INTERFACES: ("!II", ("logical_ingress", "logical_egress")),
    Instruction.UTILIZATION: ("!I", ("utilization_ppm",)),
    Instruction.BUFFER: ("!I", ("buffer",)),
    Instruction.COMPLEMENT: ("!I", ("complement",)),
}

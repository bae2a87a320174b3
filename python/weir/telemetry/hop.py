"""One node's metadata about a packet."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

from weir.telemetry.instruction import Instruction


def _asked_by(instruction: Instruction, bits: int) -> Any:
    """A field of this many bits, which follows the earlier fields of the same instruction."""
    return field(default=None, metadata={"instruction": instruction, "bits": bits})


@dataclass(frozen=True)
class Hop:
    """The metadata that one node reports about a packet.

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
        drop_reason: the reason of the drop, in reports of drops.
    """

    node: int | None = _asked_by(Instruction.NODE, 32)
    ingress_port: int | None = _asked_by(Instruction.INTERFACES, 16)
    egress_port: int | None = _asked_by(Instruction.INTERFACES, 16)
    latency_us: int | None = _asked_by(Instruction.LATENCY, 32)
    queue: int | None = _asked_by(Instruction.QUEUE, 8)
    queue_packets: int | None = _asked_by(Instruction.QUEUE, 24)
    ingress_time_us: int | None = _asked_by(Instruction.INGRESS_TIME, 64)
    egress_time_us: int | None = _asked_by(Instruction.EGRESS_TIME, 64)
    logical_ingress: int | None = _asked_by(Instruction.LOGICAL_INTERFACES, 32)
    logical_egress: int | None = _asked_by(Instruction.LOGICAL_INTERFACES, 32)
    utilization_ppm: int | None = _asked_by(Instruction.UTILIZATION, 32)
    buffer: int | None = _asked_by(Instruction.BUFFER, 8)
    buffer_packets: int | None = _asked_by(Instruction.BUFFER, 24)
    complement: int | None = _asked_by(Instruction.COMPLEMENT, 32)
    drop_reason: int | None = None


def _fields() -> dict[Instruction, list[tuple[str, int]]]:
    found: dict[Instruction, list[tuple[str, int]]] = {}
    for one in fields(Hop):
        if one.metadata:
            found.setdefault(one.metadata["instruction"], []).append((one.name, one.metadata["bits"]))
    return found


FIELDS: Final = _fields()
"""The metadata that each instruction asks for, the most significant bits first: names and bits."""

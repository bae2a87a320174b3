"""The metadata of one node about a packet."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

from weir.telemetry.instruction import Instruction


def _metadata_field(instruction: Instruction, bits: int) -> Any:
    """Declares a field of metadata with its width in bits.

    If an instruction has several fields, they must be declared in their order.
    """
    return field(default=None, metadata={"instruction": instruction, "bits": bits})


@dataclass(frozen=True)
class Hop:
    """The metadata that one node reports about a packet.

    Values that were not requested or are not available are ``None``.

    Attributes:
        node: the node's id.
        ingress_port: the level 1 interface at which the packet arrived.
        egress_port: the level 1 interface from which the packet left.
        latency_us: the time in µs from the packet's arrival to the end of its wait in the queue.
        queue: the queue's id.
        queue_packets: the packets in the queue when the packet arrived.
        ingress_time_us: the time of arrival, in µs since the switch started.
        egress_time_us: the end of the wait, in µs since the switch started.
        logical_ingress: the level 2 ingress interface.
        logical_egress: the level 2 egress interface.
        utilization_ppm: the rate that the port sent in the previous bin, in millionths of the
            link's rate.
        buffer: the buffer's id.
        buffer_packets: the number of packets in the buffer.
        complement: the checksum complement, 32 bits.
        drop_reason: the reason for the drop, in reports of drops.
    """

    node: int | None = _metadata_field(Instruction.NODE, 32)
    ingress_port: int | None = _metadata_field(Instruction.INTERFACES, 16)
    egress_port: int | None = _metadata_field(Instruction.INTERFACES, 16)
    latency_us: int | None = _metadata_field(Instruction.LATENCY, 32)
    queue: int | None = _metadata_field(Instruction.QUEUE, 8)
    queue_packets: int | None = _metadata_field(Instruction.QUEUE, 24)
    ingress_time_us: int | None = _metadata_field(Instruction.INGRESS_TIME, 64)
    egress_time_us: int | None = _metadata_field(Instruction.EGRESS_TIME, 64)
    logical_ingress: int | None = _metadata_field(Instruction.LOGICAL_INTERFACES, 32)
    logical_egress: int | None = _metadata_field(Instruction.LOGICAL_INTERFACES, 32)
    utilization_ppm: int | None = _metadata_field(Instruction.UTILIZATION, 32)
    buffer: int | None = _metadata_field(Instruction.BUFFER, 8)
    buffer_packets: int | None = _metadata_field(Instruction.BUFFER, 24)
    complement: int | None = _metadata_field(Instruction.COMPLEMENT, 32)
    drop_reason: int | None = None


def _fields() -> dict[Instruction, list[tuple[str, int]]]:
    by_instruction: dict[Instruction, list[tuple[str, int]]] = {}
    for hop_field in fields(Hop):
        if hop_field.metadata:
            by_instruction.setdefault(hop_field.metadata["instruction"], []).append(
                (hop_field.name, hop_field.metadata["bits"])
            )
    return by_instruction


FIELDS: Final = _fields()
"""The names and widths in bits of the metadata fields of each instruction, most significant
first."""

"""Compares the metadata in reports with the simulator's record, value by value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from weir.telemetry import Hop, Instruction, Report

from .chain import logical_interface
from .known import Packet, packets_of
from .record import Passage, utilization_ppm

ALL: Final = Instruction(0xFF81)
"""All instructions that request a value."""

FIELDS: Final[Mapping[str, Instruction]] = {
    "node": Instruction.NODE,
    "ingress_port": Instruction.INTERFACES,
    "egress_port": Instruction.INTERFACES,
    "latency_us": Instruction.LATENCY,
    "queue": Instruction.QUEUE,
    "queue_packets": Instruction.QUEUE,
    "ingress_time_us": Instruction.INGRESS_TIME,
    "egress_time_us": Instruction.EGRESS_TIME,
    "logical_ingress": Instruction.LOGICAL_INTERFACES,
    "logical_egress": Instruction.LOGICAL_INTERFACES,
    "utilization_ppm": Instruction.UTILIZATION,
    "buffer": Instruction.BUFFER,
    "buffer_packets": Instruction.BUFFER,
}
"""The values that are compared, and the instruction that requests each value.

The checksum complement is not compared: it is right if the checksum of the packet is right.
"""

Limits = tuple[float, float] | None
"""The smallest and the largest correct value of a field; ``None`` if the switch cannot know the
value."""


@dataclass
class ComparedValues:
    """How many values agree with the record, and how many do not.

    Attributes:
        values: the number of compared values of each field.
        wrong: the number of values of each field that differ from the record.
        unavailable: the number of values of each field that were reserved or left out of a report.
        hops: the compared metadata of nodes.
        nodes: the nodes in each report.
        pairs: metadata with the record of the packet's passage.
        unknown: reports about packets without a record.
    """

    values: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FIELDS, 0))
    wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FIELDS, 0))
    unavailable: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FIELDS, 0))
    nodes: list[list[int]] = field(default_factory=list)
    pairs: list[tuple[Hop, Passage]] = field(default_factory=list)
    unknown: int = 0

    @property
    def hops(self) -> int:
        """The number of nodes whose metadata were compared."""
        return len(self.pairs)


def compare(
    reports: Iterable[Report],
    record: Mapping[tuple[int, Packet], Passage],
    rate: str,
    instructions: int = ALL,
) -> ComparedValues:
    """Compares reports with the record.

    Args:
        reports: the reports in the order of their arrival.
        record: the record, by switch and packet.
        rate: the rate of all links.
        instructions: the requested instructions.
    """
    compared = ComparedValues()
    ordered = list(reports)
    for report, packet in zip(ordered, packets_of(ordered), strict=True):
        nodes: list[int] = []
        for hop in report.hops:
            # If the instructions do not request node ids, the order of the metadata identifies the
            # nodes.
            node = hop.node if hop.node is not None else len(nodes) + 1
            passage = record.get((node, packet))
            if passage is None:
                compared.unknown += 1
                continue
            nodes.append(node)
            compared.pairs.append((hop, passage))
            _compare_hop(compared, hop, right_values(passage, rate), instructions)
        compared.nodes.append(nodes)
    return compared


def right_values(passage: Passage, rate: str) -> dict[str, Limits]:
    """Computes the correct metadata of a passage, by field.

    Times are in whole microseconds of the switch's clock. Utilization is computed with 16 bits
    after the binary point, so it may be one too small.
    """
    arrived, left = passage.arrived_ns // 1000, passage.left_ns // 1000
    ppm = utilization_ppm(passage.sent_before, rate)
    slack = 1 + passage.sent_before / 2**17
    exact = {
        "node": passage.switch,
        "ingress_port": passage.ingress_port,
        "egress_port": passage.egress_port,
        "latency_us": left - arrived,
        "queue": 0,
        "ingress_time_us": arrived,
        "egress_time_us": left,
        "logical_ingress": logical_interface(passage.switch, passage.ingress_port),
        "logical_egress": logical_interface(passage.switch, passage.egress_port),
    }
    return {
        **{name: (value, value) for name, value in exact.items()},
        "queue_packets": passage.waiting,
        "utilization_ppm": (ppm - slack, ppm + slack),
        "buffer": None,
        "buffer_packets": None,
    }


def _compare_hop(compared: ComparedValues, hop: Hop, right: Mapping[str, Limits], instructions: int) -> None:
    for name, instruction in FIELDS.items():
        if not instructions & instruction and name != "node":
            continue
        value, limits = getattr(hop, name), right[name]
        if value is None:
            compared.unavailable[name] += 1
            compared.wrong[name] += limits is not None
        else:
            compared.values[name] += 1
            compared.wrong[name] += limits is None or not limits[0] <= value <= limits[1]

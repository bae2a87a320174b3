"""The metadata of all hops of many reports, as columns."""

from __future__ import annotations

import numpy as np

from weir.telemetry.headers import Packets
from weir.telemetry.instruction import Instruction
from weir.telemetry.words import Numbers, bits, places

_ALL_ONES = 0xFFFFFFFF


def hop_columns(
    at: Numbers, reports: dict[str, Numbers], bitmaps: Numbers, metadata: Numbers, packets: Packets
) -> dict[str, Numbers]:
    """The columns of the table ``hops``: a row for each node in each report.

    Args:
        at: all words.
        reports: the columns of the reports.
        bitmaps: RepMdBits of each report.
        metadata: the index of the first word of the reporting node's own metadata.
        packets: the packets with the metadata of the earlier nodes.
    """
    counts = packets.hops + 1
    report = np.repeat(reports["report"], counts)
    place = np.arange(len(report)) - np.repeat(np.cumsum(counts) - counts, counts)
    before = packets.hops[report] - place
    own = before == 0
    start = np.where(own, metadata[report], packets.stack[report] + (before - 1) * packets.hop_words[report])
    bitmap = np.where(own, bitmaps[report] & ~Instruction.COMPLEMENT, packets.instructions[report])
    fields = _Fields(at, start, bitmap)
    columns: dict[str, Numbers] = {
        "report": report,
        "time_ns": reports["time_ns"][report],
        "place": place.astype(np.uint8),
    }
    node = fields.word(Instruction.NODE)
    node[own] = reports["node"][report[own]]
    columns["node"] = node
    columns |= fields.halves(Instruction.INTERFACES, "ingress_port", "egress_port")
    columns["latency_us"] = fields.word(Instruction.LATENCY)
    columns |= fields.occupancy(Instruction.QUEUE, "queue", "queue_packets")
    columns["ingress_time_us"] = fields.double(Instruction.INGRESS_TIME)
    columns["egress_time_us"] = fields.double(Instruction.EGRESS_TIME)
    columns["logical_ingress"], columns["logical_egress"] = fields.pair(Instruction.LOGICAL_INTERFACES)
    columns["utilization_ppm"] = fields.word(Instruction.UTILIZATION)
    columns |= fields.occupancy(Instruction.BUFFER, "buffer", "buffer_packets")
    return columns


class _Fields:
    """The fields of all hops; masked where they were not requested, or all bits are one."""

    def __init__(self, at: Numbers, start: Numbers, bitmap: Numbers) -> None:
        self._at, self._start, self._bitmap = at, start, bitmap
        self._in_any = int(np.bitwise_or.reduce(bitmap)) if len(bitmap) else 0

    def word(self, instruction: Instruction) -> np.ma.MaskedArray:
        """A field of 32 bits."""
        absent, words = self._words(instruction, 0)
        return np.ma.masked_array(words, absent | (words == _ALL_ONES))

    def halves(self, instruction: Instruction, high: str, low: str) -> dict[str, Numbers]:
        """Two fields of 16 bits."""
        word = self.word(instruction)
        parts = {high: bits(word.data, 16, 16), low: bits(word.data, 0, 16)}
        return {name: np.ma.masked_array(part.astype(np.uint16), word.mask) for name, part in parts.items()}

    def occupancy(self, instruction: Instruction, name: str, packets: str) -> dict[str, Numbers]:
        """An id of 8 bits and an occupancy of 24."""
        word = self.word(instruction)
        return {
            name: np.ma.masked_array(bits(word.data, 24, 8).astype(np.uint8), word.mask),
            packets: np.ma.masked_array(bits(word.data, 0, 24), word.mask),
        }

    def pair(self, instruction: Instruction) -> tuple[np.ma.MaskedArray, np.ma.MaskedArray]:
        """Two fields of 32 bits, which are all ones together."""
        absent, first = self._words(instruction, 0)
        _, second = self._words(instruction, 1)
        absent = absent | ((first == _ALL_ONES) & (second == _ALL_ONES))
        return np.ma.masked_array(first, absent), np.ma.masked_array(second, absent)

    def double(self, instruction: Instruction) -> np.ma.MaskedArray:
        """A field of 64 bits."""
        high, low = self.pair(instruction)
        return np.ma.masked_array(high.data.astype(np.uint64) << np.uint64(32) | low.data, high.mask)

    def _words(self, instruction: Instruction, offset: int) -> tuple[Numbers, Numbers]:
        """The mask of absent fields, and one of the field's words."""
        if not self._in_any & instruction:
            none = np.zeros(len(self._start), np.uint32)
            return none == 0, none
        words = self._at[self._start + places(instruction)[self._bitmap] + offset]
        return self._bitmap & instruction == 0, words

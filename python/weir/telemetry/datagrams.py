"""Finds the reports in many datagrams at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir.telemetry.headers import Packets, ipv4_packets
from weir.telemetry.hop import FIELDS, Hop
from weir.telemetry.instruction import WORD, Instruction
from weir.telemetry.metadata import Metadata
from weir.telemetry.protocol import ETHERNET, FIXED_BYTES, INNER_TYPES
from weir.telemetry.words import Numbers, Words, bits, rows_of_owners, word_counts


class Datagrams:
    """The reports in UDP payloads.

    Attributes:
        problems: the problem of each datagram that is not a report, by the datagram's index.
        owner: the index of the datagram that each report is in.
        bitmap: the RepMdBits of each report.
        packets: the packets that the reports are about.
    """

    def __init__(self, payloads: Sequence[bytes]) -> None:
        self.problems: dict[int, str] = {}
        words = Words(payloads)
        self.owner, start, end = self._individual_reports(words)
        self._group, self._head = words.starts[self.owner], words.at[start]
        self.bitmap = bits(words.at[start + 1], 16, 16)
        self._metadata = start + FIXED_BYTES // WORD
        packet = self._metadata + bits(self._head, 8, 8)
        ethernet = bits(self._head, 24, 8) == ETHERNET
        self._at, packet, length = ipv4_packets(words.at, packet, end - packet * WORD, ethernet)
        self.packets = Packets(self._at, packet, length)

    def reports(self, times_ns: Numbers) -> dict[str, Numbers]:
        """Computes the columns of the table ``reports``, with the times at which the datagrams
        arrived."""
        owner, at, head = self.owner, self._at, self._head
        first = np.ones(len(owner), np.bool_)
        first[1:] = owner[1:] != owner[:-1]
        reason = bits(at[self._metadata + word_counts()[self.bitmap] - 1], 16, 8).astype(np.uint8)
        return {
            "report": np.arange(len(owner)),
            "time_ns": times_ns[owner],
            "node": at[self._group + 1],
            "hw_id": bits(at[self._group], 22, 6).astype(np.uint8),
            "sequence": bits(at[self._group], 0, 22),
            "first_in_datagram": first,
            "dropped": bits(head, 7, 1).astype(np.bool_),
            "congested": bits(head, 6, 1).astype(np.bool_),
            "tracked": bits(head, 5, 1).astype(np.bool_),
            "intermediate": bits(head, 4, 1).astype(np.bool_),
            "drop_reason": np.ma.masked_array(reason, self.bitmap & Instruction.COMPLEMENT == 0),
            **self.packets.columns(),
        }

    def hops(self, reports: dict[str, Numbers]) -> dict[str, Numbers]:
        """Computes the columns of the table ``hops``: a row for each node in each report."""
        report, after = rows_of_owners(self.packets.hops + 1)
        is_first = after == 0
        stack = self.packets.stack[report] + (after - 1) * self.packets.hop_words[report]
        start = np.where(is_first, self._metadata[report], stack)
        bitmap = np.where(is_first, self._metadata_bitmap()[report], self.packets.instructions[report])
        stored = [instruction for instruction in FIELDS if instruction != Instruction.COMPLEMENT]
        columns = Metadata(self._at, start, bitmap).columns(stored)
        columns["node"][is_first] = reports["node"][report[is_first]]
        place = (self.packets.hops[report] - after).astype(np.uint8)
        return {"report": report, "time_ns": reports["time_ns"][report], "place": place, **columns}

    def local(self, reports: dict[str, Numbers]) -> list[Hop]:
        """Reads the reporting nodes' own metadata, a hop for each report."""
        metadata = Metadata(self._at, self._metadata, self._metadata_bitmap())
        return metadata.hops({name: reports[name] for name in ("node", "drop_reason")})

    def _metadata_bitmap(self) -> Numbers:
        """Computes the instruction bitmap of the nodes' own metadata, whose lowest bit requests the
        drop reason."""
        bitmap: Numbers = self.bitmap & ~Instruction.COMPLEMENT
        return bitmap

    def _individual_reports(self, words: Words) -> tuple[Numbers, Numbers, Numbers]:
        """Finds the individual reports: first the reports at the start of each datagram, then the
        second reports, and so on.

        Returns:
            For each report in whole datagrams: its datagram, the index of its first word, and its
            end in bytes from the very first word.
        """
        at, lengths = words.at, words.lengths
        version = bits(at[words.starts], 28, 4)
        whole = (lengths >= FIXED_BYTES) & (version == 2)
        for index in np.flatnonzero(~whole).tolist():
            if lengths[index] < FIXED_BYTES:
                self.problems[index] = f"a telemetry report has at least 12 bytes, found {lengths[index]}"
            else:
                self.problems[index] = f"telemetry report version {version[index]}: expected 2"
        owner = np.flatnonzero(whole)
        start = words.starts[owner] + 2
        limit = words.starts[owner] * WORD + lengths[owner]
        levels = [(owner[:0], start[:0], limit[:0])]
        while owner.size:
            room = limit - start * WORD
            head, bitmap = at[start], bits(at[start + 1], 16, 16)
            length = bits(head, 16, 8).astype(np.int64)
            size = np.where(length == 255, room, (length + 1) * WORD)
            metadata, asked = bits(head, 8, 8), word_counts()[bitmap]
            domain = bits(at[start + 2], 16, 16) != 0
            right = (
                (room >= FIXED_BYTES)
                & np.isin(bits(head, 24, 8), INNER_TYPES)
                & (size <= room)
                & (FIXED_BYTES + metadata.astype(np.int64) * WORD <= size)
                & ((metadata == asked) | ((metadata > asked) & domain))
            )
            for wrong in np.flatnonzero(~right).tolist():
                self.problems[int(owner[wrong])] = _problem(
                    int(room[wrong]), int(size[wrong]), int(head[wrong]), int(bitmap[wrong])
                )
            owner, start, limit, size = owner[right], start[right], limit[right], size[right]
            levels.append((owner, start, start * WORD + size))
            continues = start * WORD + size < limit
            owner, start, limit = owner[continues], (start + size // WORD)[continues], limit[continues]
        owners, starts, ends = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        is_valid = ~np.isin(owners, list(self.problems)) if self.problems else slice(None)
        owners, starts, ends = owners[is_valid], starts[is_valid], ends[is_valid]
        order = np.argsort(starts, kind="stable")
        return owners[order], starts[order], ends[order]


def _problem(room: int, size: int, head: int, bitmap: int) -> str:
    """Describes the problem of a report of ``size`` bytes in whose datagram ``room`` bytes are
    left."""
    kinds, words, metadata = head >> 24, head >> 16 & 0xFF, head >> 8 & 0xFF
    if room < FIXED_BYTES:
        return f"{room} bytes after the last report"
    if kinds not in INNER_TYPES:
        return f"report type {kinds >> 4} with inner type {kinds & 15}: expected INT with IPv4 or Ethernet"
    if size > room or FIXED_BYTES + metadata * WORD > size:
        return f"a report of {words} words does not fit {room} bytes"
    return f"{metadata} words of metadata, but RepMdBits 0x{bitmap:04x}"

"""Telemetry reports v2.0, from bytes to Python objects."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from weir.telemetry.embedded import Embedded, read_embedded
from weir.telemetry.ethernet import without_ethernet
from weir.telemetry.flow import Flow, read_flow
from weir.telemetry.hop import Hop, read_hop
from weir.telemetry.instruction import WORD, Instruction, words_of

FIXED_BYTES: Final = 12
"""Bytes of the headers of an individual report with INT; a datagram has no fewer."""

ETHERNET: Final = 0x13
"""RepType and InType of INT about a packet from its Ethernet header on."""

INNER_TYPES: Final = (0x14, ETHERNET, 0x10)
"""RepType and InType that are understood: INT with IPv4, with Ethernet, with nothing."""


@dataclass(frozen=True)
class Report:
    """One individual report (Telemetry Report v2.0, section 3.3), with its group header's data.

    Attributes:
        node: the node that reports.
        sequence: the number of the telemetry report packet, 22 bits.
        hw_id: the node's hardware subsystem.
        bits: RepMdBits, which select the node's own metadata.
        local: the node's own metadata.
        packet: the reported packet from its IPv4 header on, truncated; empty if it is not IPv4.
        embedded: the INT headers in the packet; None if there are none, or they are not valid.
        dropped: D, the packet was dropped.
        congested: Q, it met a congested queue.
        tracked: F, its flow is on a watchlist.
        intermediate: I, a transit node reports metadata that the packet could not carry further.
    """

    node: int
    sequence: int
    hw_id: int
    bits: int
    local: Hop
    packet: bytes
    embedded: Embedded | None
    dropped: bool
    congested: bool
    tracked: bool
    intermediate: bool

    @property
    def flow(self) -> Flow | None:
        """The packet's flow; None if the report does not repeat its whole IPv4 header."""
        return read_flow(self.packet, self.embedded)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The path that the report shows: metadata of earlier nodes, then the reporting node's."""
        return (*(self.embedded.hops if self.embedded else ()), self.local)


def read_reports(payload: bytes) -> list[Report]:
    """Reads the UDP payload of a telemetry report packet: one report or several.

    Raises:
        ValueError: the payload is not a telemetry report packet. The message says what is wrong.
    """
    if len(payload) < FIXED_BYTES:
        raise ValueError(f"a telemetry report has at least 12 bytes, found {len(payload)}")
    first, node = struct.unpack_from("!II", payload)
    if first >> 28 != 2:
        raise ValueError(f"telemetry report version {first >> 28}: expected 2")
    return list(_individual(payload[8:], node, first & 0x3FFFFF, first >> 22 & 0x3F))


def _individual(data: bytes, node: int, sequence: int, hw_id: int) -> Iterator[Report]:
    place = 0
    while place < len(data):
        if len(data) < place + FIXED_BYTES:
            raise ValueError(f"{len(data) - place} bytes after the last report")
        kinds, words, metadata_words, flags = struct.unpack_from("!BBBB", data, place)
        bits, _, ds_bits, _ = struct.unpack_from("!HHHH", data, place + 4)
        end = len(data) if words == 255 else place + (1 + words) * WORD
        start = place + FIXED_BYTES + metadata_words * WORD
        if kinds not in INNER_TYPES:
            raise ValueError(
                f"report type {kinds >> 4} with inner type {kinds & 15}: expected INT with IPv4 or Ethernet"
            )
        if end > len(data) or start > end:
            raise ValueError(f"a report of {words} words does not fit {len(data) - place} bytes")
        if metadata_words < words_of(bits) or (metadata_words > words_of(bits) and not ds_bits):
            raise ValueError(f"{metadata_words} words of metadata, but RepMdBits 0x{bits:04x}")
        metadata = data[place + FIXED_BYTES : start]
        local = read_hop(metadata, bits & ~Instruction.COMPLEMENT)
        reason = metadata[(words_of(bits) - 1) * WORD + 1] if bits & Instruction.COMPLEMENT else None
        packet = without_ethernet(data[start:end]) if kinds == ETHERNET else data[start:end]
        yield Report(
            node,
            sequence,
            hw_id,
            bits,
            Hop(**{**vars(local), "node": node, "drop_reason": reason}),
            packet,
            _embedded_or_none(packet),
            *(bool(flags >> bit & 1) for bit in (7, 6, 5, 4)),
        )
        place = end


def _embedded_or_none(packet: bytes) -> Embedded | None:
    """INT headers; None also if host bytes look like INT and no node has marked them yet."""
    try:
        return read_embedded(packet)
    except ValueError:
        return None

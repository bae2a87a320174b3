"""Reads the INT headers in a packet: shim, INT-MD or INT-MX header, metadata stack."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from weir.telemetry.headers import Packets
from weir.telemetry.hop import Hop
from weir.telemetry.metadata import Metadata
from weir.telemetry.protocol import MD
from weir.telemetry.words import rows_of_owners


@dataclass(frozen=True)
class Embedded:
    """The INT headers in a packet.

    Attributes:
        mode: "MD" or "MX".
        original: the value that the sink restores: the DSCP, the UDP port, or the protocol in the
            low byte.
        instructions: the instruction bitmap.
        discard: the flag D, with which the sink drops the packet.
        hops_exceeded: the flag E, which is set if a node was not allowed to add metadata.
        mtu_exceeded: the flag M, which is set if a node's metadata did not fit.
        remaining_hops: the number of further nodes that may add metadata; ``None`` in INT-MX.
        hops: the metadata that nodes added, with the source's first.
        next_protocol: the field NPT, which is the kind of ``original``: 0 DSCP, 1 UDP port, 2 IP
            protocol.
        inserted_bytes: the length of the shim and of the headers after it, which the source and
            later nodes inserted; without the UDP header that the source inserts if
            ``next_protocol`` is 2.
    """

    mode: str
    original: int
    instructions: int
    discard: bool
    hops_exceeded: bool = False
    mtu_exceeded: bool = False
    remaining_hops: int | None = None
    hops: tuple[Hop, ...] = ()
    next_protocol: int = 1
    inserted_bytes: int = 0


def embedded(packets: Packets) -> list[Embedded | None]:
    """Reads the INT headers of packets; the result has ``None`` for packets without valid INT
    headers."""
    packet, after = rows_of_owners(packets.hops)
    start = packets.stack[packet] + after * packets.hop_words[packet]
    stack = iter(Metadata(packets.at, start, packets.instructions[packet]).hops())
    columns = (
        packets.mode,
        packets.original,
        packets.instructions,
        packets.flags,
        packets.npt,
        packets.inserted,
        packets.hops,
    )
    headers: list[Embedded | None] = []
    for mode, original, instructions, flags, npt, inserted, count in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        is_md, metadata_words = mode == MD, tuple(islice(stack, count))
        headers.append(
            Embedded(
                "MD" if is_md else "MX",
                original,
                instructions,
                bool(flags >> 27 & 1),
                is_md and bool(flags >> 26 & 1),
                is_md and bool(flags >> 25 & 1),
                flags & 0xFF if is_md else None,
                metadata_words,
                npt,
                inserted,
            )
            if mode
            else None
        )
    return headers


def read_embedded(packet: bytes) -> Embedded | None:
    """Reads the INT headers of an IPv4 packet; returns ``None`` if the packet has none.

    Raises:
        ValueError: the packet announces INT headers, but is too short or not valid.
    """
    packets = Packets.single(packet)
    if (problem := packets.problem(0)) is not None:
        raise ValueError(problem)
    return embedded(packets)[0]

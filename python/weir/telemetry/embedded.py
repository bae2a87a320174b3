"""The INT headers in a packet: shim, INT-MD or INT-MX header, metadata stack."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from weir.telemetry.hop import Hop, read_hop
from weir.telemetry.instruction import WORD, words_of

PORT_INT: Final = 5555
"""The UDP destination port of datagrams with INT; IANA has not assigned one yet."""

DSCP_INT: Final = 0x17
"""The DSCP of other packets with INT."""

_TCP, _UDP = 6, 17
MD: Final = 1
MX: Final = 3


@dataclass(frozen=True)
class Embedded:
    """The INT headers in a packet.

    Attributes:
        mode: "MD" or "MX".
        original: what the sink restores: the DSCP, the UDP port, or the protocol in the low byte.
        instructions: the bitmap.
        discard: D, the sink drops the packet.
        hops_exceeded: E, a node was not allowed to add metadata.
        mtu_exceeded: M, a node's metadata did not fit.
        remaining_hops: how many more nodes may add metadata; None in INT-MX.
        hops: what nodes added, the source first.
        next_protocol: NPT, which says what ``original`` is: 0 DSCP, 1 UDP port, 2 IP protocol.
        inserted_bytes: the length of the shim and what follows it, which the source and later nodes
            inserted; without the UDP header that the source inserts if ``next_protocol`` is 2.
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


def read_embedded(packet: bytes) -> Embedded | None:
    """The INT headers of an IPv4 packet; None if there are none.

    Raises:
        ValueError: the packet announces INT headers, but is too short or not valid.
    """
    start = _shim_place(packet)
    if start is None:
        return None
    if len(packet) < start + 4:
        raise ValueError(f"a packet marked for INT has no shim header: {len(packet)} bytes")
    first, words, original = struct.unpack_from("!BBH", packet, start)
    kind, npt = first >> 4, first >> 2 & 3
    if npt == 0:
        original >>= 2
    body = packet[start + 4 : start + 4 + words * WORD]
    if kind not in (MD, MX):
        raise ValueError(f"INT type {kind}: expected 1 (INT-MD) or 3 (INT-MX)")
    if words < 3 or len(body) < words * WORD:
        raise ValueError(f"INT headers of {words} words, found {len(body)} bytes")
    flags, instructions = struct.unpack_from("!IH", body)
    if flags >> 28 != 2:
        raise ValueError(f"INT version {flags >> 28}: expected 2")
    discard = bool(flags >> 27 & 1)
    if kind == MX:
        return Embedded(
            "MX", original, instructions, discard, next_protocol=npt, inserted_bytes=4 + len(body)
        )
    hop_bytes = (flags >> 8 & 31) * WORD
    stack = body[12:]
    if stack and (not hop_bytes or len(stack) % hop_bytes or hop_bytes < words_of(instructions) * WORD):
        raise ValueError(f"a metadata stack of {len(stack)} bytes with {hop_bytes} bytes a hop")
    newest_first = [
        read_hop(stack[place : place + hop_bytes], instructions)
        for place in range(0, len(stack), hop_bytes or 1)
    ]
    return Embedded(
        "MD",
        original,
        instructions,
        discard,
        bool(flags >> 26 & 1),
        bool(flags >> 25 & 1),
        flags & 0xFF,
        tuple(newest_first[::-1]),
        npt,
        4 + len(body),
    )


def _shim_place(packet: bytes) -> int | None:
    """Where the shim header of an IPv4 packet begins, if there is one."""
    if len(packet) < 20 or packet[0] >> 4 != 4:
        return None
    start, marked = (packet[0] & 15) * 4, packet[1] >> 2 == DSCP_INT
    if packet[9] == _UDP and len(packet) >= start + 8:
        (port,) = struct.unpack_from("!H", packet, start + 2)
        return start + 8 if marked or port == PORT_INT else None
    if packet[9] == _TCP and len(packet) >= start + 20:
        return start + (packet[start + 12] >> 4) * 4 if marked else None
    return None

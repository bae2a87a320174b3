"""The formats of INT v2.1 and of Telemetry Reports v2.0, in bytes and as Python objects."""

from __future__ import annotations

import enum
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

PORT_INT: Final = 5555
"""The UDP destination port of datagrams with INT; IANA has not assigned one yet."""

DSCP_INT: Final = 0x17
"""The DSCP of other packets with INT."""

_TCP, _UDP = 6, 17
_MD, _MX = 1, 3
_WORD = 4


class Instruction(enum.IntFlag):
    """Instruction bitmap (INT v2.1, section 5.7); in reports, RepMdBits."""

    NODE = 0x8000
    INTERFACES = 0x4000
    LATENCY = 0x2000
    QUEUE = 0x1000
    INGRESS_TIME = 0x0800
    EGRESS_TIME = 0x0400
    LOGICAL_INTERFACES = 0x0200
    UTILIZATION = 0x0100
    BUFFER = 0x0080
    COMPLEMENT = 0x0001
    """Checksum complement; in reports of drops the reason."""


_TWO_WORDS = Instruction.INGRESS_TIME | Instruction.EGRESS_TIME | Instruction.LOGICAL_INTERFACES


def words_of(instructions: int) -> int:
    """The 32-bit words of metadata that a node adds for these instructions."""
    return instructions.bit_count() + (instructions & _TWO_WORDS).bit_count()


@dataclass(frozen=True)
class Hop:
    """What one node tells of a packet. None stands for what was not asked for or is not available.

    Attributes:
        node: the node's id.
        ingress_port: level 1 interface that the packet came in at.
        egress_port: level 1 interface that it left from.
        latency_us: time from its arrival to the end of its wait.
        queue: queue id.
        queue_packets: packets that waited when it came.
        ingress_time_us: when it came, in µs since the switch started.
        egress_time_us: when it had waited.
        logical_ingress: level 2 interface.
        logical_egress: level 2 interface.
        utilization_ppm: millionths of the link's rate that the port sent in the bin before.
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
    """Reads a node's metadata; instructions without a meaning here are skipped.

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


@dataclass(frozen=True)
class Embedded:
    """The INT headers in a packet.

    Attributes:
        mode: "MD" or "MX".
        original: the UDP port or DSCP that the sink restores.
        instructions: the bitmap.
        discard: D, the sink drops the packet.
        hops_exceeded: E, a node was not allowed to add metadata.
        mtu_exceeded: M, a node's metadata did not fit.
        remaining_hops: how many more nodes may add metadata; None in INT-MX.
        hops: what nodes added, the source first.
    """

    mode: str
    original: int
    instructions: int
    discard: bool
    hops_exceeded: bool = False
    mtu_exceeded: bool = False
    remaining_hops: int | None = None
    hops: tuple[Hop, ...] = ()


def read_embedded(packet: bytes) -> Embedded | None:
    """The INT headers of an IPv4 packet; None if there are none.

    Raises:
        ValueError: the packet promises INT headers, but is too short or does not make sense.
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
    body = packet[start + 4 : start + 4 + words * _WORD]
    if kind not in (_MD, _MX):
        raise ValueError(f"INT type {kind}: expected 1 (INT-MD) or 3 (INT-MX)")
    if words < 3 or len(body) < words * _WORD:
        raise ValueError(f"INT headers of {words} words, found {len(body)} bytes")
    flags, instructions = struct.unpack_from("!IH", body)
    if flags >> 28 != 2:
        raise ValueError(f"INT version {flags >> 28}: expected 2")
    discard = bool(flags >> 27 & 1)
    if kind == _MX:
        return Embedded("MX", original, instructions, discard)
    hop_bytes = (flags >> 8 & 31) * _WORD
    stack = body[12:]
    if stack and (not hop_bytes or len(stack) % hop_bytes or hop_bytes < words_of(instructions) * _WORD):
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


@dataclass(frozen=True)
class Report:
    """One individual report (Telemetry Report v2.0, section 3.3), with what its group says.

    Attributes:
        node: the node that reports.
        sequence: the number of the telemetry report packet, 22 bits.
        hw_id: the node's part.
        bits: RepMdBits: the metadata that the node gives of itself.
        local: these metadata.
        packet: the packet that it is about, from its IPv4 header on, cut off somewhere.
        embedded: the INT headers in the packet; None if there are none that make sense.
        dropped: D, the packet was dropped.
        congested: Q, it met a congested queue.
        tracked: F, its flow is on a watchlist.
        intermediate: I, a transit node reports what the packet could not carry on.
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
    def hops(self) -> tuple[Hop, ...]:
        """The path as far as the report tells: what earlier nodes added, then its own node."""
        return (*(self.embedded.hops if self.embedded else ()), self.local)


def read_reports(payload: bytes) -> list[Report]:
    """Reads the UDP payload of a telemetry report packet: one report or several.

    Raises:
        ValueError: it is no such packet. The message says what is wrong.
    """
    if len(payload) < 12:
        raise ValueError(f"a telemetry report has at least 12 bytes, found {len(payload)}")
    first, node = struct.unpack_from("!II", payload)
    if first >> 28 != 2:
        raise ValueError(f"telemetry report version {first >> 28}: expected 2")
    return list(_individual(payload[8:], node, first & 0x3FFFFF, first >> 22 & 0x3F))


def _individual(data: bytes, node: int, sequence: int, hw_id: int) -> Iterator[Report]:
    place = 0
    while place < len(data):
        if len(data) < place + 12:
            raise ValueError(f"{len(data) - place} bytes after the last report")
        kinds, words, metadata_words, flags = struct.unpack_from("!BBBB", data, place)
        bits, _, ds_bits, _ = struct.unpack_from("!HHHH", data, place + 4)
        end = len(data) if words == 255 else place + (1 + words) * _WORD
        start = place + 12 + metadata_words * _WORD
        if kinds not in (0x14, 0x10):
            raise ValueError(f"report type {kinds >> 4} with inner type {kinds & 15}: expected INT with IPv4")
        if end > len(data) or start > end:
            raise ValueError(f"a report of {words} words does not fit {len(data) - place} bytes")
        if metadata_words < words_of(bits) or (metadata_words > words_of(bits) and not ds_bits):
            raise ValueError(f"{metadata_words} words of metadata, but RepMdBits 0x{bits:04x}")
        metadata = data[place + 12 : start]
        local = read_hop(metadata, bits & ~Instruction.COMPLEMENT)
        reason = metadata[(words_of(bits) - 1) * _WORD + 1] if bits & Instruction.COMPLEMENT else None
        packet = data[start:end]
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
    """INT headers; None, too, for what a host sent and a node has not yet made unmistakable."""
    try:
        return read_embedded(packet)
    except ValueError:
        return None

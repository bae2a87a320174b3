"""A second reader of reports, which uses ``struct`` for each packet.

Tests compare Weir's reader with it.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from typing import Final

from weir.telemetry import DSCP_INT, PORT_INT, Embedded, Flow, Hop, Instruction, Report, words_of


def read_reports(payload: bytes) -> list[Report]:
    """Reads the UDP payload of a telemetry report packet: one report or several.

    Raises:
        ValueError: the payload is not a telemetry report packet. The message says what is wrong.
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
        end = len(data) if words == 255 else place + (1 + words) * 4
        start = place + 12 + metadata_words * 4
        if kinds not in (0x14, 0x13, 0x10):
            raise ValueError(
                f"report type {kinds >> 4} with inner type {kinds & 15}: expected INT with IPv4 or Ethernet"
            )
        if end > len(data) or start > end:
            raise ValueError(f"a report of {words} words does not fit {len(data) - place} bytes")
        if metadata_words < words_of(bits) or (metadata_words > words_of(bits) and not ds_bits):
            raise ValueError(f"{metadata_words} words of metadata, but RepMdBits 0x{bits:04x}")
        metadata = data[place + 12 : start]
        local = read_hop(metadata, bits & ~Instruction.COMPLEMENT)
        reason = metadata[(words_of(bits) - 1) * 4 + 1] if bits & Instruction.COMPLEMENT else None
        packet = without_ethernet(data[start:end]) if kinds == 0x13 else data[start:end]
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
    """The INT headers; None if there are none, or if no node has marked the host's bytes yet."""
    try:
        return read_embedded(packet)
    except ValueError:
        return None


def without_ethernet(frame: bytes) -> bytes:
    """The IPv4 packet in a frame, with up to two VLAN tags; nothing if there is no IPv4 packet."""
    for place in range(12, 21, 4):
        ether_type = int.from_bytes(frame[place : place + 2])
        if len(frame) >= place + 2 and ether_type == 0x0800:
            return frame[place + 2 :]
        if ether_type not in (0x8100, 0x88A8):
            break
    return b""


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
    body = packet[start + 4 : start + 4 + words * 4]
    if kind not in (1, 3):
        raise ValueError(f"INT type {kind}: expected 1 (INT-MD) or 3 (INT-MX)")
    if words < 3 or len(body) < words * 4:
        raise ValueError(f"INT headers of {words} words, found {len(body)} bytes")
    flags, instructions = struct.unpack_from("!IH", body)
    if flags >> 28 != 2:
        raise ValueError(f"INT version {flags >> 28}: expected 2")
    discard = bool(flags >> 27 & 1)
    if kind == 3:
        return Embedded(
            "MX", original, instructions, discard, next_protocol=npt, inserted_bytes=4 + len(body)
        )
    hop_bytes = (flags >> 8 & 31) * 4
    stack = body[12:]
    if stack and (not hop_bytes or len(stack) % hop_bytes or hop_bytes < words_of(instructions) * 4):
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
    if packet[9] == 17 and len(packet) >= start + 8:
        (port,) = struct.unpack_from("!H", packet, start + 2)
        return start + 8 if marked or port == PORT_INT else None
    if packet[9] == 6 and len(packet) >= start + 20:
        return start + (packet[start + 12] >> 4) * 4 if marked else None
    return None


def read_hop(data: bytes, instructions: int) -> Hop:
    """Reads a node's metadata; instructions that Weir does not know are skipped.

    Args:
        data: at least the words of the instructions.
        instructions: the bitmap they follow.
    """
    values_by_name: dict[str, int | None] = {}
    place = 0
    for bit in range(16):
        mask = 0x8000 >> bit
        if not instructions & mask:
            continue
        form, names = _FIELDS.get(mask, ("!I", ()))
        size = struct.calcsize(form)
        if data[place : place + size] != b"\xff" * size:
            values = struct.unpack_from(form, data, place)
            values_by_name |= {name: value for name, value in zip(names, values, strict=False) if name}
        place += size
    for queue, packets in (("queue", "queue_packets"), ("buffer", "buffer_packets")):
        both = values_by_name.get(queue)
        if both is not None:
            values_by_name |= {queue: both >> 24, packets: both & 0xFFFFFF}
    return Hop(**values_by_name)


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


def read_flow(packet: bytes, embedded: Embedded | None = None) -> Flow | None:
    """The flow of an IPv4 packet that may be cut off; None without a whole IPv4 header.

    Args:
        packet: the packet from its IPv4 header on.
        embedded: its INT headers, as :func:`read_embedded` finds them.
    """
    start = (packet[0] & 15) * 4 if packet else 0
    if len(packet) < 20 or packet[0] >> 4 != 4 or start < 20:
        return None
    source, target = (str(ipaddress.IPv4Address(packet[place : place + 4])) for place in (12, 16))
    protocol, fragment = packet[9], int.from_bytes(packet[6:8]) & 0x1FFF
    if embedded is not None and embedded.next_protocol == 2 and protocol == 17:
        # The packet's own TCP or UDP header follows the UDP header and the rest that INT inserted.
        protocol = embedded.original & 0xFF
        start += 8 + embedded.inserted_bytes
    if protocol not in (6, 17) or fragment or len(packet) < start + 4:
        return Flow(source, target, protocol)
    ports = struct.unpack_from("!HH", packet, start)
    restored = embedded is not None and embedded.next_protocol == 1
    return Flow(source, target, protocol, ports[0], embedded.original if embedded and restored else ports[1])

"""Telemetry reports made byte by byte, for tests."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

from weir.telemetry import words_of


def ipv4(
    payload: bytes,
    protocol: int = 17,
    *,
    source: str = "10.0.1.1",
    target: str = "10.0.2.2",
    length: int | None = None,
    identification: int = 0,
    ttl: int = 64,
    dscp: int = 0,
    options: bytes = b"",
    fragment: int = 0,
) -> bytes:
    """An IPv4 packet; its checksum, which no collector looks at, is 0."""
    addresses = b"".join(bytes(map(int, text.split("."))) for text in (source, target))
    size = 20 + len(options) + len(payload) if length is None else length
    first = 0x40 | 5 + len(options) // 4
    return (
        struct.pack("!BBHHHBBH", first, dscp << 2, size, identification, fragment, ttl, protocol, 0)
        + addresses
        + options
        + payload
    )


def udp(source_port: int, target_port: int, payload: bytes = b"") -> bytes:
    """A UDP header and its payload."""
    return struct.pack("!HHHH", source_port, target_port, 8 + len(payload), 0) + payload


def tcp(
    source_port: int, target_port: int, payload: bytes = b"", *, sequence: int = 0, options: bytes = b""
) -> bytes:
    """A TCP header and its payload."""
    offset = 5 + len(options) // 4
    header = struct.pack("!HHIIBBHHH", source_port, target_port, sequence, 0, offset << 4, 0x10, 0, 0, 0)
    return header + options + payload


def int_md(
    instructions: int,
    hops: Sequence[bytes],
    original: int = 5000,
    *,
    npt: int = 1,
    kind: int = 1,
    flags: int = 0,
    hop_words: int | None = None,
) -> bytes:
    """The shim, the INT-MD header and the metadata of this many hops, the newest first."""
    each = words_of(instructions) if hop_words is None else hop_words
    stack = b"".join(hops)
    if npt == 0:
        original <<= 2
    return (
        struct.pack("!BBH", kind << 4 | npt << 2, 3 + len(stack) // 4, original)
        + struct.pack("!IHHHH", 0x20000000 | flags | each << 8 | 5, instructions, 0, 0, 0)
        + stack
    )


def individual(
    packet: bytes,
    bits: int = 0,
    metadata: bytes = b"",
    *,
    flags: int = 0x20,
    kinds: int = 0x14,
    domain_bits: int = 0,
) -> bytes:
    """An individual report."""
    words = 2 + (len(metadata) + len(packet)) // 4
    length = 255 if len(packet) % 4 or words > 254 else words
    head = struct.pack("!BBBBHHHH", kinds, length, len(metadata) // 4, flags, bits, 0, domain_bits, 0)
    return head + metadata + packet


def group(*reports: bytes, node: int = 1, sequence: int = 0, hw_id: int = 0) -> bytes:
    """The payload of a datagram with these reports."""
    return struct.pack("!II", 2 << 28 | hw_id << 22 | sequence, node) + b"".join(reports)


def path_report(
    nodes: Sequence[int],
    *,
    sequence: int = 0,
    ports: tuple[int, int] = (4000, 5000),
    queues: Sequence[int] | None = None,
    latencies: Sequence[int] | None = None,
    times: Sequence[int] | None = None,
    flags: int = 0x20,
    **ip: object,
) -> bytes:
    """A report of INT-MD over UDP: node, ports, latency, queue, and optionally each hop's time.

    Args:
        nodes: the path; the last node reports.
        sequence: the sequence number of the datagram.
        ports: the ports of the flow.
        queues: packets in the queue of each node.
        latencies: the latency at each node, in µs.
        times: the arrival at each node in µs; None for reports without it.
        flags: the flags D, Q, F, I.
        ip: the options of :func:`ipv4`.
    """
    queues = queues or [0] * len(nodes)
    latencies = latencies or [1] * len(nodes)

    def metadata(place: int, with_node: bool) -> bytes:
        data = struct.pack("!I", nodes[place]) if with_node else b""
        data += struct.pack("!HHII", 1, 2, latencies[place], queues[place])
        return data + (struct.pack("!Q", times[place]) if times else b"")

    instructions = 0xF000 | (0x0800 if times else 0)
    hops = [metadata(place, True) for place in range(len(nodes) - 1)][::-1]
    inserted = int_md(instructions, hops, ports[1])
    packet = ipv4(udp(ports[0], 5555, inserted), **ip)  # type: ignore[arg-type]
    own = individual(packet, instructions & 0x7FFF, metadata(len(nodes) - 1, False), flags=flags)
    return group(own, node=nodes[-1], sequence=sequence)


def random_payload(chance: random.Random) -> bytes:
    """A datagram with reports of any kind, most of them valid."""
    several = [random_report(chance, whole_words=True) for _ in range(chance.choice([0, 0, 0, 1, 4]))]
    return group(
        *several,
        random_report(chance),
        node=chance.getrandbits(32),
        sequence=chance.getrandbits(22),
        hw_id=chance.getrandbits(6),
    )


def random_report(chance: random.Random, *, whole_words: bool = False) -> bytes:
    """An individual report of any kind. Other reports can follow only a report of whole words."""
    bits = chance.getrandbits(16) & chance.choice([0, 0xFFFF, 0x7000, 0xF801])
    domain = chance.choice([0, 0, 1])
    metadata = _metadata(chance, words_of(bits) + domain)
    packet, kinds = random_packet(chance), chance.choice([0x14, 0x14, 0x14, 0x10])
    if chance.random() < 0.3:
        kinds = 0x13
        tags = [
            chance.choice([0x8100, 0x88A8]).to_bytes(2) + chance.randbytes(2)
            for _ in range(chance.randrange(4))
        ]
        ethernet = chance.randbytes(12) + b"".join(tags) + chance.choice([b"\x08\0", b"\x08\0", b"\x86\xdd"])
        packet = (ethernet + packet)[: chance.choice([999, 999, chance.randrange(40)])]
    return individual(
        packet[: len(packet) & ~3] if whole_words else packet,
        bits,
        metadata,
        flags=chance.getrandbits(8),
        kinds=kinds,
        domain_bits=domain,
    )


def random_packet(chance: random.Random) -> bytes:
    """A packet of any protocol, with or without INT, cut off or not."""
    npt, rest = chance.choice([0, 1, 1, 2]), chance.randbytes(chance.randrange(0, 24))
    options = chance.randbytes(4 * chance.choice([0, 0, 1, 3]))
    instructions = chance.getrandbits(16) & chance.choice([0xFFFF, 0xF000, 0x0E00])
    extra = chance.choice([0, 0, 2])
    each = min(words_of(instructions) + extra, 31)
    hops = [_metadata(chance, each) for _ in range(chance.choice([0, 1, 2, 5]))]
    kind = chance.choice([1, 1, 1, 3])
    inserted = int_md(
        instructions,
        hops if kind == 1 else [],
        6 if npt == 2 else chance.getrandbits(6),
        npt=npt,
        kind=kind,
        flags=chance.getrandbits(3) << 25,
        hop_words=each,
    )
    if chance.random() < 0.3:
        inserted = b""
    protocol = chance.choice([17, 17, 6, 253, 1])
    if protocol == 6:
        above = tcp(
            chance.getrandbits(16), 80, inserted + rest, sequence=chance.getrandbits(32), options=options
        )
    else:
        follows = tcp(7, 8, sequence=9) if npt == 2 else b""
        above = udp(chance.getrandbits(16), chance.choice([5555, 5000]), inserted + follows + rest)
    packet = ipv4(
        above,
        protocol,
        identification=chance.getrandbits(16),
        ttl=chance.getrandbits(8),
        dscp=chance.choice([0, 0x17]),
        options=chance.choice([b"", b"", b"\x01" * 4]),
        fragment=chance.choice([0, 0, 0, 0x2000, 5]),
    )
    return packet[: chance.choice([len(packet), len(packet), chance.randrange(len(packet) + 1)])]


def _metadata(chance: random.Random, words: int) -> bytes:
    return b"".join(chance.choice([b"\xff" * 4, chance.randbytes(4)]) for _ in range(words))

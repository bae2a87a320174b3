"""Packets that cross gateways: their frames in both stacks, and the switches that refuse them.

For each stack, a packet is built from its fields, with checksums computed over all bytes. The
expected packet therefore does not depend on a gateway's computations.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from weir.packets import ICMP, TCP, UDP, ethernet_header, internet_checksum, ipv4_header

from .frames import shorternet_header
from .hybrid_network import MEMBERS, MTU, Member

_UDP: Final = struct.Struct("!HHHH")
_TCP: Final = struct.Struct("!HHIIBBHHH")
_ICMP: Final = struct.Struct("!BBHI")
_UNKNOWN: Final = Member(77, "g1", 1, True)
_GRE: Final = 47
_FLAWED_SHARE: Final = 0.1
"""The share of packets that must be refused."""


@dataclass(frozen=True)
class Journey:
    """A packet's frame at its sender, and the packet's fate.

    Attributes:
        sent: the frame that the sender sends.
        arrives: the frame that the receiver gets; ``None`` if the packet must be refused.
        refused: the switch and the reason, such as ``g1.expired``; empty if it arrives.
    """

    sent: bytes
    arrives: bytes | None
    refused: str = ""


def journeys(source: Member, target: Member, seed: int) -> Callable[[], Journey]:
    """Makes random packets between two hosts at different gateways.

    Args:
        source: the sender.
        target: the receiver.
        seed: the seed of all random numbers.

    Returns:
        A function that makes the next packet.
    """
    chance = random.Random(seed)
    flaws = _FLAWS_OF_IPV4 if source.ordinary else _FLAWS_OF_SHORTERNET

    def next_journey() -> Journey:
        if chance.random() < _FLAWED_SHARE:
            return chance.choice(flaws)(chance, source, target)
        return _arriving_packet(chance, source, target)

    return next_journey


# A function that builds the bytes after the IPv4 or Shorternet header from the words of the
# addresses, which the checksum includes.
_Data = Callable[[bytes], bytes]


def _udp(payload: bytes, *, length: int | None = None, checked: bool = True) -> _Data:
    size = _UDP.size + len(payload)

    def data(addresses: bytes) -> bytes:
        unsummed = _UDP.pack(4000, 5000, size if length is None else length, 0) + payload
        pseudo_header = addresses + struct.pack("!HH", UDP, size)
        checksum = (internet_checksum(pseudo_header + unsummed) or 0xFFFF) if checked else 0
        return unsummed[:6] + checksum.to_bytes(2, "big") + payload

    return data


def _tcp(payload: bytes, sequence: int) -> _Data:
    def data(addresses: bytes) -> bytes:
        unsummed = _TCP.pack(4000, 5000, sequence, 0, 5 << 4, 0x10, 1000, 0, 0) + payload
        pseudo_header = addresses + struct.pack("!HH", TCP, len(unsummed))
        return unsummed[:16] + internet_checksum(pseudo_header + unsummed).to_bytes(2, "big") + unsummed[18:]

    return data


def _icmp(kind: int, payload: bytes, number: int) -> _Data:
    def data(addresses: bytes) -> bytes:
        unsummed = _ICMP.pack(kind, 0, 0, number) + payload
        return _ICMP.pack(kind, 0, internet_checksum(unsummed), number) + payload

    return data


def _ipv4_frame(
    source: Member, target: Member, macs: tuple[str, str], protocol: int, ttl: int, data: _Data
) -> bytes:
    addresses = ipv4_header(source.address, target.address, 0)[12:]
    behind = data(addresses)
    header = ipv4_header(source.address, target.address, len(behind), protocol, ttl)
    return ethernet_header(*macs) + header + behind


def _shorternet_frame(source: Member, target: Member, protocol: int, ttl: int, data: _Data) -> bytes:
    header = shorternet_header(source.number, target.number, protocol, ttl)
    return header + data(header[:2])


def _sent_frame(
    source: Member, target: Member, protocol: int, ttl: int, data: _Data, origin: Member | None = None
) -> bytes:
    """Builds the frame that a sender sends; ``origin`` is the host that the sender claims to be."""
    origin = origin or source
    if source.ordinary:
        return _ipv4_frame(origin, target, (source.mac, source.gateway_mac), protocol, ttl, data)
    return _shorternet_frame(origin, target, protocol, ttl, data)


def _arriving_packet(chance: random.Random, source: Member, target: Member) -> Journey:
    """Makes a packet that arrives, after three switches."""
    kind, ttl = chance.random(), chance.randint(4, 255)
    size = chance.randint(0, 100) if chance.random() < 0.95 else chance.randint(101, MTU - 40)
    payload = chance.randbytes(size)
    if kind < 0.5:
        protocol, data = UDP, _udp(payload)
    elif kind < 0.6:
        protocol, data = UDP, _udp(payload, checked=False)
    elif kind < 0.8:
        protocol, data = TCP, _tcp(payload, chance.getrandbits(32))
    else:
        protocol, data = ICMP, _icmp(8 if kind < 0.9 else 0, payload, chance.getrandbits(32))
    sent = _sent_frame(source, target, protocol, ttl, data)
    if source.ordinary and len(sent) < 60:
        sent += bytes(60 - len(sent))  # Short frames are padded, as a network card does.
    if target.ordinary:
        macs = (target.gateway_mac, target.mac)
        return Journey(sent, _ipv4_frame(source, target, macs, protocol, ttl - 3, data))
    return Journey(sent, _shorternet_frame(source, target, protocol, ttl - 3, data))


# A function that makes a packet that must be refused, from a random generator, the sender and the
# receiver.
_Flaw = Callable[[random.Random, Member, Member], Journey]


def _refused_packet(sent: bytes, switch: str, reason: str) -> Journey:
    return Journey(sent, None, f"{switch}.{reason}")


def _sent_datagram(chance: random.Random, source: Member, target: Member, **change: object) -> bytes:
    data = _udp(chance.randbytes(chance.randint(20, 100)))
    return _sent_frame(source, target, UDP, 64, data, **change)  # type: ignore[arg-type]


def _expired_packet(chance: random.Random, source: Member, target: Member) -> Journey:
    ttl = chance.randint(0, 3)
    switch = (source.switch, source.switch, "s1", target.switch)[ttl]
    return _refused_packet(_sent_frame(source, target, UDP, ttl, _udp(b"late")), switch, "expired")


def _bad_udp_length(chance: random.Random, source: Member, target: Member) -> Journey:
    payload = chance.randbytes(20)
    wrong = chance.choice([0, 7, 27, 29, 65535])
    return _refused_packet(
        _sent_frame(source, target, UDP, 64, _udp(payload, length=wrong)), source.switch, "bad_length"
    )


def _cut_frame(chance: random.Random, source: Member, target: Member) -> Journey:
    start = 34 if source.ordinary else 4
    frame = _sent_datagram(chance, source, target)
    return _refused_packet(frame[: start + chance.randint(0, 7)], source.switch, "bad_length")


def _unknown_protocol(chance: random.Random, source: Member, target: Member) -> Journey:
    return _refused_packet(
        _sent_frame(source, target, _GRE, 64, lambda _: bytes(20)), source.switch, "protocol"
    )


def _icmp_error(chance: random.Random, source: Member, target: Member) -> Journey:
    kind = chance.choice([3, 4, 5, 11, 12, 13])
    return _refused_packet(
        _sent_frame(source, target, ICMP, 64, _icmp(kind, bytes(28), 0)), source.switch, "icmp_error"
    )


def _unknown_source(chance: random.Random, source: Member, target: Member) -> Journey:
    return _refused_packet(
        _sent_datagram(chance, source, target, origin=_UNKNOWN), source.switch, "unknown_source"
    )


def _unknown_target(chance: random.Random, source: Member, target: Member) -> Journey:
    return _refused_packet(_sent_datagram(chance, source, _UNKNOWN), source.switch, "unknown_target")


def _other_type(chance: random.Random, source: Member, target: Member) -> Journey:
    kind = chance.choice([b"\x08\x06", b"\x86\xdd", b"\x88\xf7"])
    frame = _sent_datagram(chance, source, target)
    return _refused_packet(frame[:12] + kind + frame[14:], source.switch, "no_header")


def _with_options(chance: random.Random, source: Member, target: Member) -> Journey:
    frame = bytearray(_sent_datagram(chance, source, target))
    frame[14] = chance.choice([0x44, 0x46, 0x4F, 0x65])
    return _refused_packet(_with_checksum(frame), source.switch, "options")


def _bad_checksum(chance: random.Random, source: Member, target: Member) -> Journey:
    frame = bytearray(_sent_datagram(chance, source, target))
    frame[chance.choice([15, 18, 19, 24, 25])] ^= 1 << chance.randint(0, 7)
    return _refused_packet(bytes(frame), source.switch, "bad_checksum")


def _longer_than_its_frame(chance: random.Random, source: Member, target: Member) -> Journey:
    frame = bytearray(_sent_datagram(chance, source, target))
    frame[16:18] = (len(frame) - 14 + chance.randint(1, 1000)).to_bytes(2, "big")
    return _refused_packet(_with_checksum(frame), source.switch, "bad_length")


def _fragmented_packet(chance: random.Random, source: Member, target: Member) -> Journey:
    frame = bytearray(_sent_datagram(chance, source, target))
    frame[20:22] = chance.choice([0x2000, 0x2010, 0x0001, 0x1FFF]).to_bytes(2, "big")
    return _refused_packet(_with_checksum(frame), source.switch, "fragment")


def _with_checksum(frame: bytearray) -> bytes:
    frame[24:26] = bytes(2)
    frame[24:26] = internet_checksum(bytes(frame[14:34])).to_bytes(2, "big")
    return bytes(frame)


def _too_short(chance: random.Random, source: Member, target: Member) -> Journey:
    frame = _sent_datagram(chance, source, target)
    return _refused_packet(frame[: chance.randint(1, 3)], source.switch, "no_header")


def _too_long(chance: random.Random, source: Member, target: Member) -> Journey:
    data = _udp(bytes(MTU - 20 - 8 + chance.randint(1, 100)))
    return _refused_packet(_sent_frame(source, target, UDP, 64, data), target.switch, "too_long")


_FLAWS_OF_BOTH: Final[tuple[_Flaw, ...]] = (
    _expired_packet,
    _bad_udp_length,
    _cut_frame,
    _unknown_protocol,
    _icmp_error,
    _unknown_source,
    _unknown_target,
)
_FLAWS_OF_IPV4: Final = (
    *_FLAWS_OF_BOTH,
    _other_type,
    _with_options,
    _bad_checksum,
    _longer_than_its_frame,
    _fragmented_packet,
)
_FLAWS_OF_SHORTERNET: Final = (*_FLAWS_OF_BOTH, _too_short, _too_long)

WAYS: Final = {
    "to-shorternet": (MEMBERS[0], MEMBERS[3]),
    "to-ethernet": (MEMBERS[3], MEMBERS[0]),
    "across": (MEMBERS[0], MEMBERS[4]),
    "back": (MEMBERS[4], MEMBERS[0]),
}
"""The sender and receiver of each direction: from and to Ethernet, and between Ethernet hosts
across Shorternet."""

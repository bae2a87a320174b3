"""The attacks, each with its sender and its frames."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from weir.packets import ICMP, TCP, UDP

from .frames import SYN, ethernet, icmp, ipv4, tcp, udp
from .messages import CONTROLLER_MAC, ETHER_TYPE, HELLO, JOIN, LEAVE, Message
from .network import MEMBERS, packed_addresses, station
from .policy import PolicyRule

Frames = Iterator[bytes]
_HOSTS: Final = [packed_addresses(one) for one in MEMBERS]

_OTHER_TYPES: Final = (0x0806, 0x8100, 0x86DD, 0x88CC, 0x0600, 0)
"""EtherTypes other than IPv4: ARP, VLAN, IPv6, LLDP and others."""

_WRONG_FLAGS: Final = (0, 0x01, 0x03, 0x06, 0x07, 0x29, 0x13, 0x16)
"""Invalid TCP flags: none, FIN alone, SYN with FIN or RST, …"""

SECRET_PORT: Final = 22

POLICY: Final = (
    PolicyRule(permit=False, priority=2, protocol=TCP, ports=(SECRET_PORT, SECRET_PORT)),
    PolicyRule(permit=False, priority=2, protocol=UDP, ports=(SECRET_PORT, SECRET_PORT)),
    PolicyRule(permit=True, priority=1),
)
"""The rules in force during the attacks."""


@dataclass(frozen=True)
class Attack:
    """The declaration of an attack.

    Attributes:
        attacker: the host that sends, which is a stranger or an admitted host.
        limited: whether switches limit requests to the controller.
        interval_us: the time between two batches of 100 packets.
        frames: a function that yields frames without end, from a random generator and recorded
            frames.
    """

    attacker: str
    frames: Callable[[random.Random, list[bytes]], Frames]
    limited: bool = True
    interval_us: int = 1000


def _spoofing(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields frames of a stranger that uses MAC and IP addresses of admitted hosts."""
    stranger = packed_addresses(station("x1"))
    while True:
        (mac, address), (target, target_address) = rnd.sample(_HOSTS, 2)
        if rnd.random() < 0.2:
            mac = stranger[0]
        if rnd.random() < 0.2:
            address = stranger[1]
        yield ethernet(target, mac, _packet(rnd, address, target_address))


def _mac_flooding(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields frames of an admitted host that uses more source addresses than a table can store."""
    special = [bytes(6), b"\xff" * 6, bytes.fromhex("01005e000001"), CONTROLLER_MAC]
    while True:
        target, target_address = rnd.choice(_HOSTS)
        mac = rnd.choice(special) if rnd.random() < 0.05 else rnd.randbytes(6)
        target = b"\xff" * 6 if rnd.random() < 0.2 else target
        yield ethernet(target, mac, _packet(rnd, _HOSTS[1][1], target_address))


def _scanning(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields frames of a new host that scans for other hosts, and for open ports of known hosts."""
    mac, address = packed_addresses(station("h4"))
    port = 0
    while True:
        port = port % 0xFFFF + 1
        for target_address in ([10, 0, 0, port % 256], [10, 0, 0, 1 + port % 3], rnd.randbytes(4)):
            kind = rnd.choice((TCP, UDP, ICMP))
            data = {TCP: tcp(40000, port, SYN), UDP: udp(40000, port), ICMP: icmp()}[kind]
            yield ethernet(b"\xff" * 6, mac, ipv4(address, bytes(target_address), data, kind))


def _request_flood(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields requests of a stranger to join as known and unknown hosts, with guessed tokens."""
    while True:
        mac, address = rnd.choice(_HOSTS) if rnd.random() < 0.8 else (rnd.randbytes(6), rnd.randbytes(4))
        kind = rnd.choice((HELLO, JOIN, LEAVE, rnd.randrange(256)))
        yield bytes(Message(CONTROLLER_MAC, mac, kind, address, rnd.randbytes(16), rnd.randbytes(32)))


def _replay(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields recorded handshakes that a stranger repeats in order, shuffled, and with one bit
    changed."""
    while True:
        yield from recorded
        yield from rnd.sample(recorded, len(recorded))
        for frame in recorded:
            changed = bytearray(frame)
            changed[rnd.randrange(14, len(frame))] ^= 1 << rnd.randrange(8)
            yield bytes(changed)


def _fragments(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields frames of an admitted host that hides a denied port in tiny, later and overlapping
    fragments."""
    (mac, address), (target, target_address) = _HOSTS[1], _HOSTS[0]
    segment = tcp(40000, SECRET_PORT)
    while True:
        kind = rnd.choice((TCP, UDP, ICMP))
        data = segment if kind == TCP else udp(40000, SECRET_PORT, rnd.randbytes(24))
        shape = rnd.randrange(4)
        if shape == 0:  # A fragment that is too short for its ports.
            packet = ipv4(address, target_address, data[:8], kind, flags=1)
        elif shape == 1:  # A later fragment, which has the ports.
            packet = ipv4(
                address, target_address, data[2:], kind, flags=rnd.randrange(2), offset=rnd.randrange(1, 8192)
            )
        elif shape == 2:  # The first fragment, with permitted ports.
            packet = ipv4(address, target_address, udp(40000, 80, bytes(8), length=40), kind, flags=1)
        else:  # A fragment that overwrites the earlier ports.
            packet = ipv4(address, target_address, data, kind, flags=rnd.choice((0, 1)), offset=1)
        yield ethernet(target, mac, packet)


def _malformed_packets(rnd: random.Random, recorded: list[bytes]) -> Frames:
    """Yields packets with contradictory or invalid header fields, sent by an admitted host."""
    (mac, address), (target, target_address) = _HOSTS[1], _HOSTS[2]

    def packet(data: bytes, protocol: int = UDP, **wrong: int) -> bytes:
        return ethernet(target, mac, ipv4(address, target_address, data, protocol, **wrong))

    right = packet(udp(40000, 80, bytes(26)))
    shapes: list[Callable[[bytes, bytes], bytes]] = [
        lambda payload, data: right[
            : rnd.randrange(14, len(right) - 26)
        ],  # A packet that ends within its headers.
        lambda payload, data: ethernet(target, mac, payload, rnd.choice(_OTHER_TYPES)),
        lambda payload, data: ethernet(target, mac, right[14:], 0x8100),
        lambda payload, data: packet(data, first=rnd.choice((0x05, 0x35, 0x55, 0x65, 0xF5))),
        lambda payload, data: packet(data, first=0x40 | rnd.randrange(5)),
        lambda payload, data: packet(data, first=0x40 | rnd.randrange(6, 16)),
        lambda payload, data: packet(data, damage=rnd.randrange(1, 0xFFFF)),
        lambda payload, data: packet(data, length=20 + len(data) + rnd.randrange(1, 1000)),
        lambda payload, data: packet(data, length=rnd.randrange(20)),
        lambda payload, data: packet(data, flags=4),
        lambda payload, data: packet(data, ttl=rnd.randrange(2)),
        lambda payload, data: packet(payload, rnd.choice((0, 2, 4, 41, 47, 50, 255))),
        lambda payload, data: packet(udp(40000, 80, payload, length=rnd.randrange(8))),
        lambda payload, data: packet(udp(40000, 80, payload, length=9 + len(payload))),
        lambda payload, data: packet(udp(40000, 80, payload, length=7 + len(payload))),
        lambda payload, data: packet(tcp(40000, 80, words=rnd.choice((0, 4, 6, 15))), TCP),
        lambda payload, data: packet(tcp(40000, 80, rnd.choice(_WRONG_FLAGS)), TCP),
        lambda payload, data: packet(tcp(40000, 80), TCP, length=20 + rnd.randrange(20)),
        lambda payload, data: packet(icmp(), ICMP, length=20 + rnd.randrange(8)),
        lambda payload, data: packet(udp(40000, SECRET_PORT, payload)),  # A well-formed but denied packet.
        lambda payload, data: ethernet(
            target, mac, ipv4(address, address, data)
        ),  # A packet from a host to itself.
        lambda payload, data: ethernet(
            target, mac, ipv4(target_address, address, data)
        ),  # A packet with another host's address.
        lambda payload, data: ethernet(CONTROLLER_MAC, mac, payload[:40], ETHER_TYPE),
    ]
    while True:
        payload = rnd.randbytes(rnd.randrange(18, 64))
        yield rnd.choice(shapes)(payload, udp(40000, 80, payload))


def _packet(rnd: random.Random, source: bytes, target: bytes) -> bytes:
    """Builds a valid packet of a random kind."""
    kind = rnd.choice((TCP, UDP, ICMP))
    port = rnd.randrange(1, 0x10000)
    return ipv4(
        source, target, {TCP: tcp(port, 80), UDP: udp(port, 7000, bytes(18)), ICMP: icmp()}[kind], kind
    )


ATTACKS: Final = {
    "spoofing": Attack("x1", _spoofing),
    "mac-flooding": Attack("h2", _mac_flooding),
    "scanning": Attack("h4", _scanning),
    "request-flood": Attack("x1", _request_flood),
    # The switches do not limit requests, so the controller gets each request. With x1's answers to
    # challenges, these are more than it can process, and some are lost.
    "replay": Attack("x1", _replay, limited=False, interval_us=12_000),
    "fragments": Attack("h2", _fragments),
    "malformed": Attack("h2", _malformed_packets),
}
"""All attacks, by name."""

"""Probes: TCP packets to port 7777, and the programs that send and receive them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

import weir

PROBE_PORT: Final = 7777
"""TCP destination port of probes."""

TELEMETRY_TYPE: Final = 0x7777
"""EtherType of a frame with a telemetry header."""

PROBE_BYTES: Final = 14 + 20 + 20 + 12
"""A probe's frame when it leaves its host: Ethernet, IPv4, TCP, number and time."""

TELEMETRY_BYTES: Final = 4

_ETHERNET: Final = struct.Struct("!6s6sH")
_TELEMETRY: Final = struct.Struct("!HH")
_IPV4: Final = struct.Struct("!BBHHHBBH4s4s")
_TCP: Final = struct.Struct("!HHIIBBHHH")
_CONTENT: Final = struct.Struct("!IQ")
_SOURCE_PORT: Final = 1024
_SYN: Final = 0x02


@dataclass(frozen=True)
class Probe:
    """A probe that arrived.

    Attributes:
        number: as sent, from 0.
        sent_ns: when it was sent.
        arrived_ns: when its last bit arrived.
        depth: the longest queue on its way, in packets, without itself.
    """

    number: int
    sent_ns: int
    arrived_ns: int
    depth: int

    @property
    def delay_ms(self) -> float:
        """Its one-way delay."""
        return (self.arrived_ns - self.sent_ns) / 1e6


def probe_frame(source: str, target: str, macs: tuple[str, str], number: int, now_ns: int) -> bytes:
    """The frame of a probe, without telemetry.

    Args:
        source: IPv4 address.
        target: IPv4 address.
        macs: the Ethernet addresses of source and next hop.
        number: 0 to 2^32 - 1.
        now_ns: the virtual time.
    """
    content = _CONTENT.pack(number, now_ns)
    addresses = IPv4Address(source).packed, IPv4Address(target).packed

    def tcp(checksum: int) -> bytes:
        return _TCP.pack(_SOURCE_PORT, PROBE_PORT, number, 0, 5 << 4, _SYN, 0xFFFF, checksum, 0) + content

    def ipv4(checksum: int) -> bytes:
        total = _IPV4.size + _TCP.size + len(content)
        return _IPV4.pack(0x45, 0, total, number & 0xFFFF, 0, 64, 6, checksum, *addresses)

    pseudo_header = b"".join(addresses) + struct.pack("!BBH", 0, 6, _TCP.size + len(content))
    own, next_hop = (bytes.fromhex(mac.replace(":", "")) for mac in macs)
    return (
        _ETHERNET.pack(next_hop, own, 0x0800)
        + ipv4(internet_checksum(ipv4(0)))
        + tcp(internet_checksum(pseudo_header + tcp(0)))
    )


def internet_checksum(data: bytes) -> int:
    """The checksum of IPv4 and TCP (RFC 1071); 0 for data that contain their own."""
    padded = data + bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def read_probe(frame: bytes, arrived_ns: int) -> Probe:
    """Reads a probe with telemetry.

    Raises:
        ValueError: it is none, or damaged.
    """
    if len(frame) != PROBE_BYTES + TELEMETRY_BYTES:
        raise ValueError(f"a probe has {PROBE_BYTES + TELEMETRY_BYTES} bytes, found {len(frame)}")
    _, _, kind = _ETHERNET.unpack_from(frame)
    depth, follows = _TELEMETRY.unpack_from(frame, _ETHERNET.size)
    packet = frame[_ETHERNET.size + _TELEMETRY.size :]
    header, segment = packet[: _IPV4.size], packet[_IPV4.size :]
    pseudo_header = header[12:20] + struct.pack("!BBH", 0, 6, len(segment))
    _, port, *_ = _TCP.unpack_from(segment)
    if (kind, follows, header[9], port) != (TELEMETRY_TYPE, 0x0800, 6, PROBE_PORT):
        raise ValueError("expected telemetry, IPv4 and TCP to port 7777")
    if internet_checksum(header) or internet_checksum(pseudo_header + segment):
        raise ValueError("a checksum is wrong")
    number, sent_ns = _CONTENT.unpack_from(segment, _TCP.size)
    return Probe(number, sent_ns, arrived_ns, depth)


class Prober(weir.HostProgram):
    """Sends a probe in each interval.

    Attributes:
        sent: probes so far.
    """

    def __init__(self, ends: tuple[str, str], macs: tuple[str, str], interval: str) -> None:
        """A prober.

        Args:
            ends: IPv4 addresses of source and target.
            macs: Ethernet addresses of source and next hop.
            interval: such as ``50ms``.
        """
        self.sent = 0
        self._ends, self._macs, self._interval = ends, macs, interval

    def start(self) -> None:
        """Sends the first one."""
        self.on_timer()

    def on_timer(self, token: object = None) -> None:
        """Sends the next one."""
        self.send(probe_frame(*self._ends, self._macs, self.sent, self.now_ns))
        self.sent += 1
        self.after(self._interval)


class ProbeReader(weir.HostProgram):
    """Reads the probes that arrive at a host."""

    def __init__(self) -> None:
        self.probes: list[Probe] = []
        """In the order of arrival."""
        self.bad = 0
        """Frames with the EtherType of telemetry that were no probes."""

    def on_frame(self, frame: weir.Frame) -> None:
        """Notes a probe."""
        try:
            self.probes.append(read_probe(bytes(frame), frame.time_ns))
        except ValueError:
            self.bad += 1


def start_probes(
    net: weir.Network, interval: str = "50ms", source: str = "h1", target: str = "h3"
) -> tuple[Prober, ProbeReader]:
    """Has a host probe the way to another one from now on."""
    sender, receiver = net.host(source), net.host(target)
    (next_hop,) = net.topology.hosts[source].arp.values()
    reader = receiver.run(ProbeReader(), frames=f"ether proto {TELEMETRY_TYPE:#06x}")
    prober = sender.run(Prober((sender.ip, receiver.ip), (sender.mac, str(next_hop)), interval))
    return prober, reader

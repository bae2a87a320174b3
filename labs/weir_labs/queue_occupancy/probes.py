"""Probes: TCP packets to port 7777, and the programs that send and receive them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

import weir
from weir.packets import (
    IPV4_BYTES,
    TCP,
    TCP_BYTES,
    ethernet_header,
    internet_checksum,
    ipv4_header,
    pseudo_header,
    tcp_header,
)

PROBE_PORT: Final = 7777
"""The TCP destination port of probes."""

TELEMETRY_TYPE: Final = 0x7777
"""The EtherType of a frame with a telemetry header."""

PROBE_BYTES: Final = 14 + 20 + 20 + 12
"""The bytes of a probe's frame when it leaves the host: Ethernet, IPv4, TCP, number and time."""

TELEMETRY_BYTES: Final = 4

_ETHERNET: Final = struct.Struct("!6s6sH")
_TELEMETRY: Final = struct.Struct("!HH")
_CONTENT: Final = struct.Struct("!IQ")
_SOURCE_PORT: Final = 1024
_SYN: Final = 0x02


@dataclass(frozen=True)
class Probe:
    """A probe that has arrived.

    Attributes:
        number: the probe's number, from 0.
        sent_ns: the time at which the probe was sent.
        arrived_ns: the time at which the probe's last bit arrived.
        depth: the length in packets of the longest queue on the path, without the probe itself.
    """

    number: int
    sent_ns: int
    arrived_ns: int
    depth: int

    @property
    def delay_ms(self) -> float:
        """The one-way delay in milliseconds."""
        return (self.arrived_ns - self.sent_ns) / 1e6


def probe_frame(source: str, target: str, macs: tuple[str, str], number: int, now_ns: int) -> bytes:
    """Builds the frame of a probe, without telemetry.

    Args:
        source: the IPv4 address of the source.
        target: the IPv4 address of the destination.
        macs: the Ethernet addresses of source and next hop.
        number: the probe's number, 0 to 2^32 - 1.
        now_ns: the virtual time in nanoseconds.
    """
    content = _CONTENT.pack(number, now_ns)
    own_mac, next_hop = macs
    length = TCP_BYTES + len(content)
    ports = _SOURCE_PORT, PROBE_PORT, number
    unsummed = tcp_header(*ports, flags=_SYN, window=0xFFFF) + content
    checksum = internet_checksum(pseudo_header(source, target, TCP, length) + unsummed)
    return (
        ethernet_header(own_mac, next_hop)
        + ipv4_header(source, target, length, TCP, number=number & 0xFFFF, may_fragment=True)
        + tcp_header(*ports, flags=_SYN, window=0xFFFF, checksum=checksum)
        + content
    )


def read_probe(frame: bytes, arrived_ns: int) -> Probe:
    """Reads the frame of a probe with telemetry.

    Raises:
        ValueError: the frame is not a probe, or is damaged.
    """
    if len(frame) != PROBE_BYTES + TELEMETRY_BYTES:
        raise ValueError(f"a probe has {PROBE_BYTES + TELEMETRY_BYTES} bytes, found {len(frame)}")
    _, _, kind = _ETHERNET.unpack_from(frame)
    depth, follows = _TELEMETRY.unpack_from(frame, _ETHERNET.size)
    packet = frame[_ETHERNET.size + _TELEMETRY.size :]
    header, segment = packet[:IPV4_BYTES], packet[IPV4_BYTES:]
    addresses = header[12:20] + struct.pack("!HH", TCP, len(segment))
    port = int.from_bytes(segment[2:4])
    if (kind, follows, header[9], port) != (TELEMETRY_TYPE, 0x0800, 6, PROBE_PORT):
        raise ValueError("expected telemetry, IPv4 and TCP to port 7777")
    if internet_checksum(header) or internet_checksum(addresses + segment):
        raise ValueError("a checksum is wrong")
    number, sent_ns = _CONTENT.unpack_from(segment, TCP_BYTES)
    return Probe(number, sent_ns, arrived_ns, depth)


class Prober(weir.HostProgram):
    """Sends a probe in each interval.

    Attributes:
        sent: the number of probes sent so far.
    """

    def __init__(self, ends: tuple[str, str], macs: tuple[str, str], interval: str) -> None:
        """Prepares the program of a sender.

        Args:
            ends: IPv4 addresses of source and target.
            macs: Ethernet addresses of source and next hop.
            interval: the interval, such as ``50ms``.
        """
        self.sent = 0
        self._ends, self._macs, self._interval = ends, macs, interval

    def start(self) -> None:
        """Sends the first probe."""
        self.on_timer()

    def on_timer(self, token: object = None) -> None:
        """Sends the next probe."""
        self.send(probe_frame(*self._ends, self._macs, self.sent, self.now_ns))
        self.sent += 1
        self.after(self._interval)


class ProbeReader(weir.HostProgram):
    """Reads the probes that arrive at a host."""

    def __init__(self) -> None:
        self.probes: list[Probe] = []
        """The probes, in the order of arrival."""
        self.invalid = 0
        """The number of frames with the EtherType of telemetry that were not valid probes."""

    def on_frame(self, frame: weir.Frame) -> None:
        """Records a probe, or counts a frame that is not a valid probe."""
        try:
            self.probes.append(read_probe(bytes(frame), frame.time_ns))
        except ValueError:
            self.invalid += 1


def start_probes(
    net: weir.Network, interval: str = "50ms", source: str = "h1", target: str = "h3"
) -> tuple[Prober, ProbeReader]:
    """Starts to send probes from a host to another host; returns the programs of both hosts."""
    sender, receiver = net.host(source), net.host(target)
    (next_hop,) = net.topology.hosts[source].arp.values()
    reader = receiver.run(ProbeReader(), frames=f"ether proto {TELEMETRY_TYPE:#06x}")
    prober = sender.run(Prober((sender.ip, receiver.ip), (sender.mac, str(next_hop)), interval))
    return prober, reader

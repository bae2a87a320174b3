"""What the simulator recorded of packets at the ends of links, and what telemetry should say of it.

Nothing here looks at the telemetry in a packet. A packet is known again at the next link by its
addresses, its transport header and the beginning of its payload.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import weir
from weir import units
from weir.telemetry import DSCP_INT, PORT_INT, Report

from .chain import BIN_LOG2_US, link_ends, node_address

PAYLOAD: Final = 16
"""The bytes of payload by which packets are known again. Reports have to repeat as many."""

_TCP, _UDP = 6, 17
_ETHERNET, _IPV4, _PORTS = 14, 20, 8

Packet = tuple[bytes, int]
"""What packets are known by, and which one of several with the same bytes."""


@dataclass(frozen=True)
class Passage:
    """A packet's way through a switch.

    Attributes:
        switch: its number.
        ingress_port: where the packet came in.
        egress_port: where it left.
        arrived_ns: when its last bit had come in.
        left_ns: when its first bit was sent.
        waiting: the packets in its queue when it came, at least and at most: the order of what
            happens in the same nanosecond is not recorded.
        sent_before: bytes that its port sent in the bin of time before the one in which it left.
    """

    switch: int
    ingress_port: int
    egress_port: int
    arrived_ns: int
    left_ns: int
    waiting: tuple[int, int]
    sent_before: int


@dataclass(frozen=True)
class _Sent:
    """A frame that left a port."""

    port: int
    left_ns: int
    joined_ns: int
    packet: Packet
    arrival: tuple[int, int] | None
    """Time and port; None for reports of the switch itself."""
    about: Packet | None = None
    """Of reports of the switch itself."""


class Recorder:
    """Watches the switches of a chain from now on.

    Attributes:
        wrong_checksums: frames with a wrong length, IPv4 checksum, UDP or TCP checksum.
    """

    def __init__(self, net: weir.Network, switches: int, cross: bool) -> None:
        self.wrong_checksums = 0
        self._switches = switches
        self._latency_ns = {switch.name: switch.profile.pass_latency_ns for switch in net.switches}
        self._ends = {end: net.sniff(end) for end in link_ends(switches, cross)}

    def passages(self) -> dict[tuple[int, Packet], Passage]:
        """What passed, by switch and packet."""
        found = {}
        for number in range(1, self._switches + 1):
            for sent, passage in self._of(number):
                found[number, sent.packet] = passage
        return found

    def _of(self, number: int) -> Iterable[tuple[_Sent, Passage]]:
        """What passed one switch."""
        frames = self._sent(number)
        bins: dict[tuple[int, int], int] = defaultdict(int)
        joined: dict[int, list[int]] = defaultdict(list)
        left: dict[int, list[int]] = defaultdict(list)
        # A packet's own report joins the queue after it, even in the same nanosecond.
        after: dict[tuple[int, Packet], int] = {}
        for sent, size in frames:
            if sent.about is not None:
                after[sent.port, sent.about] = sent.joined_ns
            bins[sent.port, _bin(sent.left_ns)] += size
            joined[sent.port].append(sent.joined_ns)
            left[sent.port].append(sent.left_ns)
        for times in (*joined.values(), *left.values()):
            times.sort()
        for sent, _ in frames:
            if sent.arrival is None:
                continue
            came, gone, now = joined[sent.port], left[sent.port], sent.joined_ns
            behind = 1 + (after.get((sent.port, sent.packet)) == now)
            waiting = (
                max(0, bisect_left(came, now) - bisect_right(gone, now)),
                max(0, bisect_right(came, now) - behind - bisect_left(gone, now)),
            )
            yield (
                sent,
                Passage(
                    number,
                    sent.arrival[1],
                    sent.port,
                    sent.arrival[0],
                    sent.left_ns,
                    waiting,
                    bins[sent.port, _bin(sent.left_ns) - 1],
                ),
            )

    def _sent(self, number: int) -> list[tuple[_Sent, int]]:
        """The frames that left a switch, in order, and their lengths."""
        name = f"s{number}"
        frames = sorted(
            (
                (frame.time_ns, not frame.outbound, int(end.rpartition("p")[2]), bytes(frame))
                for end, sniffer in self._ends.items()
                if end.startswith(f"{name}-")
                for frame in sniffer.frames
            ),
            key=lambda frame: frame[:3],
        )
        arrivals: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
        departures: dict[bytes, list[int]] = defaultdict(list)
        reported: dict[bytes, int] = defaultdict(int)
        own = bytes(int(part) for part in node_address(number).split("."))
        for time_ns, outbound, port, data in ((one[0], not one[1], *one[2:]) for one in frames):
            if not outbound:
                arrivals[known_by(data)].append((time_ns, port))
        found = []
        for time_ns, outbound, port, data in ((one[0], not one[1], *one[2:]) for one in frames):
            if not outbound:
                continue
            self.wrong_checksums += not _is_right(data)
            key = known_by(data)
            if data[26:30] == own:
                about = known_by(bytes(_ETHERNET) + _reported(data))
                which = reported[about]
                reported[about] += 1
                joined_ns = departures[about][which]
                found.append((_Sent(port, time_ns, joined_ns, (key, 0), None, (about, which)), len(data)))
            else:
                which = len(departures[key])
                arrival = arrivals[key][which]
                departures[key].append(time_ns)
                joined_ns = arrival[0] + self._latency_ns[name]
                found.append((_Sent(port, time_ns, joined_ns, (key, which), arrival), len(data)))
        return found


def packets_of(reports: Iterable[Report]) -> list[Packet]:
    """Which packets reports are about. Reports have to be in the order in which they were sent."""
    before: dict[tuple[int, bytes], int] = defaultdict(int)
    found = []
    for report in reports:
        key = known_by(bytes(_ETHERNET) + report.packet)
        found.append((key, before[report.node, key]))
        before[report.node, key] += 1
    return found


def known_by(frame: bytes) -> bytes:
    """The bytes by which a frame is known again at the next link."""
    protocol, dscp = frame[23], frame[15] >> 2
    if protocol == _UDP:
        end = _ETHERNET + _IPV4 + 8
        header = frame[34:36]
        marked = dscp == DSCP_INT or frame[36:38] == PORT_INT.to_bytes(2)
    elif protocol == _TCP:
        end = _ETHERNET + _IPV4 + (frame[46] >> 4) * 4
        header = frame[34:50] + frame[54:end]
        marked = dscp == DSCP_INT
    else:
        end, header, marked = _ETHERNET + _IPV4, b"", False
    if marked:
        end += 4 + frame[end + 1] * 4
    return frame[26:34] + frame[23:24] + header + b"|" + frame[end : end + PAYLOAD]


def utilization_ppm(sent_before: int, rate: str) -> float:
    """The share of a link that so many bytes in a bin of time are, in millionths."""
    return sent_before * 8e6 / (units.rate_bps(rate) * 2**BIN_LOG2_US / 1e6)


def _bin(time_ns: int) -> int:
    return time_ns // 1000 >> BIN_LOG2_US


def _reported(frame: bytes) -> bytes:
    """The packet in a frame that carries a report."""
    start = _ETHERNET + _IPV4 + 8 + 8
    return frame[start + 12 + frame[start + 2] * 4 :]


def _is_right(frame: bytes) -> bool:
    """Whether lengths and checksums are right. A sum of 16-bit words is 0 modulo 0xffff."""
    total, protocol = int.from_bytes(frame[16:18]), frame[23]
    if total != len(frame) - _ETHERNET or int.from_bytes(frame[14:34]) % 0xFFFF:
        return False
    transport = frame[34:]
    if protocol == _UDP:
        if int.from_bytes(transport[4:6]) != len(transport):
            return False
        if transport[6:8] == b"\0\0":
            return True
    elif protocol != _TCP:
        return True
    pseudo = int.from_bytes(frame[26:34]) + protocol + len(transport)
    padded = transport + bytes(len(transport) % 2)
    return (pseudo + int.from_bytes(padded)) % 0xFFFF == 0

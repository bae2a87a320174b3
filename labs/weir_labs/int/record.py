"""Records packets at the ends of links, to compare telemetry with what really happened.

This module does not use telemetry.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import weir
from weir import units

from .chain import BIN_LOG2_US, link_ends, node_address
from .known import Packet, identifying_bytes, is_right, reported_packet


@dataclass(frozen=True)
class Passage:
    """A packet's passage through a switch.

    Attributes:
        switch: the number of the switch.
        ingress_port: the port at which the packet arrived.
        egress_port: the port at which the packet left.
        arrived_ns: when the packet's last bit had arrived.
        left_ns: when the packet's first bit was sent.
        waiting: the minimum and the maximum number of packets in the queue when the packet joined
            it; both differ because the order of events in the same nanosecond is not recorded.
        sent_before: the bytes that the packet's port sent in the bin of time before the bin in
            which the packet left.
    """

    switch: int
    ingress_port: int
    egress_port: int
    arrived_ns: int
    left_ns: int
    waiting: tuple[int, int]
    sent_before: int


@dataclass(frozen=True)
class Drop:
    """A packet that a switch did not send on.

    Attributes:
        switch: the number of the switch.
        packet: the packet.
        ingress_port: the port at which the packet arrived.
        arrived_ns: when the packet's last bit had arrived.
    """

    switch: int
    packet: Packet
    ingress_port: int
    arrived_ns: int


@dataclass(frozen=True)
class _SentFrame:
    """A frame that left a port of a switch."""

    port: int
    left_ns: int
    joined_ns: int
    length: int
    packet: Packet
    arrival: tuple[int, int] | None = None
    """The time and port at which the frame arrived; ``None`` for reports of the switch itself."""
    about: Packet | None = None
    """The bytes that identify the reported packet; ``None`` unless the frame is a report."""


@dataclass(frozen=True)
class _AtSwitch:
    """The frames at all ports of a switch: identifying bytes, time and port of each, in order."""

    name: str
    arrived: dict[bytes, list[tuple[int, int]]]
    left: list[tuple[int, int, bytes]]
    """The time, the port and the bytes of each frame that left."""


class Recorder:
    """Records the frames at a chain's switches.

    Query it when all packets have left the network.

    Args:
        net: the network.
        switches: the number of switches.
        cross: whether there is cross traffic, as in :func:`chain`.
        bypass: whether there is a bypass, as in :func:`chain`.
    """

    def __init__(
        self, net: weir.Network, switches: int, *, cross: bool = False, bypass: bool = False
    ) -> None:
        self._latency_ns = {switch.name: switch.profile.pass_latency_ns for switch in net.switches}
        self._ends = {end: net.sniff(end) for end in link_ends(switches, cross, bypass)}

    @property
    def wrong_checksums(self) -> int:
        """The number of frames from switches with a wrong length, IPv4 checksum, or UDP or TCP
        checksum."""
        return sum(not is_right(frame) for frames in self._frames_at_switches for _, _, frame in frames.left)

    @cached_property
    def passages(self) -> dict[tuple[int, Packet], Passage]:
        """The passages of packets through switches, by switch and packet."""
        by_packet = {}
        for number, frames in enumerate(self._sent_frames, start=1):
            for sent, passage in _passages(number, frames):
                by_packet[number, sent.packet] = passage
        return by_packet

    @cached_property
    def drops(self) -> list[Drop]:
        """The packets that arrived at a switch and did not leave it, by time."""
        lost = [
            Drop(number, (key, place), port, time_ns)
            for number, frames in enumerate(self._frames_at_switches, start=1)
            for key, arrivals in frames.arrived.items()
            for place, (time_ns, port) in enumerate(arrivals)
            if (number, (key, place)) not in self.passages
        ]
        return sorted(lost, key=lambda drop: drop.arrived_ns)

    @cached_property
    def _frames_at_switches(self) -> list[_AtSwitch]:
        """The frames that arrived and left at each switch."""
        by_switch: dict[str, _AtSwitch] = {}
        for end, sniffer in self._ends.items():
            name, _, port = end.partition("-p")
            frames = by_switch.setdefault(name, _AtSwitch(name, defaultdict(list), []))
            for frame in sniffer.frames:
                data = bytes(frame)
                if frame.outbound:
                    frames.left.append((frame.time_ns, int(port), data))
                else:
                    frames.arrived[identifying_bytes(data)].append((frame.time_ns, int(port)))
        for frames in by_switch.values():
            frames.left.sort(key=lambda frame: frame[:2])
            for arrivals in frames.arrived.values():
                arrivals.sort()
        return [by_switch[f"s{number}"] for number in range(1, len(by_switch) + 1)]

    @cached_property
    def _sent_frames(self) -> list[list[_SentFrame]]:
        """The frames that left, by switch."""
        return [
            _sent_frames(number, frames, self._latency_ns[frames.name])
            for number, frames in enumerate(self._frames_at_switches, start=1)
        ]


def utilization_ppm(sent_before: int, rate: str) -> float:
    """Computes the utilization of a link that sent this number of bytes in a bin of time, in
    millionths."""
    return sent_before * 8e6 / (units.rate_bps(rate) * 2**BIN_LOG2_US / 1e6)


def _sent_frames(number: int, at: _AtSwitch, latency_ns: int) -> list[_SentFrame]:
    """Finds the frames that left a switch, and the times at which they joined the queue."""
    own_address = bytes(int(part) for part in node_address(number).split("."))
    departures: dict[bytes, list[int]] = defaultdict(list)
    frames = []
    for time_ns, port, data in at.left:
        if data[26:30] != own_address:
            key = identifying_bytes(data)
            position = len(departures[key])
            departures[key].append(time_ns)
            arrival = at.arrived[key][position]
            frames.append(
                _SentFrame(port, time_ns, arrival[0] + latency_ns, len(data), (key, position), arrival)
            )
    reports: dict[tuple[bytes, bool], int] = defaultdict(int)
    for time_ns, port, data in at.left:
        if data[26:30] == own_address:
            about, dropped = reported_packet(data)
            position = reports[about, dropped]
            reports[about, dropped] += 1
            if dropped:
                joined_ns = at.arrived[about][position][0] + latency_ns
            else:
                joined_ns = departures[about][position]
            key = identifying_bytes(data)
            frames.append(_SentFrame(port, time_ns, joined_ns, len(data), (key, 0), about=(about, position)))
    return frames


def _passages(number: int, frames: list[_SentFrame]) -> Iterable[tuple[_SentFrame, Passage]]:
    """Computes the passages of packets through a switch."""
    bins: dict[tuple[int, int], int] = defaultdict(int)
    joined: dict[int, list[int]] = defaultdict(list)
    left: dict[int, list[int]] = defaultdict(list)
    # A packet's own report joins the queue after the packet, even in the same nanosecond.
    after: dict[tuple[int, Packet], int] = {}
    for sent in frames:
        if sent.about is not None:
            after[sent.port, sent.about] = sent.joined_ns
        bins[sent.port, _time_bin(sent.left_ns)] += sent.length
        joined[sent.port].append(sent.joined_ns)
        left[sent.port].append(sent.left_ns)
    for times in (*joined.values(), *left.values()):
        times.sort()
    for sent in frames:
        if sent.arrival is None:
            continue
        came, gone, now = joined[sent.port], left[sent.port], sent.joined_ns
        behind = 1 + (after.get((sent.port, sent.packet)) == now)
        waiting = (
            max(0, bisect_left(came, now) - bisect_right(gone, now)),
            max(0, bisect_right(came, now) - behind - bisect_left(gone, now)),
        )
        arrived_ns, port = sent.arrival
        bytes_before = bins[sent.port, _time_bin(sent.left_ns) - 1]
        yield sent, Passage(number, port, sent.port, arrived_ns, sent.left_ns, waiting, bytes_before)


def _time_bin(time_ns: int) -> int:
    return time_ns // 1000 >> BIN_LOG2_US

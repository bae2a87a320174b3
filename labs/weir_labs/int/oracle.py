"""Decides which packets should be reported: applies the rules of events.p4 and drops.p4 to the
record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .known import Packet, flow_of
from .record import Drop, Passage

_FIN_OR_RST, _SYN = 5, 2
_TCP = 6


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of events; the attributes are the parameters of :func:`event_entry`."""

    latency_us: int
    queue_packets: int
    idle_us: int
    reset_us: int


@dataclass(frozen=True)
class Event:
    """A packet that should be reported.

    Attributes:
        switch: the reporting switch.
        packet: the packet.
        time_ns: when the packet left the switch or, if it was dropped, when it arrived.
        kind: ``start``, ``end``, ``path``, ``latency``, ``queue``, ``reset`` or ``drop``.
    """

    switch: int
    packet: Packet
    time_ns: int
    kind: str


@dataclass
class _Flow:
    """A switch's knowledge about a flow."""

    closed: bool = False
    last_packet_us: int = 0
    last_report_us: int = 0
    path: tuple[tuple[int, int, int], ...] = ()
    latencies: Sequence[int] = field(default_factory=list)
    queues: Sequence[int] = field(default_factory=list)


def expected_events(
    record: Mapping[tuple[int, Packet], Passage], watched: bytes, thresholds: Thresholds, sink: int | None
) -> list[Event]:
    """Finds the packets that should be reported as events.

    Args:
        record: the record, by switch and packet.
        watched: the addresses of the flows on the watchlist, source and destination.
        thresholds: the thresholds of events.
        sink: the switch that reports all hops, as in INT-MD; ``None`` if each switch reports its
            own hop.
    """
    ways: dict[Packet, list[Passage]] = {}
    for (_, packet), passage in record.items():
        if packet[0].startswith(watched):
            ways.setdefault(packet, []).append(passage)
    observed = []
    for packet, way in ways.items():
        way.sort(key=lambda passage: passage.left_ns)
        if sink is None:
            observed += [(packet, [passage]) for passage in way]
        elif way[-1].switch == sink:
            observed.append((packet, way))
    observed.sort(key=lambda one: one[1][-1].left_ns)
    flows: dict[tuple[int, bytes], _Flow] = {}
    events = []
    for packet, hops in observed:
        last_hop = hops[-1]
        kind = _judge(flows, (last_hop.switch, flow_of(packet)), packet, hops, thresholds)
        if kind:
            events.append(Event(last_hop.switch, packet, last_hop.left_ns, kind))
    return events


def expected_drops(drops: Iterable[Drop], watched: bytes, reset_us: int) -> list[Event]:
    """Finds the drops that should be reported: the first drop of each flow at a switch, then each
    drop at least ``reset_us`` after the last reported one."""
    last: dict[tuple[int, bytes], int] = {}
    events = []
    for drop in drops:
        flow = (drop.switch, flow_of(drop.packet))
        now = drop.arrived_ns // 1000
        if drop.packet[0].startswith(watched) and (flow not in last or now - last[flow] >= reset_us):
            last[flow] = now
            events.append(Event(drop.switch, drop.packet, drop.arrived_ns, "drop"))
    return events


def _judge(
    flows: dict[tuple[int, bytes], _Flow],
    name: tuple[int, bytes],
    packet: Packet,
    hops: Sequence[Passage],
    thresholds: Thresholds,
) -> str:
    """Decides whether a packet should be reported; returns the kind of event, or an empty
    string."""
    now = hops[-1].left_ns // 1000
    flow = flows.get(name)
    if flow and thresholds.idle_us and now - flow.last_packet_us >= thresholds.idle_us:
        flow = None
    new = flow is None
    flow = flows[name] = flow or _Flow()
    flags = packet[0][22] if packet[0][8] == _TCP else 0
    path = tuple((hop.switch, hop.ingress_port, hop.egress_port) for hop in hops)
    latencies = [hop.left_ns // 1000 - hop.arrived_ns // 1000 for hop in reversed(hops)]
    queues = [hop.waiting[0] for hop in reversed(hops)]
    kind = ""
    if flags & _FIN_OR_RST:
        kind = "" if flow.closed else "end"
        flow.closed = True
    elif flags & _SYN or new:
        kind, flow.closed = "start", False
    elif not flow.closed:
        if path != flow.path:
            kind = "path"
        elif _has_moved(latencies, flow.latencies, thresholds.latency_us):
            kind = "latency"
        elif _has_moved(queues, flow.queues, thresholds.queue_packets):
            kind = "queue"
        elif thresholds.reset_us and now - flow.last_report_us >= thresholds.reset_us:
            kind = "reset"
    flow.last_packet_us = now
    if kind:
        flow.last_report_us, flow.path, flow.latencies, flow.queues = now, path, latencies, queues
    return kind


def _has_moved(now: Sequence[int], before: Sequence[int], step: int) -> bool:
    return step > 0 and any(abs(value - other) >= step for value, other in zip(now, before, strict=True))

"""Every report of the lab int-report equals what the simulator recorded of the datagram's passage.

The record has two sources that the P4 program does not see: the traces of the switches (when each
packet joined and left a queue) and sniffers at the links (the bytes of each frame that was sent).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

import pytest

import weir
from weir_labs.int_report.chain import network
from weir_labs.int_report.frames import Hop
from weir_labs.int_report.reader import ReportReader, read_reports

DATA_BYTES = 1000


@dataclass(frozen=True)
class Passage:
    """The passage of a packet through one port: the packet's number in the network, and the
    expected report."""

    packet: int
    hop: Hop


def passages(switch: int, port: int, journeys: list[weir.Journey], sent: list[int]) -> list[Passage]:
    """The packets that left a port, in order, from the switch's traces and the lengths of the
    frames sent."""
    queued, left = [], []
    for journey in journeys:
        for copy in journey.copies.values():
            times = {
                step.kind: step.time_ns
                for step in copy.steps
                if step.kind in ("queued", "dequeued") and step.what["port"] == port
            }
            if "queued" in times:
                queued.append(times["queued"])
            if "dequeued" in times:
                left.append((times["dequeued"], journey.packet))
    queued.sort()
    left.sort()
    departures = [time for time, _ in left]
    assert len(set(departures)) == len(departures), "two packets left at once: their order is unknown"
    assert len(left) == len(sent)
    hops = []
    for (time, packet), bytes_so_far in zip(left, accumulate(sent), strict=True):
        # The packets that arrived before, without those that have left. A packet that leaves when
        # it arrives only counts as left, and no packet waits then.
        waiting = max(0, bisect_left(queued, time) - bisect_right(departures, time))
        hops.append(Passage(packet, Hop(time // 1000, bytes_so_far, waiting, switch, port)))
    return hops


Record = list[dict[int, Passage]]
"""The passages through port 2 of each switch, by the bytes sent so far."""


def record_of(net: weir.Network, ends: list[weir.Sniffer]) -> Record:
    """The packets that left each switch at port 2, from the simulator's record."""
    return [
        {
            passage.hop.tx_bytes: passage
            for passage in passages(
                number,
                2,
                net.switch(f"s{number}").journeys(),
                [len(bytes(frame)) for frame in end.frames if frame.outbound],
            )
        }
        for number, end in enumerate(ends, start=1)
    ]


def longest_of(reader: ReportReader, record: Record, switches: int) -> int:
    """Compares each report with the record; returns the longest queue."""
    longest = 0
    seen = set()
    for _, datagram, report in reader.reports:
        passages = [record[place][hop.tx_bytes] for place, hop in enumerate(report.hops)]
        assert list(report.hops) == [passage.hop for passage in passages]
        assert len(report.hops) == switches and datagram.source == "10.0.2.2"
        assert report.dst_port == 5201
        # All hops are those of one packet.
        assert len({passage.packet for passage in passages}) == 1
        seen.add(passages[0].packet)
        longest = max(longest, *(hop.queue_length for hop in report.hops))
    assert len(seen) == len(reader.reports)
    return longest


@pytest.mark.parametrize(
    ("switches", "mbps", "waits", "every"),
    [(3, 3.0, False, 1), (3, 6.5, True, 1), (4, 6.5, True, 1), (5, 5.7, True, 1), (4, 6.5, True, 3)],
)
def test_reports_equal_the_record(switches: int, mbps: float, waits: bool, every: int) -> None:
    with network(switches, pairs=2, every=every) as net:
        reader = read_reports(net)
        read_reports(net, "h3")
        ends = [net.sniff(f"s{number}-p2") for number in range(1, switches + 1)]
        for switch in net.switches:
            switch.trace()
        ping = net.host("h1").start_ping("h2", count=20, interval="10ms")
        flow = net.host("h1").start_iperf(
            "h2", udp=True, rate=f"{mbps}Mbit", duration="300ms", length=f"{DATA_BYTES}B"
        )
        if waits:
            net.host("h3").start_iperf(
                "h4", udp=True, rate="1Mbit", duration="300ms", length=f"{DATA_BYTES}B"
            )
        net.run_for("1s")
        result = flow.result()
        assert ping.result().received > 0
        record = record_of(net, ends)
    # A report for every datagram with telemetry that h2 received, and no other.
    assert result.sent > 100 and reader.bad_reports == 0
    if every == 1:
        assert len(reader.reports) == result.sent - result.lost
    else:
        assert result.sent / every - result.lost <= len(reader.reports) <= result.sent / every + 1
    assert (longest_of(reader, record, switches) > 10) == waits


def test_reports_on_segments_equal_the_record() -> None:
    with network(3, pairs=2, tcp=True) as net:
        reader = read_reports(net)
        read_reports(net, "h3")
        ends = [net.sniff(f"s{number}-p2") for number in (1, 2, 3)]
        for switch in net.switches:
            switch.trace()
        flows = [
            net.host(source).start_iperf(target, duration="400ms", mss="1400B")
            for source, target in (("h1", "h2"), ("h3", "h4"))
        ]
        net.run_for("1s")
        segments = flows[0].result().bytes // 1388
        record = record_of(net, ends)
    assert len(reader.reports) >= segments > 50 and reader.bad_reports == 0
    assert longest_of(reader, record, 3) > 10

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
from weir.labs.int_report.chain import network
from weir.labs.int_report.frames import Hop
from weir.labs.int_report.reader import read_reports

DATA_BYTES = 1000


@dataclass(frozen=True)
class Passage:
    """A packet's way through one port: its number in the network, and what a report should say."""

    packet: int
    hop: Hop


def passages(switch: int, port: int, journeys: list[weir.Journey], sent: list[int]) -> list[Passage]:
    """What left a port, in order, from the switch's traces and the lengths of the frames sent."""
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
    found = []
    for (time, packet), bytes_so_far in zip(left, accumulate(sent), strict=True):
        # Those that came before, without those that have left. A packet that leaves when it comes
        # counts as left only, and nothing waits then.
        waiting = max(0, bisect_left(queued, time) - bisect_right(departures, time))
        found.append(Passage(packet, Hop(time // 1000, bytes_so_far, waiting, switch, port)))
    return found


@pytest.mark.parametrize(
    ("switches", "mbps", "waits"), [(3, 3.0, False), (3, 6.5, True), (4, 6.5, True), (5, 5.7, True)]
)
def test_reports_equal_the_record(switches: int, mbps: float, waits: bool) -> None:
    with network(switches, data_bytes=DATA_BYTES, pairs=2) as net:
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
        record = [
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
    # A report for every datagram that h2 received, and no other.
    assert len(reader.reports) == result.sent - result.lost and result.sent > 100 and reader.bad == 0
    longest = 0
    seen = set()
    for _, datagram, report in reader.reports:
        found = [record[place][hop.tx_bytes] for place, hop in enumerate(report.hops)]
        assert list(report.hops) == [passage.hop for passage in found]
        assert len(report.hops) == switches and datagram.source == "10.0.2.2"
        assert report.dst_port == 5201
        # All hops are those of one packet.
        assert len({passage.packet for passage in found}) == 1
        seen.add(found[0].packet)
        longest = max(longest, *(hop.queue_length for hop in report.hops))
    assert len(seen) == len(reader.reports)
    assert (longest > 10) == waits

"""The common parts of the experiments: they ping while a flow runs, and compute numbers from
telemetry reports."""

from __future__ import annotations

from typing import Any, Final

import weir

from .reader import ReportReader

PING_BYTES: Final = 98
"""The bytes of a ping's frame: 56 data, 8 ICMP, 20 IPv4, 14 Ethernet."""

PINGS_PER_S: Final = 10
"""The number of pings per second: the thesis's interval between pings is 0.1 s."""

PING_BPS: Final = PINGS_PER_S * PING_BYTES * 8
"""The rate of the pings on a link, in bit/s."""


def start_ping(net: weir.Network, seconds: int) -> weir.Flow[weir.PingResult]:
    """Makes h1 ping h2 for a number of seconds."""
    return net.host("h1").start_ping("h2", count=PINGS_PER_S * seconds, interval=f"{1000 // PINGS_PER_S}ms")


def flow_numbers(flow: weir.UdpResult, pings: weir.PingResult) -> dict[str, Any]:
    """Returns the thesis's measures (bandwidth, latency, jitter and loss), and the counts from
    which they are computed."""
    return {
        "sent": flow.sent,
        "lost": flow.lost,
        "loss_percent": 100 * flow.loss,
        "goodput_mbps": flow.goodput_mbps,
        "delay_ms": flow.streams[0].delay_mean_ms,
        "jitter_ms": flow.streams[0].jitter_ms,
        "rtt_ms": pings.rtt_avg_ms,
        "pings_lost": pings.lost,
    }


def report_numbers(reader: ReportReader) -> dict[str, int | None]:
    """Returns the number of reports that came back, and the longest queue in them; ``None`` if no
    report came back."""
    lengths = [hop.queue_length for _, _, report in reader.reports for hop in report.hops]
    return {
        "reports": len(reader.reports),
        "bad_reports": reader.bad_reports,
        "longest_queue": max(lengths, default=None),
    }

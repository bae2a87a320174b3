"""A second flow over the same switches (thesis, test 2)."""

from __future__ import annotations

from typing import Any, Final

import weir
from weir import units
from weir.flows import FlowOptions
from weir.lab import one_of

from .chain import QUEUE_PACKETS, network
from .measure import PING_BPS, flow_numbers, report_numbers, start_ping
from .reader import read_reports
from .theory import fitting_load_bps, frames_on_links, lost_datagrams

SECOND_MBPS: Final = 2.0
"""The rate of the flow from h3 to h4, in Mbit/s of payload."""


@weir.experiment(
    switches=[4],
    telemetry=["off", "on"],
    mbps=[1.0, 2.0, 3.0, 3.5, 3.75, 4.0, 5.0, 6.0],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[20],
    seeds=6,
)
def second_flow(
    switches: int, telemetry: str, mbps: float, rate: str, data_bytes: int, seconds: int, seed: int
) -> dict[str, Any]:
    """What does telemetry cost when a second flow of 2 Mbit/s uses the same links?"""
    every = int(one_of("telemetry", telemetry, "off", "on") == "on")
    options: FlowOptions = {
        "length": f"{data_bytes}B",
        "duration": f"{seconds}s",
        "interval": None,
    }
    with network(switches, rate, pairs=2, every=every, seed=seed, noise="realistic") as net:
        readers = [read_reports(net), read_reports(net, "h3")]
        ping = start_ping(net, seconds)
        other = net.host("h3").start_iperf("h4", udp=True, rate=f"{SECOND_MBPS}Mbit", **options)
        flow = net.host("h1").iperf("h2", udp=True, rate=f"{mbps}Mbit", **options)
        pings, second = ping.wait(), other.wait()
    bits, frames = units.rate_bps(rate), frames_on_links(data_bytes, switches, every)
    # h1's link carries only the first flow, and the links between switches carry both flows.
    at_h1 = lost_datagrams(flow.sent, seconds, bits, frames[:1], QUEUE_PACKETS, PING_BPS)
    expected_at_sink = flow.sent - at_h1 + second.sent
    shared = lost_datagrams(expected_at_sink, seconds, bits, frames[1:-1], QUEUE_PACKETS, PING_BPS)
    fitting = fitting_load_bps(bits, data_bytes, switches, every, PING_BPS)
    return {
        **flow_numbers(flow, pings),
        "second_goodput_mbps": second.goodput_mbps,
        "second_sent": second.sent,
        "second_lost": second.lost,
        "second_jitter_ms": second.streams[0].jitter_ms,
        "both_lost": flow.lost + second.lost,
        "predicted_both_lost": at_h1 + shared,
        "fitting_mbps": fitting / 1e6 - SECOND_MBPS,
        **report_numbers(readers[0]),
        "second_reports": len(readers[1].reports),
    }

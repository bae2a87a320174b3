"""Telemetry on every n-th packet: what it costs, and what it still reports."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units
from weir.flows import FlowOptions

from .chain import QUEUE_PACKETS, network
from .frames import telemetry_bytes
from .reader import read_reports
from .theory import fitting_load_bps, frames_on_links, lost_datagrams

STEADY_MBPS: Final = 2.0
"""The constant rate at which h1 sends, in Mbit/s of payload."""

BURSTY_MBPS: Final = 3.0
"""The mean rate at which h3 sends, as a Poisson process, in Mbit/s of payload."""

OVERLOAD_MBPS: Final = 5.78
"""The rate at which h1 sends alone, in Mbit/s of payload: it fits without telemetry, but not with
much of it."""


@weir.experiment(
    every=[1, 2, 4, 8, 16, 64],
    switches=[5],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[20],
    seeds=2,
)
def every_nth(
    every: int, switches: int, rate: str, data_bytes: int, seconds: int, seed: int
) -> dict[str, Any]:
    """What does telemetry on every n-th packet cost, and how much does it still report?

    h1's reports are compared with the queue of s1, which two flows share. After that, h1 sends
    alone, at a load that does not fit if all packets have telemetry.
    """
    if every < 1:
        raise ValueError(f"every={every}: expected 1 or more")
    options: FlowOptions = {
        "length": f"{data_bytes}B",
        "duration": f"{seconds}s",
        "interval": None,
    }
    with network(switches, rate, pairs=2, every=every, seed=seed) as net:
        reader = read_reports(net)
        read_reports(net, "h3")
        sampler = net.sample("s1-p2", "1ms")
        net.host("h3").start_poisson("h4", f"{BURSTY_MBPS}Mbit", **options)
        flow = net.host("h1").start_iperf("h2", udp=True, rate=f"{STEADY_MBPS}Mbit", **options)
        net.run_for(f"{seconds}s")
        queue = np.array(sampler.switch_queue().values)
        sent = flow.result().sent
    times = np.array([report.hops[0].timestamp_us / 1e3 for _, _, report in reader.reports])
    queue_lengths = np.array([report.hops[0].queue_length for _, _, report in reader.reports])
    # The sender's view in each millisecond: the last report counts at the time that the report is
    # about.
    last = np.searchsorted(times, np.arange(1, len(queue) + 1), side="right") - 1
    has_report = last >= 0
    held = queue_lengths[last[has_report]]
    bits, frames = units.rate_bps(rate), frames_on_links(data_bytes, switches, every)
    with network(switches, rate, every=every, seed=seed) as net:
        read_reports(net)
        flow_alone = net.host("h1").iperf("h2", udp=True, rate=f"{OVERLOAD_MBPS}Mbit", **options)
    return {
        "sent": sent,
        "reports": len(queue_lengths),
        "bad_reports": reader.bad_reports,
        "telemetry_percent": 100 * telemetry_bytes(switches - 1) / every / data_bytes,
        "mean_queue": float(queue.mean()),
        "reported_mean": float(queue_lengths.mean()),
        "longest_queue": int(queue.max()),
        "reported_longest": int(queue_lengths.max()),
        "error_packets": float(np.abs(held - queue[has_report]).mean()),
        "fitting_mbps": fitting_load_bps(bits, data_bytes, switches, every) / 1e6,
        "alone_sent": flow_alone.sent,
        "alone_lost": flow_alone.lost,
        "predicted_lost": lost_datagrams(flow_alone.sent, seconds, bits, frames, QUEUE_PACKETS),
        "queue": pl.DataFrame({"time_ms": times, "queue": queue_lengths}).head(400),
    }

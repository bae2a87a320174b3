"""Telemetry over TCP: two connections share the links, and some or all of their segments carry
telemetry."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units

from .chain import network
from .frames import telemetry_bytes
from .reader import read_reports

MSS: Final = 1400
"""The largest payload of a segment with its options, in bytes, so that telemetry fits an MTU of
1500."""

OPTIONS_BYTES: Final = 12
"""The bytes of TCP's timestamps in each segment (RFC 7323)."""

TCP_HEADERS_BYTES: Final = 14 + 20 + 20
"""The bytes of the Ethernet, IPv4 and TCP headers."""

BIN_MS: Final = 50
"""The time step of the series in milliseconds."""


@weir.experiment(
    congestion=["cubic", "bbr"],
    every=[0, 1, 8],
    switches=[4],
    rate=["6Mbit"],
    seconds=[15],
)
def tcp(congestion: str, every: int, switches: int, rate: str, seconds: int, seed: int) -> dict[str, Any]:
    """What does telemetry over TCP cost, and what do its reports tell?"""
    frame = TCP_HEADERS_BYTES + MSS
    with network(switches, rate, pairs=2, every=every, tcp=True, seed=seed) as net:
        readers = [read_reports(net, name) for name in ("h1", "h3")]
        sampler = net.sample("s1-p2", "1ms")
        flows = [
            net.host(source).start_iperf(
                target, duration=f"{seconds}s", congestion=congestion, mss=f"{MSS}B", interval=None
            )
            for source, target in (("h1", "h2"), ("h3", "h4"))
        ]
        # The last reports arrive after the connections have ended.
        net.run_for(f"{seconds + 1}s")
        queue = np.array(sampler.queue().values)[: seconds * 1000]
        results = [flow.result() for flow in flows]
    hops = [report.hops[0] for reader in readers for _, _, report in reader.reports]
    reported = np.zeros(seconds * 1000 // BIN_MS, dtype=int)
    for hop in hops:
        place = min(hop.timestamp_us // (1000 * BIN_MS), len(reported) - 1)
        reported[place] = max(reported[place], hop.queue_length)
    payload = MSS - OPTIONS_BYTES
    longest = frame + (telemetry_bytes(switches - 1) / every if every else 0)
    shares = [result.goodput_mbps for result in results]
    return {
        "goodput_mbps": sum(shares),
        "predicted_mbps": units.rate_bps(rate) * payload / longest / 1e6,
        "fairness": sum(shares) ** 2 / (2 * sum(share**2 for share in shares)),
        "rtt_ms": sum(result.streams[0].rtt_ms or 0.0 for result in results) / 2,
        "retransmits": sum(result.retransmits for result in results),
        "segments": sum(result.bytes for result in results) // payload,
        "reports": len(hops),
        "bad_reports": sum(reader.bad_reports for reader in readers),
        "mean_queue": float(queue.mean()),
        "longest_queue": int(queue.max()),
        "reported_longest": int(reported.max()) if hops else None,
        "series": pl.DataFrame(
            {
                "time_s": np.arange(len(reported)) * BIN_MS / 1e3,
                "queue": queue.reshape(-1, BIN_MS).max(axis=1),
                "reported": reported,
            }
        ),
    }

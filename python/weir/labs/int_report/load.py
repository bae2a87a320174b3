"""Bandwidth, latency, jitter and loss by load and number of switches (thesis, test 1)."""

from __future__ import annotations

from typing import Any, Final

import weir
from weir import units

from .chain import QUEUE_PACKETS, network
from .reader import ReportReader, read_reports
from .theory import fitting_load_bps, lost_datagrams

PING_BYTES: Final = 98
"""A ping's frame: 56 data, 8 ICMP, 20 IPv4, 14 Ethernet."""

PINGS_PER_S: Final = 10
"""The thesis's interval between pings is 0.1 s."""


@weir.experiment(
    switches=[3, 4, 5],
    telemetry=["off", "on"],
    mbps=[1.0, 2.0, 3.0, 4.0, 5.0, 5.5, 5.75, 6.0],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[20],
    seeds=6,
)
def load(
    switches: int, telemetry: str, mbps: float, rate: str, data_bytes: int, seconds: int, seed: int
) -> dict[str, Any]:
    """What does telemetry cost at each load, by number of switches?"""
    on = telemetry == "on"
    with network(switches, rate, data_bytes=data_bytes, telemetry=on, seed=seed, noise="realistic") as net:
        reader = read_reports(net)
        ping = net.host("h1").start_ping(
            "h2", count=PINGS_PER_S * seconds, interval=f"{1000 // PINGS_PER_S}ms"
        )
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{mbps}Mbit", length=f"{data_bytes}B", duration=f"{seconds}s", interval=None
        )
        pings = ping.wait()
    bits, other = units.rate_bps(rate), PINGS_PER_S * PING_BYTES * 8
    lost = lost_datagrams(flow.sent, seconds, bits, data_bytes, switches, on, QUEUE_PACKETS, other)
    return {
        "sent": flow.sent,
        "lost": flow.lost,
        "loss_percent": 100 * flow.loss,
        "predicted_loss_percent": 100 * lost / flow.sent,
        "fitting_mbps": fitting_load_bps(bits, data_bytes, switches, on, other) / 1e6,
        "goodput_mbps": flow.goodput_mbps,
        "delay_ms": flow.streams[0].delay_mean_ms,
        "jitter_ms": flow.streams[0].jitter_ms,
        "rtt_ms": pings.rtt_avg_ms,
        "pings_lost": pings.lost,
        **_reported(reader),
    }


@weir.experiment(
    switches=[3, 4, 5],
    telemetry=["off", "on"],
    percent=[99.0, 100.0, 100.5, 101.0, 102.0],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[20],
)
def onset(
    switches: int, telemetry: str, percent: float, rate: str, data_bytes: int, seconds: int, seed: int
) -> dict[str, Any]:
    """Does loss begin at the load that the lengths of the frames predict?

    The load is ``percent`` of the one that fits. Nothing else is in the network.
    """
    on = telemetry == "on"
    bits = units.rate_bps(rate)
    fitting = fitting_load_bps(bits, data_bytes, switches, on)
    bps = round(fitting * percent / 100)
    with network(switches, rate, data_bytes=data_bytes, telemetry=on, seed=seed) as net:
        reader = read_reports(net)
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{bps}bit", length=f"{data_bytes}B", duration=f"{seconds}s", interval=None
        )
        net.run_for("1s")
    return {
        "fitting_mbps": fitting / 1e6,
        "mbps": bps / 1e6,
        "sent": flow.sent,
        "lost": flow.lost,
        "predicted_lost": lost_datagrams(flow.sent, seconds, bits, data_bytes, switches, on, QUEUE_PACKETS),
        "goodput_mbps": flow.goodput_mbps,
        **_reported(reader),
    }


def _reported(reader: ReportReader) -> dict[str, int | None]:
    """How many reports came back, and the longest queue in them; None without reports."""
    lengths = [hop.queue_length for _, _, report in reader.reports for hop in report.hops]
    return {
        "reports": len(reader.reports),
        "bad_reports": reader.bad,
        "longest_queue": max(lengths, default=None),
    }

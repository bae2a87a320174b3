"""Bandwidth, latency, jitter and loss by load and number of switches (thesis, test 1)."""

from __future__ import annotations

from typing import Any

import weir
from weir import units
from weir.lab import one_of
from weir.network import WorldName

from .chain import QUEUE_PACKETS, network
from .measure import PING_BPS, flow_numbers, report_numbers, start_ping
from .reader import read_reports
from .theory import fitting_load_bps, frames_on_links, lost_datagrams


@weir.experiment(
    switches=[3, 4, 5],
    telemetry=["off", "on"],
    mbps=[1.0, 2.0, 3.0, 4.0, 5.0, 5.5, 5.7, 5.8, 6.0],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[20],
    seeds=6,
)
def load(
    switches: int, telemetry: str, mbps: float, rate: str, data_bytes: int, seconds: int, seed: int
) -> dict[str, Any]:
    """What does telemetry cost at each load and number of switches?"""
    return measure_load(switches, telemetry, mbps, rate, data_bytes, seconds, seed)


def measure_load(
    switches: int,
    telemetry: str,
    mbps: float,
    rate: str,
    data_bytes: int,
    seconds: int,
    seed: int,
    world: WorldName = "virtual",
    switch: str = "weir",
) -> dict[str, Any]:
    """Takes the measurements of :func:`load` in a world; see :func:`~.chain.network`."""
    noise = "realistic" if world == "virtual" else "none"
    every = int(one_of("telemetry", telemetry, "off", "on") == "on")
    with network(switches, rate, every=every, seed=seed, noise=noise, world=world, switch=switch) as net:
        reader = read_reports(net)
        ping = start_ping(net, seconds)
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{mbps}Mbit", length=f"{data_bytes}B", duration=f"{seconds}s", interval=None
        )
        pings = ping.wait()
        if world == "linux":
            # The reports that are still in flight arrive in this time.
            net.run_for("500ms")
    bits, frames = units.rate_bps(rate), frames_on_links(data_bytes, switches, every)
    lost = lost_datagrams(flow.sent, seconds, bits, frames, QUEUE_PACKETS, PING_BPS)
    return {
        **flow_numbers(flow, pings),
        "predicted_loss_percent": 100 * lost / flow.sent,
        "fitting_mbps": fitting_load_bps(bits, data_bytes, switches, every, PING_BPS) / 1e6,
        **report_numbers(reader),
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

    The load is ``percent`` of the largest load that fits. No other traffic is in the network.
    """
    every = int(one_of("telemetry", telemetry, "off", "on") == "on")
    bits, frames = units.rate_bps(rate), frames_on_links(data_bytes, switches, every)
    fitting = fitting_load_bps(bits, data_bytes, switches, every)
    bps = round(fitting * percent / 100)
    with network(switches, rate, every=every, seed=seed) as net:
        reader = read_reports(net)
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{bps}bit", length=f"{data_bytes}B", duration=f"{seconds}s", interval=None
        )
        net.run_for("1s")
    return {
        "largest_frame": max(frames),
        "fitting_mbps": fitting / 1e6,
        "mbps": bps / 1e6,
        "sent": flow.sent,
        "lost": flow.lost,
        "predicted_lost": lost_datagrams(flow.sent, seconds, bits, frames, QUEUE_PACKETS),
        "goodput_mbps": flow.goodput_mbps,
        **report_numbers(reader),
    }

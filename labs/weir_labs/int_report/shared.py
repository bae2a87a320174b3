"""Test 1 on one shared computer: the load that chains of switches carry with and without INT."""

from __future__ import annotations

from typing import Any

import weir
from weir.lab import one_of

from .chain import network
from .measure import flow_numbers, report_numbers, start_ping
from .reader import read_reports


@weir.experiment(
    switches=[3, 4, 5],
    telemetry=["off", "on"],
    mbps=[3.0, 4.0, 4.5, 5.0, 5.5],
    slower=[1.0, 12.0, 14.0, 16.0, 18.0],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[5],
    computer=["bmv2-two-processors"],
)
def shared_computer(
    switches: int,
    telemetry: str,
    mbps: float,
    slower: float,
    rate: str,
    data_bytes: int,
    seconds: int,
    computer: str,
    seed: int,
) -> dict[str, Any]:
    """Does telemetry cost throughput if all switches share one computer?

    The computer is ``slower`` times slower than the fitted one.
    """
    every = int(one_of("telemetry", telemetry, "off", "on") == "on")
    shared = weir.Computer.named(computer).scaled(slower)
    with network(switches, rate, every=every, seed=seed, computer=shared) as net:
        reader = read_reports(net)
        ping = start_ping(net, seconds)
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{mbps}Mbit", length=f"{data_bytes}B", duration=f"{seconds}s", interval=None
        )
        pings = ping.wait()
    return {**flow_numbers(flow, pings), **report_numbers(reader)}

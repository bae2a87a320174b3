"""The measured figures of a chain: round trips, UDP and TCP throughput."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import weir

DATAGRAM_BYTES: Final = 1400
"""The payload of a datagram in bytes."""

RATES_MBPS: Final = (30, 40, 50, 62, 78, 98, 122, 153, 191, 238, 298, 372, 465, 581, 726)
"""The rates in Mbit/s at which datagrams are sent, one after the other."""

_MAX_LOSS: Final = 0.4
"""The share of lost datagrams after which higher rates are not tried."""


@dataclass(frozen=True)
class Figures:
    """The measured numbers of a chain.

    Attributes:
        rtt_min_ms: the shortest round trip of a ping, in milliseconds.
        rtt_avg_ms: the mean round trip.
        udp_mbps: the highest goodput of datagrams of 1400 bytes at any of the rates that are
            offered, in Mbit/s.
        tcp_mbps: the goodput of a TCP flow.
    """

    rtt_min_ms: float
    rtt_avg_ms: float
    udp_mbps: float
    tcp_mbps: float


def measure(net: weir.Network, *, pings: int, seconds: float) -> Figures:
    """Measures an idle chain of the virtual world.

    Args:
        net: the network.
        pings: the number of pings, 20 ms apart.
        seconds: the duration of each UDP flow; TCP has four times as long.
    """
    h1 = net.host("h1")
    shortest, mean = measure_round_trips(net, pings)

    def goodput(mbps: int) -> tuple[float, float]:
        flow = h1.iperf(
            "h2",
            udp=True,
            rate=f"{mbps}Mbit",
            length=f"{DATAGRAM_BYTES}B",
            duration=f"{seconds}s",
            interval=None,
        )
        net.run_for("200ms")
        return flow.goodput_mbps, flow.loss

    udp = highest_goodput(goodput)
    return Figures(shortest, mean, udp, measure_tcp(net, 4 * seconds))


def measure_round_trips(net: weir.Network, pings: int) -> tuple[float, float]:
    """Measures the shortest and the mean round trip of pings, 20 ms apart, in milliseconds."""
    trips = net.host("h1").ping("h2", count=pings, interval="20ms", size=56)
    if trips.rtt_min_ms is None or trips.rtt_avg_ms is None:
        raise ValueError("no ping was answered")
    return trips.rtt_min_ms, trips.rtt_avg_ms


def measure_tcp(net: weir.Network, seconds: float) -> float:
    """Measures the goodput of a TCP flow in Mbit/s."""
    return net.host("h1").iperf("h2", duration=f"{seconds}s", interval=None).goodput_mbps


def highest_goodput(goodput: Callable[[int], tuple[float, float]]) -> float:
    """Finds the highest goodput at any of the rates, in Mbit/s.

    Args:
        goodput: a function that sends at a rate in Mbit/s, and returns the goodput and the share
            that is lost.
    """
    best = 0.0
    for rate in RATES_MBPS:
        mbps, loss = goodput(rate)
        best = max(best, mbps)
        if loss > _MAX_LOSS:
            break
    return best

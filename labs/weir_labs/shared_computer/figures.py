"""What is measured of a chain, by the same calls in both worlds: round trips, UDP, TCP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import weir

DATAGRAM_BYTES: Final = 1400
"""The payload of a datagram."""

_LOSS_PERCENT: Final = 1.0
"""The loss up to which a rate counts as carried."""

_HIGHEST_MBPS: Final = 2000.0
_STEPS: Final = 7
"""Steps of the search for the highest rate: it ends within 2 %."""


@dataclass(frozen=True)
class Figures:
    """The figures of a chain.

    Attributes:
        rtt_min_ms: the shortest round trip of a ping, in milliseconds.
        rtt_avg_ms: the mean round trip.
        udp_mbps: the highest rate of datagrams of 1400 bytes of which at most 1 % is lost, in
            Mbit/s of payload.
        tcp_mbps: the goodput of a TCP flow.
    """

    rtt_min_ms: float
    rtt_avg_ms: float
    udp_mbps: float
    tcp_mbps: float


def measure(net: weir.Network, *, pings: int, seconds: float, tries: int = 1, near: float = 0.0) -> Figures:
    """Measures an idle chain.

    Args:
        net: the network.
        pings: the number of pings, 20 ms apart.
        seconds: the duration of each flow.
        tries: how often a rate may lose more before it counts as too high: on a real computer,
            other work may take the processors for a moment.
        near: about the highest rate in Mbit/s, where the search begins; 0 if it is not known.
    """
    h1 = net.host("h1")
    trips = h1.ping("h2", count=pings, interval="20ms", size=56)
    if not trips.received:
        raise ValueError("no ping was answered")
    low, high = (near / 4, near * 4) if near else (0.2, _HIGHEST_MBPS)
    steps = _STEPS if near else _STEPS + 4
    for _ in range(steps):
        rate = (low * high) ** 0.5
        if _carries(net, rate, seconds, tries):
            low = rate
        else:
            high = rate
    net.run_for("1s")
    tcp = h1.iperf("h2", duration=f"{2 * seconds}s", interval=None)
    net.run_for("1s")
    return Figures(float(trips.rtt_min_ms), float(trips.rtt_avg_ms), (low * high) ** 0.5, tcp.goodput_mbps)


def _carries(net: weir.Network, mbps: float, seconds: float, tries: int) -> bool:
    """Whether a rate of datagrams passes the chain."""
    for _ in range(tries):
        flow = net.host("h1").iperf(
            "h2",
            udp=True,
            rate=f"{round(mbps * 1e6)}bit",
            length=f"{DATAGRAM_BYTES}B",
            duration=f"{seconds}s",
            interval=None,
        )
        net.run_for("200ms")
        sent = flow.sent * DATAGRAM_BYTES * 8 / seconds / 1e6
        # A sender that does not keep up shows that hosts are the limit.
        if flow.lost <= _LOSS_PERCENT / 100 * flow.sent and sent > 0.97 * mbps:
            return True
    return False

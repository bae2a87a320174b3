"""The lab's experiments in both worlds, the virtual one and real Linux hosts (``--world linux``).

Switches of the Linux world have no model of BMv2's times: a pass takes as long as this computer
needs. For comparison, the virtual world uses the profile ``modern``, whose passes take a
microsecond.
"""

from __future__ import annotations

from typing import Any, Final

import weir
from weir import units

from .chain import link_rate, network, recirculate
from .custom import measure_custom
from .machines import MACHINES
from .rtt import DATA_BYTES
from .theory import rtt_ms

MODERN: Final = MACHINES["modern"]
"""The machine of the virtual world."""

_SHORTEST_INTERVAL_MS: Final = 5


@weir.experiment(
    world=["virtual", "linux"],
    rate=["unlimited", "10Mbit", "1Mbit"],
    x=[0, 1, 3, 7, 15],
    switches=[1],
    pings=[100],
    switch=["weir"],
)
def rtt(world: str, rate: str, x: int, switches: int, pings: int, switch: str, seed: int) -> dict[str, Any]:
    """How long is a round trip if the switch recirculates each packet X times?"""
    bits = link_rate(rate)
    expected = rtt_ms(MODERN, x, None if bits is None else units.rate_bps(bits), switches)
    interval_ms = max(_SHORTEST_INTERVAL_MS, round(1.5 * expected))
    with network("delay", MODERN, switches=switches, rate=bits, seed=seed, world=world, switch=switch) as net:
        recirculate(net, x)
        trips = net.host("h1").ping("h2", count=pings, size=DATA_BYTES, interval=f"{interval_ms}ms")
    return {
        "received": trips.received,
        "lost": trips.sent - trips.received,
        "rtt_min_ms": trips.rtt_min_ms,
        "rtt_median_ms": trips.rtts.percentile(50),
        "theory_ms": expected,
        "ttl": min((reply.ttl for reply in trips.replies if reply.ttl is not None), default=None),
    }


@weir.experiment(
    world=["virtual", "linux"], x=[0, 1, 3, 7, 15], switches=[1, 2], packets=[100], switch=["weir"]
)
def custom(world: str, x: int, switches: int, packets: int, switch: str, seed: int) -> dict[str, Any]:
    """Can a switch delay some packets without delaying others?"""
    with network("custom", MODERN, switches=switches, seed=seed, world=world, switch=switch) as net:
        return measure_custom(net, x, packets, "10ms")


@weir.experiment(
    world=["virtual", "linux"],
    link=["10Mbit"],
    mbps=[5.0, 9.0, 12.0],
    x=[0, 15],
    seconds=[5],
    switch=["weir"],
    seeds=3,
)
def udp_throughput(
    world: str, link: str, mbps: float, x: int, seconds: float, switch: str, seed: int
) -> dict[str, Any]:
    """How much UDP traffic arrives if the switch recirculates each packet X times?"""
    with network("delay", MODERN, rate=link_rate(link), seed=seed, world=world, switch=switch) as net:
        recirculate(net, x)
        flow = net.host("h1").iperf("h2", udp=True, rate=f"{mbps}Mbit", duration=f"{seconds}s", interval=None)
    return {
        "goodput_mbps": flow.goodput_mbps,
        "loss_percent": 100 * flow.loss,
        "delay_ms": flow.streams[0].delay_mean_ms,
    }


@weir.experiment(
    world=["virtual", "linux"], link=["25Mbit", "10Mbit"], x=[0, 3, 15], seconds=[5], switch=["weir"], seeds=3
)
def tcp_throughput(world: str, link: str, x: int, seconds: float, switch: str, seed: int) -> dict[str, Any]:
    """What is the TCP throughput if the switch recirculates each packet X times?"""
    with network("delay", MODERN, rate=link_rate(link), seed=seed, world=world, switch=switch) as net:
        recirculate(net, x)
        flow = net.host("h1").iperf("h2", duration=f"{seconds}s", interval=None)
    return {
        "goodput_mbps": flow.goodput_mbps,
        "retransmits": sum(stream.retransmits for stream in flow.streams),
    }

"""UDP throughput and loss by recirculations and sending rate (thesis, figures 5.19, 5.20)."""

from __future__ import annotations

from typing import Any

import weir

from .chain import link_rate, network, recirculate
from .machines import machine


@weir.experiment(
    profile=["bmv2-vm"],
    link=["unlimited", "10Mbit"],
    mbps=[1.0, 2.0, 4.0, 8.0, 9.5, 10.0],
    x=[0, 1, 3, 7, 15],
    switches=[1],
    seconds=[10],
    seeds=30,
)
def udp_throughput(
    profile: str, link: str, mbps: float, x: int, switches: int, seconds: int, seed: int
) -> dict[str, Any]:
    """How much UDP traffic arrives if the switch recirculates each packet X times?"""
    model = machine(profile)
    rate = link_rate(link)
    with network("delay", model, switches=switches, rate=rate, seed=seed, noise="realistic") as net:
        recirculate(net, x)
        flow = net.host("h1").iperf("h2", udp=True, rate=f"{mbps}Mbit", duration=f"{seconds}s", interval=None)
        drops = {drop.reason: drop.packets for drop in net.audit().drops}
    return {
        "goodput_mbps": flow.goodput_mbps,
        "sent": flow.sent,
        "lost": flow.lost,
        "loss_percent": 100 * flow.loss,
        "delay_ms": flow.streams[0].delay_mean_ms,
        "dropped_in_switch": drops.get("input queue full", 0),
        "load_per_s": flow.sent / seconds * (x + 1),
        "capacity_per_s": model.capacity,
    }

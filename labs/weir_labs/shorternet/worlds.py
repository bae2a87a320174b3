"""Runs Shorternet between real Linux hosts, and in the virtual world (``--world linux``).

Shorternet frames have no Ethernet header. Kernels neither make nor read them, so programs on hosts
send and receive them at packet sockets.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weir
from weir import units
from weir.network import WorldName

from .frames import payload_bytes
from .path import LINKS, network, receiver
from .traffic import Sender, headers, random_text, start_receiver

_DRAIN_TIME: Final = "1s"
_MAX_SLOWDOWN: Final = 10


@weir.experiment(
    world=["virtual", "linux"],
    length=[74, 300, 1000, 1500],
    stack=["shorternet", "standard"],
    switch=["weir"],
    packets=[500],
    per_second=[100],
    rate=["10Mbit"],
    seeds=3,
)
def benchmark(
    world: WorldName,
    length: int,
    stack: str,
    switch: str,
    packets: int,
    per_second: int,
    rate: str,
    seed: int,
) -> dict[str, Any]:
    """What does a shorter header gain at equal packet length, also between real hosts?"""
    target, payload = receiver(1, pairs=1), payload_bytes(stack, length)
    text, gap_ns = random_text(stack, length, seed), 1_000_000_000 // per_second
    with network(stack, rate, seed=seed, world=world, switch=switch) as net:
        arrived = start_receiver(net, stack, target, length, text)
        frame = headers(net, stack, 1, target, payload)
        sender = net.host("h1").run(Sender(frame, text, 1, packets, lambda: gap_ns))
        end_ns = net.now_ns + _MAX_SLOWDOWN * packets * gap_ns
        # A busy computer may send later than planned.
        while sender.sent < packets and net.now_ns < end_ns:
            net.run_for(f"{gap_ns}ns")
        net.run_for(_DRAIN_TIME)
    flow = arrived.flows.get(1)
    sent = np.array([] if flow is None else flow.sent_ns)
    arrivals = np.array([] if flow is None else flow.arrived_ns)
    latency_ms = (arrivals - sent) / 1e6
    return {
        "payload_bytes": payload,
        "sent": sender.sent,
        "lost": sender.sent - len(arrivals),
        "changed": arrived.changed,
        "payload_percent": 100 * payload / length,
        "latency_min_ms": float(latency_ms.min()) if len(latency_ms) else None,
        "latency_median_ms": float(np.median(latency_ms)) if len(latency_ms) else None,
        "links_ms": LINKS * length * 8e3 / units.rate_bps(rate),
    }

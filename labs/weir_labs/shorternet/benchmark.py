"""Effective bandwidth, latency, jitter and loss by packet length (thesis, section 3.2.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

import weir
from weir import units
from weir.lab import within

from .frames import payload_bytes
from .path import network, pass_ns, receiver
from .theory import latency_ns
from .traffic import PACKETS, Sender, headers, random_text, start_receiver


@weir.experiment(
    length=[74, 100, 150, 200, 300, 450, 694, 850, 1100, 1514, 2000, 3000, 4500, 9000],
    stack=["shorternet", "standard"],
    packets=[100_000],
    per_second=[1000],
    rate=["1Gbit"],
    profile=["bmv2-vm"],
)
def benchmark(
    length: int, stack: str, packets: int, per_second: int, rate: str, profile: str, seed: int
) -> dict[str, Any]:
    """What does a shorter header gain at equal packet length?

    h1 sends packets at a constant rate to the host at the other end of three switches.
    """
    within("packets", packets, PACKETS)
    if per_second < 1:
        raise ValueError(f"per_second={per_second}: expected 1 or more")
    target, payload = receiver(1, pairs=1), payload_bytes(stack, length)
    text, gap_ns = random_text(stack, length, seed), 1_000_000_000 // per_second
    with network(stack, rate, profile=profile, seed=seed) as net:
        arrived = start_receiver(net, stack, target, length, text)
        sender = net.host("h1").run(
            Sender(headers(net, stack, 1, target, payload), text, 1, packets, lambda: gap_ns)
        )
        net.run_for(f"{packets * gap_ns}ns")
        net.run_for("1s")
    flow = arrived.flows[1]
    arrivals = np.array(flow.arrived_ns)
    latency_ms = (arrivals - np.array(flow.sent_ns)) / 1e6
    # The clock starts at the first arrival.
    seconds = (arrivals.max() - arrivals.min()) / 1e9
    return {
        "payload_bytes": payload,
        "sent": sender.sent,
        "lost": sender.sent - len(arrivals),
        "late": flow.late,
        "changed": arrived.changed,
        "bandwidth_bytes_s": (len(arrivals) - 1) * payload / seconds,
        "latency_ms": float(latency_ms.mean()),
        "latency_min_ms": float(latency_ms.min()),
        "latency_max_ms": float(latency_ms.max()),
        "jitter_ms": round(float(latency_ms.std()), 9),
        "predicted_ms": latency_ns(length, units.rate_bps(rate), pass_ns(profile)) / 1e6,
    }

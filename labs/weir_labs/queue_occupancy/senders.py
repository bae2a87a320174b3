"""The experiment "senders": congestion controls, and queues of different lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

import weir

from .measure import observe


@weir.experiment(
    congestion=["cubic", "reno", "bbr"],
    queue=[16, 64, 256],
    mtu=["9000B"],
    rate=["10Mbit"],
    probe_ms=[100.0],
    idle_s=[2],
    busy_s=[40],
    seeds=5,
)
def senders(
    congestion: str, queue: int, mtu: str, rate: str, probe_ms: float, idle_s: int, busy_s: int, seed: int
) -> dict[str, Any]:
    """How many packets do two flows keep in a queue, by congestion control and queue length?"""
    observations = observe(
        2,
        congestion=congestion,
        mtu=mtu,
        rate=rate,
        queue=queue,
        probe_ms=probe_ms,
        idle_s=idle_s,
        busy_s=busy_s,
        seed=seed,
    )
    busy = observations.busy_probes
    return {
        "depth_mean": float(np.mean([probe.depth for probe in busy])),
        "depth_max": max(probe.depth for probe in busy),
        "longest_queue": int(observations.queue.max()),
        "delay_ms": float(np.mean([probe.delay_ms for probe in busy])),
        "delay_max_ms": max(probe.delay_ms for probe in busy),
        "goodput_mbps": sum(flow.goodput_mbps for flow in observations.flows),
        "retransmits": sum(flow.retransmits for flow in observations.flows),
        "probes": observations.table.select("sent_s", "depth"),
    }

"""The experiment "sampling": the error of probes, and their own share of the queue."""

from __future__ import annotations

from typing import Any

import numpy as np

import weir
from weir import units

from .measure import observe
from .probes import PROBE_BYTES, TELEMETRY_BYTES


@weir.experiment(
    probe_ms=[5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0],
    congestion=["cubic"],
    mtu=["9000B"],
    rate=["10Mbit"],
    queue=[64],
    idle_s=[2],
    busy_s=[40],
    seeds=5,
)
def sampling(
    probe_ms: float, congestion: str, mtu: str, rate: str, queue: int, idle_s: int, busy_s: int, seed: int
) -> dict[str, Any]:
    """How accurately do probes show a queue, depending on the time between probes?

    In each millisecond, the depth in the last probe that has arrived is compared with the queue's
    current length in the simulator.
    """
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
    times = np.arange(observations.start_s * 1000, observations.end_s * 1000)
    truth = observations.queue[times]
    arrivals = np.array([probe.arrived_ns / 1e6 for probe in observations.probes])
    depths = np.array([probe.depth for probe in observations.probes])
    # The probes of the idle time arrive before the first of these times.
    held = depths[np.searchsorted(arrivals, times, side="right") - 1]
    probe_bps = (PROBE_BYTES + TELEMETRY_BYTES) * 8e3 / probe_ms
    return {
        "load_percent": 100 * probe_bps / units.rate_bps(rate),
        "sent": observations.sent,
        "lost": observations.sent - len(observations.probes),
        "queue_mean": float(truth.mean()),
        "queue_max": int(truth.max()),
        "seen_mean": float(np.mean([probe.depth for probe in observations.busy_probes])),
        "seen_max": max(probe.depth for probe in observations.busy_probes),
        "error_packets": float(np.abs(held - truth).mean()),
        "goodput_mbps": sum(flow.goodput_mbps for flow in observations.flows),
    }

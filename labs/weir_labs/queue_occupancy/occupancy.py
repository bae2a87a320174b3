"""The experiment of the slides, with probes in an idle network and during one or two TCP flows."""

from __future__ import annotations

from typing import Any

import numpy as np

import weir
from weir import units

from .measure import correlation, ms_per_packet, observe
from .probes import PROBE_BYTES, TELEMETRY_BYTES


@weir.experiment(
    flows=[1, 2],
    congestion=["cubic"],
    mtu=["9000B"],
    rate=["10Mbit"],
    queue=[64],
    probe_ms=[100.0],
    idle_s=[10],
    busy_s=[30],
    seeds=10,
)
def occupancy(
    flows: int,
    congestion: str,
    mtu: str,
    rate: str,
    queue: int,
    probe_ms: float,
    idle_s: int,
    busy_s: int,
    seed: int,
) -> dict[str, Any]:
    """How long is the longest queue on a probe's path, and how long is the probe's delay?

    One flow does not fill a switch's queue, because the host's own link is as slow as all others.
    Two flows share a queue of s1.
    """
    observations = observe(
        flows,
        congestion=congestion,
        mtu=mtu,
        rate=rate,
        queue=queue,
        probe_ms=probe_ms,
        idle_s=idle_s,
        busy_s=busy_s,
        seed=seed,
    )
    idle, busy = observations.idle_probes, observations.busy_probes
    frame = 14 + units.size_bytes(mtu)
    return {
        "sent": observations.sent,
        "arrived": len(observations.probes),
        "invalid": observations.invalid,
        "idle_probes": len(idle),
        "idle_depth_max": max(probe.depth for probe in idle),
        "idle_delay_ms": float(np.mean([probe.delay_ms for probe in idle])),
        "least_delay_ms": _least_delay_ms(rate),
        "busy_probes": len(busy),
        "busy_depth_mean": float(np.mean([probe.depth for probe in busy])),
        "busy_depth_max": max(probe.depth for probe in busy),
        "busy_delay_ms": float(np.mean([probe.delay_ms for probe in busy])),
        "busy_delay_max_ms": max(probe.delay_ms for probe in busy),
        "longest_queue": int(observations.queue.max()),
        "correlation": correlation(observations.probes),
        "busy_correlation": correlation(busy),
        "ms_per_packet": ms_per_packet(observations.probes),
        "frame_ms": frame * 8e3 / units.rate_bps(rate),
        "goodput_mbps": sum(flow.goodput_mbps for flow in observations.flows),
        "probes": observations.table,
    }


def _least_delay_ms(rate: str) -> float:
    """Computes the delay in ms of a probe that never waits, over four links.

    On the last three links, the probe carries telemetry.
    """
    sizes = PROBE_BYTES + 3 * (PROBE_BYTES + TELEMETRY_BYTES)
    return sizes * 8e3 / units.rate_bps(rate)

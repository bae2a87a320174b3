"""The experiment with probes and competing flows in both worlds (``--world linux``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import weir
from weir import units
from weir.network import WorldName

from .chain import network
from .measure import PAIRS, correlation, ms_per_packet
from .probes import start_probes


@weir.experiment(
    world=["virtual", "linux"],
    flows=[1, 2],
    switch=["weir"],
    congestion=["cubic"],
    mtu=["1500B"],
    rate=["10Mbit"],
    queue=[64],
    probe_ms=[50.0],
    idle_s=[2],
    busy_s=[8],
    seeds=3,
)
def occupancy(
    world: WorldName,
    flows: int,
    switch: str,
    congestion: str,
    mtu: str,
    rate: str,
    queue: int,
    probe_ms: float,
    idle_s: int,
    busy_s: int,
    seed: int,
) -> dict[str, Any]:
    """How long is the longest queue on a probe's path, before and while TCP flows compete?

    Probes report the number of packets in switches' queues. In the Linux world these queues drain
    at the rate of the link. The queues of ``simple_switch`` drain at a rate in packets per second,
    which is the number of full frames that the link can carry.
    """
    with network(rate, mtu, queue, seed=seed, world=world, switch=switch) as net:
        prober, reader = start_probes(net, f"{round(probe_ms * 1e6)}ns")
        net.run_for(f"{idle_s}s")
        started = [
            net.host(source).start_iperf(
                target, duration=f"{busy_s}s", congestion=congestion, interval=None, mss=_mss(mtu)
            )
            for source, target in PAIRS[:flows]
        ]
        net.wait(*started)
        net.run_for("1s")
        streams = [flow.result().streams[0] for flow in started]
    first_ns, last_ns = min(stream.start_ns for stream in streams), max(stream.end_ns for stream in streams)
    # Processes of real hosts do not start at the same time, so only the time in which all of them
    # send counts.
    busy_ns, end_ns = max(stream.start_ns for stream in streams), min(stream.end_ns for stream in streams)
    idle = [probe for probe in reader.probes if probe.sent_ns < first_ns]
    busy = [probe for probe in reader.probes if busy_ns <= probe.sent_ns < end_ns]
    depth_delay_correlation = correlation(busy)
    return {
        "sent": prober.sent,
        "lost_probes": prober.sent - len(reader.probes),
        "invalid": reader.invalid,
        "idle_depth_max": max((probe.depth for probe in idle), default=None),
        "idle_delay_ms": _mean([probe.delay_ms for probe in idle]),
        "busy_depth_mean": _mean([float(probe.depth) for probe in busy]),
        "busy_depth_max": max((probe.depth for probe in busy), default=None),
        "busy_delay_ms": _mean([probe.delay_ms for probe in busy]),
        "correlation": depth_delay_correlation,
        "ms_per_packet": None if depth_delay_correlation is None else ms_per_packet(busy),
        "goodput_mbps": sum(stream.bytes for stream in streams) * 8e3 / (last_ns - first_ns),
        "probes": pl.DataFrame(
            {
                "time_s": [(probe.sent_ns - busy_ns) / 1e9 for probe in reader.probes],
                "depth": [probe.depth for probe in reader.probes],
                "delay_ms": [probe.delay_ms for probe in reader.probes],
            },
            schema={"time_s": pl.Float64, "depth": pl.Int64, "delay_ms": pl.Float64},
        ),
    }


def _mss(mtu: str) -> str:
    """Formats the payload of a full segment without options, such as ``1460B``."""
    return f"{units.size_bytes(mtu) - 40}B"


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None

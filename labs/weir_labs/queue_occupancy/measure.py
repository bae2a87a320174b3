"""The measurement of all experiments: probes before, during and after colliding flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

import weir
from weir.flows import TcpFlow
from weir.lab import within

from .chain import BOTTLENECK, network
from .probes import Probe, start_probes

PAIRS: Final = (("h1", "h3"), ("h2", "h4"))
"""The sender and the receiver of each flow."""

FLOWS: Final = range(1, len(PAIRS) + 1)
"""The numbers of flows."""

IDLE_S: Final = range(2, 86_401)
"""The seconds of the idle time, in which several probes must arrive."""

BUSY_S: Final = range(1, 86_401)
"""The seconds for which the flows send."""

QUEUES: Final = range(1, 1_000_001)
"""The capacities of a queue in packets."""

IDLE_LINUX_S: Final = range(1, 86_401)
"""The seconds of the idle time between real hosts, in which a probe must arrive."""


@dataclass(frozen=True)
class Observations:
    """The observations of a run.

    Attributes:
        sent: the number of probes sent.
        invalid: the number of frames with telemetry that were not valid probes.
        probes: the probes that arrived.
        start_s: the time in seconds at which the flows began.
        end_s: the time in seconds at which the flows ended.
        flows: the results of the flows.
        pings: the pings of h1 to h3 during the whole run.
        queue: the number of packets in the bottleneck's queue in each millisecond, from the
            simulator.
    """

    sent: int
    invalid: int
    probes: list[Probe]
    start_s: int
    end_s: int
    flows: list[weir.FlowResult]
    pings: weir.PingResult
    queue: np.ndarray[tuple[int], np.dtype[np.int64]]

    @property
    def idle_probes(self) -> list[Probe]:
        """The probes sent before the flows began."""
        return [probe for probe in self.probes if probe.sent_ns < self.start_s * 10**9]

    @property
    def busy_probes(self) -> list[Probe]:
        """The probes sent while the flows sent."""
        return [probe for probe in self.probes if self.start_s * 10**9 <= probe.sent_ns < self.end_s * 10**9]

    @property
    def table(self) -> pl.DataFrame:
        """A table with a row for each probe that arrived."""
        return pl.DataFrame(
            {
                "sent_s": [probe.sent_ns / 1e9 for probe in self.probes],
                "depth": [probe.depth for probe in self.probes],
                "delay_ms": [probe.delay_ms for probe in self.probes],
            },
            schema={"sent_s": pl.Float64, "depth": pl.Int64, "delay_ms": pl.Float64},
        )


def observe(
    flows: int,
    *,
    congestion: str,
    mtu: str,
    rate: str,
    queue: int,
    probe_ms: float,
    idle_s: int,
    busy_s: int,
    seed: int,
) -> Observations:
    """Probes the path from h1 to h3 while it is idle, while flows use it, and after the flows end.

    Args:
        flows: the number of TCP flows, one of :data:`FLOWS`.
        congestion: the flows' congestion control.
        mtu: the MTU of the hosts.
        rate: the rate of the links.
        queue: the capacity in packets of the queue at each end of a link, one of :data:`QUEUES`.
        probe_ms: the time from a probe to the next.
        idle_s: the idle time before the flows, and again after them, one of :data:`IDLE_S`.
        busy_s: how long the flows send, one of :data:`BUSY_S`.
        seed: the seed of all random numbers.

    Raises:
        WeirError: a number is out of range.
        ValueError: the time between two probes is out of range.
    """
    within("flows", flows, FLOWS)
    within("idle_s", idle_s, IDLE_S)
    within("busy_s", busy_s, BUSY_S)
    within("queue", queue, QUEUES)
    read_probe_interval(probe_ms)
    total = busy_s + 2 * idle_s
    started: list[TcpFlow] = []
    with network(rate, mtu, queue, seed=seed, noise="realistic") as net:

        def start() -> None:
            for source, target in PAIRS[:flows]:
                started.append(
                    net.host(source).start_iperf(
                        target, duration=f"{busy_s}s", congestion=congestion, interval=None
                    )
                )

        prober, reader = start_probes(net, f"{round(probe_ms * 1e6)}ns")
        ping = net.host("h1").start_ping("h3", count=total, interval="1s")
        sampler = net.sample(BOTTLENECK, "1ms")
        net.at(f"{idle_s}s", start)
        net.run_for(f"{total}s")
        return Observations(
            prober.sent,
            reader.invalid,
            reader.probes,
            idle_s,
            idle_s + busy_s,
            [flow.result() for flow in started],
            ping.result(),
            np.array(sampler.switch_queue().values),
        )


def read_probe_interval(probe_ms: float) -> float:
    """Checks the time between two probes, in milliseconds.

    Raises:
        ValueError: the time is not above 0, or above a second.
    """
    if not 0 < probe_ms <= 1000:
        raise ValueError(f"probe_ms={probe_ms:g}: expected more than 0, and 1000 at most")
    return probe_ms


def correlation(probes: list[Probe]) -> float | None:
    """Computes Pearson's correlation of queue depth and delay; returns ``None`` if one of them is
    constant."""
    depths = np.array([probe.depth for probe in probes], dtype=float)
    delays = np.array([probe.delay_ms for probe in probes])
    if len(probes) < 2 or not depths.std() or not delays.std():
        return None
    return float(np.corrcoef(depths, delays)[0, 1])


def ms_per_packet(probes: list[Probe]) -> float | None:
    """Computes the slope of a line fitted to delay against queue depth, in ms per packet.

    Returns ``None`` if no queue was longer than 1.
    """
    depths = [probe.depth for probe in probes]
    if max(depths, default=0) < 2:
        return None
    return float(np.polyfit(depths, [probe.delay_ms for probe in probes], 1)[0])

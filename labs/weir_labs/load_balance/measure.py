"""Measures four simultaneous flows and their packets, for all experiments of the lab."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address
from typing import Final

import numpy as np
import polars as pl

import weir
from weir.lab import within

from .balancers import LEAST_BYTES, Balancer
from .fabric import PAIRS, PATH_ENDS, PATHS, fabric, program
from .paths import (
    FEEDBACK_TYPE,
    TELEMETRY_TYPE,
    Arrival,
    Flow,
    Notice,
    overtaken_packets,
    read_arrival,
    read_notice,
)

GOOD_MBPS: Final = 9.0
"""The rate above which a flow counts as good, in Mbit/s of frames."""

END_S: Final = 5
"""The length in seconds of the end of a run. A flow's mean rate in this time counts as its rate at
the end."""

SECONDS: Final = range(END_S, 86_401)
"""The lengths of runs in seconds."""

FRAME_PER_PAYLOAD: Final = 9014 / 8948
"""The ratio of a full frame's bytes to its payload.

The headers: Ethernet 14, IPv4 20, TCP 20, timestamps 12.
"""

ARRIVALS: Final = tuple(f"s6-p{PAIRS + 1 + path}" for path in range(PATHS))
"""The ports where the paths end, in the order of the paths."""

SENDERS: Final = tuple(f"h{number}" for number in range(1, PAIRS + 1))
"""The names of the hosts that send."""

DRAIN_NS: Final = 600_000_000
"""The time in nanoseconds within which a moved flow's packets on the old path arrive, at 10 Mbit/s.

A full queue of 64 frames takes 0.46 s.
"""

_PING_MS = 200
PORTS: Final = (1024, 65000)
"""The range from which the flows' ports are drawn at random, as in the slides."""


@dataclass(frozen=True)
class Observations:
    """The observations of a run.

    Attributes:
        seconds: the duration of the flows.
        flows: the results of the flows, from h1's on.
        pings: the pings of each sender to its receiver during the whole run.
        arrivals: the data packets that arrived at s6.
        notices: the feedback packets that arrived at s1.
        queue: the number of packets in the queues of all four paths, every 10 ms, from the
            simulator.
        host_queue: the number of packets in the queues of the four senders, at the same times.
    """

    seconds: int
    flows: list[weir.FlowResult]
    pings: list[weir.PingResult]
    arrivals: list[Arrival]
    notices: list[Notice]
    queue: np.ndarray[tuple[int], np.dtype[np.int64]]
    host_queue: np.ndarray[tuple[int], np.dtype[np.int64]]

    @cached_property
    def keys(self) -> list[Flow]:
        """The flows' addresses and ports."""
        return [
            Flow(
                int(IPv4Address(f"10.1.{number}.2")),
                int(IPv4Address(f"10.6.{number + PAIRS}.2")),
                stream.source_port,
                stream.port,
            )
            for number, stream in enumerate((flow.streams[0] for flow in self.flows), start=1)
        ]

    @cached_property
    def rates(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """The rate of each flow in each second, in Mbit/s of frames."""
        return np.array(
            [
                [interval.goodput_bps / 1e6 * FRAME_PER_PAYLOAD for interval in flow.streams[0].intervals]
                for flow in self.flows
            ]
        )[:, : self.seconds]

    @property
    def end_rates(self) -> list[float]:
        """The mean rate of each flow at the end of the run, in Mbit/s of frames."""
        return [float(rate) for rate in self.rates[:, -END_S:].mean(axis=1)]

    @property
    def run_rates(self) -> list[float]:
        """The rate of each flow in the whole run, in Mbit/s of payload, as iperf3 reports it."""
        return [flow.goodput_mbps for flow in self.flows]

    @property
    def settled_s(self) -> int | None:
        """The second from which on each flow has more than :data:`GOOD_MBPS`; ``None`` if there is
        none."""
        good = self.rates.min(axis=0) > GOOD_MBPS
        if not good[-1]:
            return None
        bad = np.flatnonzero(~good)
        return int(bad[-1]) + 1 if bad.size else 0

    def ping_ms(self, seconds: int) -> float | None:
        """Computes the mean round trip in milliseconds of all answered pings that were sent in the
        last ``seconds``."""
        start = (self.seconds - seconds) * 10**9
        replies = [reply for ping in self.pings for reply in ping.replies if reply.time_ns >= start]
        return mean([reply.rtt_ns / 1e6 for reply in replies if reply.rtt_ns is not None])

    def rtts_ms(self, seconds: int) -> list[float | None]:
        """Computes the mean of each flow's smoothed round-trip time in the last ``seconds``, from
        TCP."""
        last = [flow.streams[0].intervals[self.seconds - seconds : self.seconds] for flow in self.flows]
        return [mean([reply.rtt_ms for reply in replies]) for replies in last]

    @cached_property
    def overtaken_packets(self) -> list[Arrival]:
        """The data packets that were overtaken by later packets of their flow."""
        return overtaken_packets(self.arrivals)

    @cached_property
    def overtaken_without_move(self) -> int:
        """The number of overtaken packets whose flow had not been moved just before."""
        moved = {key: [notice.time_ns for notice in self.notices if notice.flow == key] for key in self.keys}
        return sum(
            not any(0 <= packet.time_ns - time <= DRAIN_NS for time in moved[packet.flow])
            for packet in self.overtaken_packets
        )

    @cached_property
    def table(self) -> pl.DataFrame:
        """A table with a row for each flow and second, with the flow's rate."""
        return pl.DataFrame(
            [
                (number, second, float(rate))
                for number, rates in enumerate(self.rates, start=1)
                for second, rate in enumerate(rates)
            ],
            schema={"flow": pl.Int64, "second": pl.Int64, "mbps": pl.Float64},
            orient="row",
        )

    @cached_property
    def latency(self) -> pl.DataFrame:
        """A table with a row for each second: the mean round trips of TCP and of pings, and the
        mean queues.

        The columns ``queue`` and ``host_queue`` are the numbers of packets in all paths and in all
        senders.
        """
        pings: list[list[float]] = [[] for _ in range(self.seconds)]
        for ping in self.pings:
            for reply in ping.replies:
                if reply.rtt_ns is not None and reply.time_ns < self.seconds * 10**9:
                    pings[reply.time_ns // 10**9].append(reply.rtt_ns / 1e6)
        rtts = [
            mean([flow.streams[0].intervals[second].rtt_ms for flow in self.flows])
            for second in range(self.seconds)
        ]
        return pl.DataFrame(
            {
                "second": range(self.seconds),
                "rtt_ms": rtts,
                "ping_ms": [mean(trips) for trips in pings],
                "queue": _mean_per_second(self.queue, self.seconds),
                "host_queue": _mean_per_second(self.host_queue, self.seconds),
            },
            schema_overrides={"rtt_ms": pl.Float64, "ping_ms": pl.Float64},
        )

    @cached_property
    def ways(self) -> pl.DataFrame:
        """A table with a row for each time that a flow stayed on one path.

        The column ``start_s`` is the time of the first packet on the path, in seconds after the
        flow's first packet.
        """
        rows: list[tuple[int, float, int]] = []
        for number, key in enumerate(self.keys, start=1):
            flow_arrivals = sorted(
                (arrival for arrival in self.arrivals if arrival.flow == key),
                key=lambda arrival: (arrival.sent_ms, arrival.time_ns),
            )
            previous_path = -1
            for arrival in flow_arrivals:
                path = ARRIVALS.index(arrival.end)
                if path != previous_path:
                    rows.append((number, (arrival.sent_ms - flow_arrivals[0].sent_ms) / 1e3, path))
                previous_path = path
        return pl.DataFrame(
            rows, schema={"flow": pl.Int64, "start_s": pl.Float64, "path": pl.Int64}, orient="row"
        )


def observe(
    balancer: Balancer | None,
    *,
    congestion: str,
    rate: str,
    host_rate: str | None = None,
    seconds: int,
    seed: int,
) -> Observations:
    """Sends a TCP flow from each of h1 to h4, to random ports of h5 to h8.

    Args:
        balancer: the scheme that chooses paths; ``None`` for the hash alone.
        congestion: the congestion control.
        rate: the rate of the links.
        host_rate: the rate of the senders' links; ``None`` for ``rate``.
        seconds: the duration of the flows.
        seed: the seed of all random numbers.

    Raises:
        WeirError: a number is out of range.
    """
    within("seconds", seconds, SECONDS)
    ports = random.Random(seed)
    topology = fabric(balancer, rate=rate, host_rate=host_rate or rate)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        sniffer = net.sniff(ARRIVALS, f"ether proto {TELEMETRY_TYPE:#06x} and greater {LEAST_BYTES}")
        feedback = net.sniff(PATH_ENDS, f"ether proto {FEEDBACK_TYPE:#06x}")
        sampler = net.sample([*SENDERS, *PATH_ENDS], "10ms")
        flows, pings = [], []
        for number in range(1, PAIRS + 1):
            host, target = net.host(f"h{number}"), f"h{number + PAIRS}"
            flows.append(
                host.start_iperf(
                    target, duration=f"{seconds}s", congestion=congestion, port=ports.randint(*PORTS)
                )
            )
            pings.append(
                host.start_ping(
                    target, count=seconds * 1000 // _PING_MS, interval=f"{_PING_MS}ms", timeout="1s"
                )
            )
        net.run_for(f"{seconds}s")
        arrivals = [read_arrival(frame) for frame in sniffer.frames if not frame.outbound]
        return Observations(
            seconds,
            [flow.result() for flow in flows],
            [ping.result() for ping in pings],
            [arrival for arrival in arrivals if arrival is not None],
            [read_notice(frame) for frame in feedback.frames if not frame.outbound],
            np.sum([sampler.switch_queue(end).values for end in PATH_ENDS], axis=0),
            np.sum([sampler.queue(end).values for end in SENDERS], axis=0),
        )


def _mean_per_second(samples: np.ndarray[tuple[int], np.dtype[np.int64]], seconds: int) -> list[float]:
    """Computes the mean of samples in each second."""
    each = len(samples) // seconds
    return [float(samples[second * each : (second + 1) * each].mean()) for second in range(seconds)]


def mean(values: Sequence[float | None]) -> float | None:
    """Computes the mean of the values that are not ``None``; returns ``None`` if there are no such
    values."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None

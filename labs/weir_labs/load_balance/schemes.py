"""Experiments with other schemes: ECMP, flowlets, and the path with the least load."""

from __future__ import annotations

import random
from typing import Any, Final

import weir
from weir.lab import within

from .balancers import Balancer, Feedback, Flowlets, LeastLoaded
from .balancing import numbers
from .fabric import program
from .measure import END_S, FRAME_PER_PAYLOAD, GOOD_MBPS, PORTS, SECONDS, mean, observe
from .paths import FEEDBACK_TYPE
from .pods import SENDERS, fat_tree as fat_tree_topology, pairs

SCHEMES: Final = ("ecmp", "flowlets", "feedback", "least-loaded")
"""The schemes: the hash alone, a random path after a gap or after feedback, and the least load by
reports."""


def make_balancer(
    scheme: str, gap: str, threshold: int, timeout: str, percent: int, interval: str
) -> Balancer | None:
    """Creates the scheme for an experiment's parameters; returns ``None`` for the hash alone.

    Raises:
        ValueError: a value is out of range.
        UnitError: a time cannot be read.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme={scheme}: expected one of {', '.join(SCHEMES)}")
    # Values are checked even if the scheme does not use them.
    by_scheme: dict[str, Balancer | None] = {
        "ecmp": None,
        "flowlets": Flowlets(gap),
        "feedback": Feedback("shared", threshold, timeout, percent),
        "least-loaded": LeastLoaded(threshold, interval, timeout),
    }
    return by_scheme[scheme]


@weir.experiment(
    scheme=list(SCHEMES),
    gap=["50ms"],
    threshold=[20],
    timeout=["1s"],
    percent=[20],
    interval=["100ms"],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=20,
)
def schemes(
    scheme: str,
    gap: str,
    threshold: int,
    timeout: str,
    percent: int,
    interval: str,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Which scheme finds four paths for four flows, and at what cost?"""
    balancer = make_balancer(scheme, gap, threshold, timeout, percent, interval)
    return numbers(observe(balancer, congestion=congestion, rate=rate, seconds=seconds, seed=seed))


@weir.experiment(
    gap=["10ms", "20ms", "50ms", "100ms", "200ms"],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=8,
)
def flowlets(gap: str, congestion: str, rate: str, seconds: int, seed: int) -> dict[str, Any]:
    """How long must a gap between packets be before a flow may move?"""
    return numbers(observe(Flowlets(gap), congestion=congestion, rate=rate, seconds=seconds, seed=seed))


@weir.experiment(
    scheme=list(SCHEMES),
    senders=[4, 8, 16],
    gap=["50ms"],
    threshold=[20],
    timeout=["1s"],
    percent=[20],
    interval=["100ms"],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=4,
)
def fat_tree(
    scheme: str,
    senders: int,
    gap: str,
    threshold: int,
    timeout: str,
    percent: int,
    interval: str,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """What rate do the hosts of a fat tree get if each sends to a host of another pod?

    With 16 senders, all hosts send and receive at the rate of their links.
    """
    within("senders", senders, SENDERS)
    within("seconds", seconds, SECONDS)
    balancer = make_balancer(scheme, gap, threshold, timeout, percent, interval)
    topology = fat_tree_topology(balancer, rate=rate)
    ports = random.Random(seed)
    ends = [f"e{pod}_{edge}-p{port}" for pod in range(4) for edge in range(2) for port in (3, 4)]
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        feedback = net.sniff(ends, f"ether proto {FEEDBACK_TYPE:#06x}")
        started = [
            net.host(source).start_iperf(
                target, duration=f"{seconds}s", congestion=congestion, port=ports.randint(*PORTS)
            )
            for source, target in pairs(senders, seed)
        ]
        net.run_for(f"{seconds}s")
        flows = [flow.result() for flow in started]
        last = [flow.streams[0].intervals[seconds - END_S : seconds] for flow in flows]
        rates = [
            sum(interval.bytes for interval in intervals) * 8 / 1e6 / END_S * FRAME_PER_PAYLOAD
            for intervals in last
        ]
        notices = sum(not frame.outbound for frame in feedback.frames)
    return {
        "mean_mbps": sum(rates) / len(rates),
        "slowest_mbps": min(rates),
        "good_percent": 100 * sum(rate > GOOD_MBPS for rate in rates) / len(rates),
        "rtt_ms": mean([interval.rtt_ms for intervals in last for interval in intervals]),
        "retransmits": sum(flow.retransmits for flow in flows),
        "notices": notices,
    }

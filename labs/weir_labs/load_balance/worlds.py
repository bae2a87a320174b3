"""The experiment with four flows and four paths in both worlds (``--world linux``)."""

from __future__ import annotations

import random
from typing import Any

import weir
from weir.lab import switches_of, within
from weir.network import WorldName

from .balancers import LEAST_BYTES
from .balancing import make_feedback
from .fabric import PAIRS, PATH_ENDS, fabric, program
from .measure import ARRIVALS, END_S, FRAME_PER_PAYLOAD, GOOD_MBPS, PORTS, SECONDS, mean
from .paths import FEEDBACK_TYPE, TELEMETRY_TYPE, read_arrival


@weir.experiment(
    world=["virtual", "linux"],
    queues=["off", "all", "shared"],
    switch=["weir"],
    threshold=[20],
    timeout=["1s"],
    percent=[20],
    congestion=["cubic"],
    rate=["10Mbit"],
    seconds=[20],
    seeds=5,
)
def balancing(
    world: WorldName,
    queues: str,
    switch: str,
    threshold: int,
    timeout: str,
    percent: int,
    congestion: str,
    rate: str,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Does each flow of real hosts find a path without other flows?"""
    within("seconds", seconds, SECONDS)
    feedback, ports = make_feedback(queues, threshold, timeout, percent), random.Random(seed)
    kind = switches_of(world, switch)
    topology = fabric(feedback, rate=rate)
    with weir.Network(topology, program(), seed=seed, world=world, switches=kind) as net:
        sniffer = net.sniff(ARRIVALS, f"ether proto {TELEMETRY_TYPE:#06x} and greater {LEAST_BYTES}")
        feedback_frames = net.sniff(PATH_ENDS, f"ether proto {FEEDBACK_TYPE:#06x}")
        started = [
            net.host(f"h{number}").start_iperf(
                f"h{number + PAIRS}",
                duration=f"{seconds}s",
                congestion=congestion,
                port=ports.randint(*PORTS),
            )
            for number in range(1, PAIRS + 1)
        ]
        net.wait(*started)
        flows = [flow.result() for flow in started]
        arrivals = [read_arrival(frame) for frame in sniffer.stop() if not frame.outbound]
        notices = sum(not frame.outbound for frame in feedback_frames.stop())
    last: dict[Any, str] = {arrival.flow: arrival.end for arrival in arrivals if arrival is not None}
    ends = [flow.streams[0].intervals[seconds - END_S : seconds] for flow in flows]
    rates = [
        sum(arrival.bytes for arrival in end_arrivals) * 8 / 1e6 / END_S * FRAME_PER_PAYLOAD
        for end_arrivals in ends
    ]
    return {
        "slowest_mbps": min(rates),
        "total_mbps": sum(rates),
        "good": int(min(rates) > GOOD_MBPS),
        "paths_at_end": len(set(last.values())),
        "rtt_ms": mean([arrival.rtt_ms for end_arrivals in ends for arrival in end_arrivals]),
        "notices": notices,
        "retransmits": sum(flow.retransmits for flow in flows),
    }

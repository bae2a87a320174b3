"""The experiment "many": the shares of many flows, and the number of notifications."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

import weir
from weir.flows import TcpFlow
from weir.lab import within

from .agent import Agent
from .option import NOTICE_PORT, Option
from .paths import GOODPUT
from .sending import FIRST_PORT, fairness, share_of_kbps, variation_percent
from .star import SERVER, program, set_capacity, star

HOSTS: Final = 10
"""The number of hosts over which flows are spread."""

FLOWS: Final = range(1, 1001)
"""The numbers of flows."""

_JOIN_INTERVAL_NS: Final = 5_000_000


@weir.experiment(
    flows=[20, 50, 100, 200],
    rate=["50Mbit"],
    rtt=["20ms"],
    queue=["16p"],
    seconds=[4],
    reserve_percent=[0.5],
)
def many(
    flows: int, rate: str, rtt: str, queue: str, seconds: int, reserve_percent: float, seed: int
) -> dict[str, Any]:
    """Do up to 200 flows of ten hosts get equal shares?

    A flow joins every 5 ms. Hosts pace with HTB, which has a class for each flow.
    """
    within("flows", flows, FLOWS)
    end_ns = seconds * 10**9
    if flows * _JOIN_INTERVAL_NS > end_ns // 2:
        raise ValueError(f"seconds={seconds}: expected enough time for all flows to join in the first half")
    with weir.Network(
        star(HOSTS, rate=rate, rtt=rtt, queue=queue), program(), seed=seed, noise="realistic"
    ) as net:
        set_capacity(net, "s1", HOSTS + 1, rate)
        agents = [Agent("htb", reserve_percent) for _ in range(HOSTS)]
        for number, agent in enumerate(agents, start=1):
            net.host(f"h{number}").run(agent, udp=NOTICE_PORT, frames=Agent.FRAMES)
            net.host(SERVER).serve(FIRST_PORT + number - 1, reflect_options=True)
        running: list[TcpFlow] = []

        def join(number: int) -> None:
            place = number % HOSTS
            running.append(
                net.host(f"h{place + 1}").start_iperf(
                    SERVER,
                    duration=f"{end_ns - number * _JOIN_INTERVAL_NS}ns",
                    port=FIRST_PORT + place,
                    interval=f"{end_ns // 2 - number * _JOIN_INTERVAL_NS}ns",
                    ip_options=bytes(Option(1)),
                )
            )

        for number in range(flows):
            net.at(f"{number * _JOIN_INTERVAL_NS}ns", partial(join, number))
        net.run_for(f"{end_ns}ns")
        switch = net.switch("s1")
        events, left_out = switch.register("events").cells(), switch.register("without_slot").read(0)
        dropped = net.audit().dropped
        streams = [flow.result().streams[0] for flow in running]
    # Measures the second half of the run, in which all flows send.
    received = [
        sum(
            interval.bytes
            for interval in stream.intervals
            if interval.start_s * 1e9 >= end_ns // 2 - number * _JOIN_INTERVAL_NS - 1
        )
        for number, stream in enumerate(streams)
    ]
    rates = [interval * 8e3 / (end_ns // 2) for interval in received]
    kbps = share_of_kbps(rate, flows, reserve_percent)
    share = kbps / 1000 * GOODPUT
    last_join_ns = streams[-1].start_ns
    latest: dict[tuple[int, int], tuple[int, float]] = {
        (place, interval.port): (interval.time_ns, interval.kbps)
        for place, agent in enumerate(agents)
        for interval in agent.rates
    }
    right = [time for time, rate_kbps in latest.values() if abs(rate_kbps - kbps) < 0.01]
    return {
        "fairness": fairness(rates),
        "spread_percent": variation_percent(np.array(rates)),
        "share_mbps": share,
        "slowest_mbps": min(rates),
        "fastest_mbps": max(rates),
        "total_mbps": sum(rates),
        "right": len(right),
        "settled_ms": (max(right) - last_join_ns) / 1e6 if right else None,
        "notices": events[3],
        "without_slot": left_out,
        "dropped": dropped,
    }

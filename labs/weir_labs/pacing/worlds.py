"""The experiment with joining hosts in both worlds (``--world linux``).

Real hosts pace with the kernel's own queueing disciplines.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

import weir
from weir import units
from weir.lab import switches_of
from weir.network import WorldName

from .agent import Agent
from .kernel import KernelAgent, Reflector, missing_feature
from .periods import STEPS
from .sending import (
    Senders,
    binned_goodput,
    fairness,
    goodput_table,
    is_paced,
    share_of_kbps,
    variation_percent,
)
from .star import SERVER, program, set_capacity, star

_NOTICES_CELL: Final = 3
"""The index of the cell in the register ``events`` that counts notifications."""

_SAME_KBPS: Final = 0.01


@weir.experiment(
    world=["virtual", "linux"],
    mode=["cubic", "htb", "fq"],
    switch=["weir"],
    hosts=[3],
    rate=["20Mbit"],
    rtt=["20ms"],
    period=["3s"],
    queue=["64p"],
    reserve_percent=[0.5],
    seeds=3,
)
def joining(
    world: WorldName,
    mode: str,
    switch: str,
    hosts: int,
    rate: str,
    rtt: str,
    period: str,
    queue: str,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Which rates do hosts that join one after the other get, with and without pacing?

    Shares and fairness are those of the last period, after its first third.
    """
    period_ns = units.time_ns(period, "period")
    interval_ns, end_ns = period_ns // STEPS, hosts * period_ns
    names = [f"h{number}" for number in range(1, hosts + 1)]
    paced = is_paced(mode)
    topology, kind = star(hosts, rate=rate, rtt=rtt, queue=queue), switches_of(world, switch)
    with weir.Network(topology, program(), seed=seed, world=world, switches=kind) as net:
        missing = missing_feature(net, mode) if world == "linux" else None
        if missing is not None:
            return {"available": False, "missing": missing}
        if paced:
            set_capacity(net, "s1", hosts + 1, rate)
        senders = Senders(
            net,
            names,
            mode,
            reserve_percent=reserve_percent,
            interval=f"{interval_ns}ns",
            ecn=None if world == "linux" else False,
            agent=KernelAgent if world == "linux" else Agent,
            starts_servers=world == "virtual",
        )
        if paced and world == "linux":
            net.host(SERVER).run(Reflector(), frames=Reflector.FRAMES)
        begin_ns = net.now_ns

        def start(name: str) -> None:
            senders.start(name, begin_ns + end_ns - net.now_ns)

        for place, name in enumerate(names[1:], start=1):
            net.after(f"{place * period_ns}ns", partial(start, name))
        start(names[0])
        net.run_for(f"{end_ns}ns")
        notices = net.switch("s1").register("events").read(_NOTICES_CELL)
        net.run_for("1s")
        # Times are relative to the first join, because hosts of the Linux world start some time
        # before the first join.
        streams = {
            name: replace(one, start_ns=one.start_ns - begin_ns) for name, one in senders.streams().items()
        }
    steps = hosts * STEPS
    last = slice(steps - 2 * STEPS // 3, steps - 1)
    rates = [binned_goodput(stream, interval_ns, steps)[last] for stream in streams.values()]
    means = [float(np.mean(one)) for one in rates]
    joined_ns = begin_ns + max(stream.start_ns for stream in streams.values())
    late_ns = None
    if paced:
        kbps = share_of_kbps(rate, hosts, reserve_percent)
        # This rate is right only while all hosts send: no host has it before the last host joins,
        # or after the first host leaves.
        right = [
            [one.time_ns for one in agent.rates if abs(one.kbps - kbps) < _SAME_KBPS]
            for agent in senders.agents.values()
        ]
        late_ns = max(min(times) for times in right) if all(right) else None
    return {
        "available": True,
        "missing": "",
        "total_mbps": sum(means),
        "fairness": fairness(means),
        "variation_percent": max(variation_percent(one) for one in rates),
        "rtt_ms": float(np.mean([stream.rtt_ms or 0.0 for stream in streams.values()])),
        "retransmits": sum(stream.retransmits for stream in streams.values()),
        "settled_ms": None if late_ns is None else (late_ns - joined_ns) / 1e6,
        "options": sum(agent.options for agent in senders.agents.values()),
        "notices": notices,
        "rates": goodput_table(streams, interval_ns, steps),
    }

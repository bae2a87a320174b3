"""The paper's two scenarios: hosts join one after the other."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

import weir
from weir import units

from .sending import Senders, binned, fairness, is_paced, settled_ns, variation_percent
from .star import manage, program, star

STEPS = 15
"""Intervals of a period in which rates are measured: seconds, if it is as long as the paper's."""


@weir.experiment(
    mode=["cubic", "reno", "htb", "fq"],
    hosts=[4],
    rate=["300Mbit"],
    rtt=["0ms"],
    period=["3s"],
    queue=["16p"],
    reserve_percent=[0.5],
    seeds=1,
)
def lan(
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    period: str,
    queue: str,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Scenario 1: hosts join over a fast link without delay."""
    return observe(mode, hosts, rate, rtt, period, queue, reserve_percent, seed)


@weir.experiment(
    mode=["cubic", "reno", "htb", "fq"],
    hosts=[4],
    rate=["100Mbit"],
    rtt=["20ms"],
    period=["15s"],
    queue=["16p"],
    reserve_percent=[0.5],
    seeds=10,
)
def wan(
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    period: str,
    queue: str,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Scenario 2: hosts join over a link with delay.

    ``cubic`` and ``reno`` are TCP by itself; ``htb`` and ``fq`` pace Cubic at the rates that the
    switch tells.
    """
    return observe(mode, hosts, rate, rtt, period, queue, reserve_percent, seed)


@weir.experiment(
    mode=["cubic", "htb"],
    hosts=[4],
    rate=["100Mbit"],
    rtt=["20ms"],
    period=["2s"],
    queue=["4p", "8p", "16p", "32p", "64p", "128p", "256p"],
    reserve_percent=[0.5],
)
def buffers(
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    period: str,
    queue: str,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Scenario 2 with other queues: how much of a buffer does TCP need, with and without pacing?"""
    return observe(mode, hosts, rate, rtt, period, queue, reserve_percent, seed)


def observe(
    mode: str, hosts: int, rate: str, rtt: str, period: str, queue: str, reserve_percent: float, seed: int
) -> dict[str, Any]:
    """Lets hosts join, and measures what each of them has in each period.

    Raises:
        ValueError: a value is out of range.
        UnitError: a quantity cannot be read.
    """
    paced = is_paced(mode)
    if not 1 <= hosts <= 200:
        raise ValueError(f"hosts={hosts}: expected 1 to 200")
    period_ns = units.time_ns(period, "period")
    interval_ns = period_ns // STEPS
    if interval_ns < 1_000_000:
        raise ValueError(f"period={period}: expected 15ms or more")
    end_ns = hosts * period_ns
    names = [f"h{number}" for number in range(1, hosts + 1)]
    topology = star(hosts, rate=rate, rtt=rtt, queue=queue)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        if paced:
            manage(net, "s1", hosts + 1, rate)
        senders = Senders(net, names, mode, reserve_percent=reserve_percent, interval=f"{interval_ns}ns")
        sampler = net.sample(f"s1-p{hosts + 1}", "10ms")
        for place, name in enumerate(names):
            begin_ns = place * period_ns
            net.at(f"{begin_ns}ns", partial(senders.start, name, end_ns - begin_ns))
        net.run_for(f"{end_ns}ns")
        events = net.switch("s1").register("events").cells()
        waiting = np.array(sampler.queue().values)
        # What is still in flight arrives.
        net.run_for("1s")
        streams = senders.streams()
        dropped = net.audit().dropped
    rates = {name: binned(streams[name], interval_ns, hosts * STEPS) for name in names}
    numbers: dict[str, float | int | None] = {}
    for number in range(1, hosts + 1):
        steps = slice((number - 1) * STEPS, number * STEPS)
        means = [float(rates[name][steps].mean()) for name in names[:number]]
        numbers[f"total_{number}"] = sum(means)
        numbers[f"fairness_{number}"] = fairness(means)
        for name, mean in zip(names, means, strict=False):
            numbers[f"mbps_{number}_{name}"] = mean
            numbers[f"cv_{number}_{name}"] = variation_percent(rates[name][steps])
    settled = _settled(senders, streams, rate, reserve_percent, end_ns) if paced else []
    known = [rtts for _, rtts in settled if rtts is not None]
    return {
        **numbers,
        "queue_mean": float(waiting.mean()),
        "retransmits": sum(stream.retransmits for stream in streams.values()),
        "dropped": dropped,
        "notices": events[3],
        "settled": len(known),
        "settled_rtts": max(known, default=None),
        "rates": pl.DataFrame(
            [
                (name, step * interval_ns / 1e9, float(mbps))
                for name in names
                for step, mbps in enumerate(rates[name])
            ],
            schema={"host": pl.String, "time_s": pl.Float64, "mbps": pl.Float64},
            orient="row",
        ),
    }


def _settled(
    senders: Senders,
    streams: dict[str, weir.measure.TcpStream],
    rate: str,
    reserve_percent: float,
    end_ns: int,
) -> list[tuple[str, float | None]]:
    """For each join, after how many round trips all hosts had the right rate; None for never.

    A round trip is that of the handshake of the host that joined.
    """
    begins = [*((name, stream.start_ns) for name, stream in streams.items()), ("", end_ns)]
    found: list[tuple[str, float | None]] = []
    for number, ((name, begin), (_, end)) in enumerate(pairwise(begins), start=1):
        kbps = units.rate_bps(rate) / 1000 / number * (1 - reserve_percent / 100)
        times = [settled_ns(senders.agents[other], kbps, begin, end) for other, _ in begins[:number]]
        connected = streams[name].connected_ns
        late = None if None in times or connected is None else max(time for time in times if time is not None)
        if late is None or connected is None:
            found.append((name, None))
        else:
            found.append((name, (late - begin) / (connected - begin)))
    return found

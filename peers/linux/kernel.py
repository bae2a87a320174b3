"""Runs the cells with the kernel's TCP."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from cells import Cell, Datagrams, ShortFlows
from world import Interval, World

BLAST_PAYLOAD = 1000
PROBE_PAYLOAD = 1400
PROBE_FRAME = PROBE_PAYLOAD + 42


def queue_of(intervals: list[Interval], low: float, high: float) -> dict[str, Any]:
    """The figures of the bottleneck's queue between two times of CLOCK_MONOTONIC."""
    inside = [i for i in intervals if low <= i.end < high]
    entered = sum(i.entered for i in inside)
    dropped = sum(i.dropped for i in inside)
    return {
        "queue_ms": 1000 * sum(i.waited_s for i in inside) / max(1, entered),
        "loss_percent": 100 * dropped / max(1, entered + dropped),
        "dropped": sum(i.dropped for i in intervals),
        "paused_s": sum(i.paused_s for i in inside),
    }


def cell(cell: Cell, seed: int) -> dict[str, Any]:
    """Measures goodputs in Mbit/s, the queue, and retransmissions of a cell."""
    world = World(cell.rate, cell.limit, list(cell.rtts), cell.loss, seed, cell.gso)
    with world:
        if cell.shaper:
            kind = cell.shaper.split()
            world.tc(0, "qdisc", "add", "dev", "a0", "root", "handle", "1:", *kind)
            if kind[0] == "htb":
                limits = ("htb", "rate", "10mbit", "burst", "15140b")
                world.tc(0, "class", "add", "dev", "a0", "parent", "1:", "classid", "1:1", *limits)
                leaf = ("parent", "1:1", "handle", "10:", "pfifo", "limit", "42")
                world.tc(0, "qdisc", "add", "dev", "a0", *leaf)
        for pair in sorted({flow.pair for flow in cell.flows}):
            world.serve(pair, "sink", 5201)
        start = time.monotonic() + 0.5
        senders = []
        for flow in cell.flows:
            to = (f"10.9.{flow.pair}.2", 5201, flow.congestion, start + flow.start, flow.seconds)
            senders.append(world.start("a", flow.pair, "send", *to))
        results = [world.result(sender, cell.high + 30) for sender in senders]
    queue = queue_of(world.intervals, start + cell.low, start + cell.high)
    goodputs = []
    for result in results:
        samples = np.array(result["samples"], float)
        times = samples[:, 0] + result["begin"] - start
        low, high = np.interp([cell.low, cell.high], times, samples[:, 1])
        goodputs.append((high - low) * 8 / (cell.high - cell.low - queue["paused_s"]) / 1e6)
    retransmits = [int(result["samples"][-1][2]) for result in results]
    # With a shaper the queue is in the sender.
    wait = None if cell.shaper else queue["queue_ms"]
    return {"goodput": goodputs, "retransmits": retransmits, **queue, "queue_ms": wait}


def frame_delays(rate: float, rtt: float, count: int, interval: float) -> Any:
    """How much later than on an exact path the answers to single frames arrive, in us."""
    with World(rate, 100, [rtt]) as world:
        start = time.monotonic() + 0.5
        to = ("10.9.0.2", start, count, interval, PROBE_PAYLOAD)
        trips = world.result(world.start("a", 0, "probe", *to), count * interval + 60)
    exact = 1000 * rtt + PROBE_FRAME * 8e6 / rate
    return np.array(trips) / 1000 - exact


def short_flows(cell: ShortFlows) -> dict[str, Any]:
    """The median completion time in ms."""
    with World(cell.rate, cell.limit, [cell.rtt] * 2) as world:
        world.serve(0, "answer", 5201)
        world.serve(1, "sink", 5201)
        start = time.monotonic() + 0.5
        if cell.background:
            to = ("10.9.1.2", 5201, cell.background, start, 120)
            world.start("a", 1, "send", *to)
            start += 10
        command = ("10.9.0.2", 5201, cell.congestion, start, cell.bytes, cell.count, 0.3)
        seconds = world.result(world.start("a", 0, "fetch", *command), 120)["seconds"]
    return {"completion_ms": 1000 * float(np.median(seconds))}


def datagrams(cell: Datagrams) -> dict[str, Any]:
    """Losses of datagrams and the median round trip of small ones."""
    with World(cell.rate, cell.limit, [cell.rtt]) as world:
        world.serve(0, "echo", 7)
        world.serve(0, "sink", 5201)
        start = time.monotonic() + 0.5
        if cell.background:
            to = ("10.9.0.2", 5201, cell.background, start, cell.seconds + 12)
            world.start("a", 0, "send", *to)
        else:
            rate = cell.blast * BLAST_PAYLOAD / (BLAST_PAYLOAD + 42)
            to = ("10.9.0.2", 7, start, cell.seconds + 12, rate, BLAST_PAYLOAD)
            world.start("a", 0, "blast", *to)
        begin = start + 10
        asked = world.start("a", 0, "ask", "10.9.0.2", 7, begin, cell.seconds, 0.1037)
        result = world.result(asked, 60)
    queue = queue_of(world.intervals, begin, begin + cell.seconds)
    trips = np.array(result["round_trips"])
    return {
        "loss_percent": None if cell.background else queue["loss_percent"],
        "round_trip_ms": 1000 * float(np.median(trips)) if len(trips) else None,
        "lost_percent_small": 100 * (1 - len(trips) / result["sent"]),
    }

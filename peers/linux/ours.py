"""Runs the cells in Weir."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from cells import Cell, Datagrams, ShortFlows

import weir
from weir.topology import shapes

ROUTER = Path(weir.__file__).parent / "bench" / "router.p4"
BUFFERS = "sysctl -w net.ipv4.tcp_rmem='4096 131072 67108864'"
WINDOW = "16MiB"
PORT = 5201
# The time between two samples of the queue, which is not a multiple of a frame's time.
SAMPLES_NS = 970_000
BLAST_PAYLOAD = 1000
# The longest random time that a host takes for a frame: the measured variation of the kernel's path
# (`compare.py noise`). Where no time is random, segments keep their phase: a pair that arrives
# exactly when a place in the queue becomes free is never lost, or always.
jitter_us: int | None = None
NOISE_US = 60


def network(rate: float, limit: int, rtts: tuple[float, ...], loss: float, seed: int) -> weir.Network:
    """A dumbbell whose middle link is the bottleneck. Delays are at the receivers."""
    noise = NOISE_US if jitter_us is None else jitter_us
    pairs = len(rtts)
    middle = f"{rate / 1e3:.3f}kbit" if rate else None
    topology = shapes.dumbbell(pairs, rate=None, middle_rate=middle, edge_delay="0ms", middle_delay="0ms")
    for host in topology.hosts.values():
        host.processing_jitter_ns = 1000 * noise
    net = weir.Network(topology, p4=str(ROUTER), seed=seed)
    if limit:
        net.interface(f"s1-p{pairs + 1}").qdisc = weir.qdisc.Fifo(f"{limit}p")
    for pair, rtt in enumerate(rtts):
        net.link("s2", f"h{pairs + 1 + pair}").delay = f"{rtt * 500:g}us"
        if loss:
            lossy = weir.qdisc.Netem(loss=f"{loss * 100:g}%", limit="1000000p")
            net.interface(f"s2-p{pair + 1}").qdisc = lossy
    for host in range(1, 2 * pairs + 1):
        net.host(f"h{host}").cmd(BUFFERS)
    return net


def queue_of(samples: Any, low: float, high: float) -> dict[str, Any]:
    """The mean wait of the frames that entered the queue, from its mean length (Little's law)."""
    times = np.array(samples.times_ns) / 1e9
    inside = (times >= low) & (times < high)
    waiting = float(np.array(samples.queue_packets)[inside].mean())
    sent = np.array(samples.sent_packets)[inside]
    dropped = np.array(samples.dropped_packets)[inside]
    entered, lost = int(sent[-1] - sent[0]), int(dropped[-1] - dropped[0])
    return {
        "queue_ms": 1000 * waiting * (high - low) / max(1, entered),
        "loss_percent": 100 * lost / max(1, entered + lost),
        "dropped": int(samples.dropped_packets[-1]),
        "paused_s": 0.0,
    }


def cell(cell: Cell, seed: int) -> dict[str, Any]:
    """Goodputs in Mbit/s, the queue, and retransmissions of a cell."""
    pairs = len(cell.rtts)
    with network(cell.rate, cell.limit, cell.rtts, cell.loss, seed) as net:
        watched = f"s1-p{pairs + 1}"
        if cell.shaper:
            watched = "h1-eth0"
            host = net.host("h1")
            host.cmd(f"tc qdisc add dev eth0 root handle 1: {cell.shaper}")
            if cell.shaper.startswith("htb"):
                host.cmd("tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit burst 15140b")
                host.cmd("tc qdisc add dev eth0 parent 1:1 handle 10: pfifo limit 42")
        sampler = net.sample(watched, every=f"{SAMPLES_NS}ns")
        flows: dict[int, Any] = {}

        def begin(number: int) -> None:
            flow = cell.flows[number]
            flows[number] = net.host(f"h{flow.pair + 1}").start_iperf(
                net.host(f"h{pairs + 1 + flow.pair}"),
                duration=f"{flow.seconds}s",
                congestion=flow.congestion,
                interval="100ms",
                port=PORT + number,
                window=WINDOW,
            )

        for number, flow in enumerate(cell.flows):
            if flow.start:
                net.at(f"{flow.start}s", lambda number=number: begin(number))
            else:
                begin(number)
        net.run_for(f"{cell.high}s")
        goodputs, retransmits = [], []
        for number, flow in enumerate(cell.flows):
            stream = flows[number].result().streams[0]
            times = flow.start + np.array([0.0, *(part.end_s for part in stream.intervals)])
            counts = np.cumsum([0, *(part.bytes for part in stream.intervals)])
            low, high = np.interp([cell.low, cell.high], times, counts)
            goodputs.append(float(high - low) * 8 / (cell.high - cell.low) / 1e6)
            retransmits.append(stream.retransmits)
        queue = queue_of(sampler.samples(), cell.low, cell.high)
    return {"goodput": goodputs, "retransmits": retransmits, **queue}


def short_flows(cell: ShortFlows) -> dict[str, Any]:
    """The median completion time in ms."""
    with network(cell.rate, cell.limit, (cell.rtt, cell.rtt), 0, 1) as net:
        if cell.background:
            net.host("h2").start_iperf("h4", duration="120s", congestion=cell.background, window=WINDOW)
            net.run_for("10s")
        net.host("h1").cmd(f"sysctl -w net.ipv4.tcp_congestion_control={cell.congestion}")
        net.host("h3").cmd(f"sysctl -w net.ipv4.tcp_congestion_control={cell.congestion}")
        result = net.host("h1").requests(
            "h3", cell.count, request=f"{cell.bytes}B", response="1B", think="300ms", keep=False
        )
        times = [(done.end_ns - done.start_ns) / 1e6 for done in result.exchanges if done.end_ns]
    return {"completion_ms": float(np.median(times))}


def datagrams(cell: Datagrams) -> dict[str, Any]:
    """Losses of datagrams and the median round trip of small ones."""
    with network(cell.rate, cell.limit, (cell.rtt,), 0, 1) as net:
        h1 = net.host("h1")
        if cell.background:
            h1.start_iperf(
                "h2",
                duration=f"{cell.seconds + 12}s",
                congestion=cell.background,
                window=WINDOW,
            )
        else:
            rate = cell.blast * BLAST_PAYLOAD / (BLAST_PAYLOAD + 42)
            h1.start_iperf(
                "h2",
                udp=True,
                rate=f"{rate:.0f}bit",
                length=f"{BLAST_PAYLOAD}B",
                duration=f"{cell.seconds + 12}s",
            )
        sampler = net.sample("s1-p2", every=f"{SAMPLES_NS}ns")
        net.run_for("10s")
        count = int(cell.seconds / 0.1037)
        result = h1.ping("h2", count=count, interval="103.7ms", timeout="1s")
        queue = queue_of(sampler.samples(), 10, 10 + cell.seconds)
        trips = [reply.rtt_ns / 1e6 for reply in result.replies if reply.rtt_ns is not None]
    return {
        "loss_percent": None if cell.background else queue["loss_percent"],
        "round_trip_ms": float(np.median(trips)) if trips else None,
        "lost_percent_small": 100 * (1 - len(trips) / count),
    }

"""Congestion control from INT: queues, latency and throughput with and without it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units
from weir.flows import TcpFlow
from weir.lab import one_of, within

from .chain import SWITCHES, network
from .frames import PORT_REPORT, frame_bytes
from .hpcc import Hpcc
from .reader import read_reports
from .theory import fitting_load_bps
from .traffic import PORT, SOURCE_PORTS, Receiver, Sender

CROSS_MBPS: Final = 2.0
"""The mean rate of cross traffic, a Poisson process, in Mbit/s of payload."""

SHARED: Final = range(2, SWITCHES.stop)
"""The numbers of switches in a chain in which both senders share a link."""

TCP: Final = ("cubic", "bbr")
"""The controls that are congestion controls of TCP."""

BIN_MS: Final = 100
"""The time step of the series in milliseconds."""


@weir.experiment(
    scenario=["together", "joining", "cross"],
    control=["none", "int", *TCP],
    switches=[4],
    eta=[0.95],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[12],
    seeds=2,
)
def congestion_control(
    scenario: str,
    control: str,
    switches: int,
    eta: float,
    rate: str,
    data_bytes: int,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Can senders that read the reports keep queues empty, and what do they lose?

    With ``none``, a sender sends what its link takes; with ``int``, it reads reports; with
    ``cubic`` and ``bbr``, it is TCP, whose segments carry telemetry that TCP does not use.
    ``together``: h1 and h3 send all the time; ``joining``: h3 sends in the second and third
    quarter; ``cross``: h3 sends Poisson traffic in this time, which nobody controls.
    """
    one_of("scenario", scenario, "together", "joining", "cross")
    one_of("control", control, "none", "int", *TCP)
    within("switches", switches, SHARED)
    bits, longest = units.rate_bps(rate), frame_bytes(data_bytes, switches - 1)
    alone_ns = round(data_bytes * 8e9 / fitting_load_bps(bits, data_bytes, switches, 1))
    cross_ns = data_bytes * 8e3 / CROSS_MBPS
    chance = random.Random(seed)
    end_ns = seconds * 10**9
    second_ns = (0, end_ns) if scenario == "together" else (end_ns // 4, 3 * end_ns // 4)
    bins = seconds * 1000 // BIN_MS
    with network(switches, rate, pairs=2, tcp=True, seed=seed, noise="realistic") as net:
        ports = [f"s{number}-p2" for number in range(1, switches + 1)]
        sampler = net.sample(ports, "1ms")
        receivers = {name: net.host(name).run(Receiver(), udp=PORT) for name in ("h2", "h4")}
        connections: dict[str, TcpFlow] = {}

        def start(source: str, target: str, until_ns: int) -> None:
            if control in TCP:
                read_reports(net, source)
                connections[target] = net.host(source).start_iperf(
                    target,
                    duration=f"{until_ns - net.now_ns}ns",
                    congestion=control,
                    mss=f"{data_bytes}B",
                    interval=f"{BIN_MS}ms",
                    trace=True,
                )
            else:
                send(
                    source,
                    target,
                    until_ns,
                    Hpcc(bits, longest, eta) if control == "int" else lambda: alone_ns,
                )

        def send(source: str, target: str, until_ns: int, rate_control: Hpcc | Callable[[], int]) -> None:
            sender = Sender(net.address(target), data_bytes, longest, until_ns, rate_control)
            net.host(source).run(sender, udp=(PORT_REPORT, *SOURCE_PORTS))

        def start_second() -> None:
            if scenario == "cross":
                send("h3", "h4", second_ns[1], lambda: round(chance.expovariate(1 / cross_ns)))
            else:
                start("h3", "h4", second_ns[1])

        start("h1", "h2", end_ns)
        net.at(f"{second_ns[0]}ns", start_second)
        net.run_for(f"{seconds}s")
        waiting = np.sum([sampler.queue(port).values for port in ports], axis=0)
        received = [
            _received_over_connection(connections[name], bins)
            if name in connections
            else _received_datagrams(receivers[name], data_bytes, bins)
            for name in ("h2", "h4")
        ]
        drops = net.audit().dropped
    delays = np.concatenate([delay for _, delay in received])
    rates = [rate for rate, _ in received]
    second = slice(*(round(time / 1e6 / BIN_MS) for time in second_ns))
    shares = [float(rate[second].mean()) for rate in rates]
    return {
        "goodput_mbps": float(np.sum(rates, axis=0).mean()),
        "h1_mbps": shares[0],
        "h3_mbps": shares[1],
        "fairness": sum(shares) ** 2 / (2 * sum(share**2 for share in shares)),
        "mean_queue": float(waiting.mean()),
        "longest_queue": int(waiting.max()),
        "delay_mean_ms": float(delays.mean()),
        "delay_p99_ms": float(np.percentile(delays, 99)),
        "dropped": drops,
        "series": pl.DataFrame(
            {
                "time_s": np.arange(bins) * BIN_MS / 1e3,
                "queue": waiting[: bins * BIN_MS].reshape(-1, BIN_MS).mean(axis=1),
                "h1_mbps": rates[0],
                "h3_mbps": rates[1],
            }
        ),
    }


Received = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
"""Two arrays: the payload in Mbit/s in each step of the series, and the delays of packets in ms."""


def _received_datagrams(receiver: Receiver, data_bytes: int, bins: int) -> Received:
    times = np.array([pair for pairs in receiver.arrived.values() for pair in pairs])
    counts = np.bincount(times[:, 0] // (BIN_MS * 10**6), minlength=bins)[:bins]
    return counts * data_bytes * 8 / (BIN_MS * 1e3), times[:, 1] / 1e6


def _received_over_connection(flow: TcpFlow, bins: int) -> Received:
    stream = flow.result().streams[0]
    rate = np.zeros(bins)
    for interval in stream.intervals:
        place = round((stream.start_ns / 1e6 + interval.start_s * 1e3) / BIN_MS)
        if place < bins:
            rate[place] += interval.bytes * 8 / (BIN_MS * 1e3)
    return rate, np.array(stream.delays.values)

"""Congestion control from INT: queues, latency and throughput with and without it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units

from .chain import network
from .frames import PORT_REPORT, frame_bytes
from .hpcc import Hpcc
from .measure import one_of
from .theory import fitting_load_bps
from .traffic import PORT, SOURCE_PORTS, Receiver, Sender

CROSS_MBPS: Final = 2.0
"""The mean rate of cross traffic, a Poisson process, in Mbit/s of payload."""

BIN_MS: Final = 100
"""The time step of the series."""


@weir.experiment(
    scenario=["together", "joining", "cross"],
    control=["none", "int"],
    switches=[4],
    eta=[0.95],
    rate=["6Mbit"],
    data_bytes=[1400],
    seconds=[12],
    seeds=3,
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
    """Can senders keep queues empty that read the reports, and what do they lose?

    Without control, a sender sends what its link takes. ``together``: h1 and h3 send all the time;
    ``joining``: h3 sends in the second and third quarter; ``cross``: h3 sends Poisson traffic in
    this time, which nobody controls.
    """
    one_of("scenario", scenario, "together", "joining", "cross")
    one_of("control", control, "none", "int")
    if switches < 2:
        raise ValueError(f"switches={switches}: expected 2 or more, so that both senders share a link")
    bits, longest = units.rate_bps(rate), frame_bytes(data_bytes, switches - 1)
    alone_ns = round(data_bytes * 8e9 / fitting_load_bps(bits, data_bytes, switches, 1))
    cross_ns = data_bytes * 8e3 / CROSS_MBPS
    chance = random.Random(seed)
    end_ns = seconds * 10**9
    second_ns = (0, end_ns) if scenario == "together" else (end_ns // 4, 3 * end_ns // 4)
    with network(switches, rate, pairs=2, seed=seed, noise="realistic") as net:
        ports = [f"s{number}-p2" for number in range(1, switches + 1)]
        sampler = net.sample(ports, "1ms")
        receivers = [net.host(name).run(Receiver(), udp=PORT) for name in ("h2", "h4")]

        def start(source: str, target: str, until_ns: int, how: Hpcc | Callable[[], int]) -> None:
            sender = Sender(net.address(target), data_bytes, longest, until_ns, how)
            net.host(source).run(sender, udp=(PORT_REPORT, *SOURCE_PORTS))

        def chosen() -> Hpcc | Callable[[], int]:
            return Hpcc(bits, longest, eta) if control == "int" else lambda: alone_ns

        def start_second() -> None:
            poisson = lambda: round(chance.expovariate(1 / cross_ns))  # noqa: E731
            start("h3", "h4", second_ns[1], poisson if scenario == "cross" else chosen())

        start("h1", "h2", end_ns, chosen())
        net.at(f"{second_ns[0]}ns", start_second)
        net.run_for(f"{seconds}s")
        waiting = np.sum([sampler.queue(port).values for port in ports], axis=0)
        first, second = (next(iter(receiver.arrived.values())) for receiver in receivers)
        drops = net.audit().dropped
    delays = np.array([delay for _, delay in first + second]) / 1e6
    series = pl.DataFrame(
        {
            "time_s": [step * BIN_MS / 1e3 for step in range(seconds * 1000 // BIN_MS)],
            "queue": waiting[: seconds * 1000].reshape(-1, BIN_MS).mean(axis=1),
            "h1_mbps": _rate(first, data_bytes, seconds),
            "h3_mbps": _rate(second, data_bytes, seconds),
        }
    )
    shares = [_mbps(times, data_bytes, second_ns) for times in (first, second)]
    return {
        "goodput_mbps": (len(first) + len(second)) * data_bytes * 8 / seconds / 1e6,
        "h1_mbps": shares[0],
        "h3_mbps": shares[1],
        "fairness": sum(shares) ** 2 / (2 * sum(share**2 for share in shares)),
        "mean_queue": float(waiting.mean()),
        "longest_queue": int(waiting.max()),
        "delay_mean_ms": float(delays.mean()),
        "delay_p99_ms": float(np.percentile(delays, 99)),
        "dropped": drops,
        "series": series,
    }


def _mbps(times: list[tuple[int, int]], data_bytes: int, between_ns: tuple[int, int]) -> float:
    """The goodput of a flow between two times."""
    begin, end = between_ns
    count = sum(begin <= time < end for time, _ in times)
    return count * data_bytes * 8e3 / (end - begin)


def _rate(times: list[tuple[int, int]], data_bytes: int, seconds: int) -> np.ndarray[Any, Any]:
    """The goodput of a flow in Mbit/s, in each step of the series."""
    arrivals = [time / 1e9 for time, _ in times]
    counts, _ = np.histogram(arrivals, bins=seconds * 1000 // BIN_MS, range=(0, seconds))
    return counts * data_bytes * 8 / (BIN_MS * 1e3)

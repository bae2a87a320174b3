"""Experiments with hosts that join one after the other: the paper's scenarios, other queues, CoDel
and BBR."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units
from weir.lab import within

from .codel import Codel
from .periods import STEPS, measure_periods
from .sending import HOSTS, TCPS, Senders, all_settled_ns, goodput_table, is_paced, share_of_kbps
from .star import program, set_capacity, star

_QDISCS: Final = ("-codel", "-codel-ecn")

WITH_CODEL: Final = tuple(f"{tcp}{qdisc}" for tcp in TCPS for qdisc in _QDISCS)
"""The modes in which the switch's queue is managed by CoDel."""

FRAME_BYTES: Final = 1514
"""The number of bytes of a full Ethernet frame."""

_SAMPLE_INTERVAL_NS: Final = 10_000_000
_LINK: Final[dict[str, Any]] = {"hosts": [4], "rate": ["100Mbit"], "rtt": ["20ms"], "reserve_percent": [0.5]}


@weir.experiment(mode=["cubic", "reno", "htb", "fq"], **_LINK, period=["15s"], queue=["16p"], seeds=10)
def wan(**settings: Any) -> dict[str, Any]:
    """Scenario 2: hosts join over a link with delay.

    The modes ``cubic`` and ``reno`` are TCP without pacing; ``htb`` and ``fq`` pace Cubic at the
    rates from the switch.
    """
    return observe(**settings)


@weir.experiment(
    mode=["cubic", "reno", "htb", "fq"],
    **(_LINK | {"rate": ["300Mbit"], "rtt": ["0ms"]}),
    period=["3s"],
    queue=["16p"],
    seeds=10,
)
def lan(**settings: Any) -> dict[str, Any]:
    """Scenario 1: hosts join over a fast link without delay."""
    return observe(**settings)


@weir.experiment(
    mode=["cubic", "htb"],
    **_LINK,
    period=["2s"],
    queue=["4p", "8p", "16p", "32p", "64p", "128p", "256p"],
)
def buffers(**settings: Any) -> dict[str, Any]:
    """Scenario 2 with other queues: how large a buffer does TCP need, with and without pacing?"""
    return observe(**settings)


@weir.experiment(
    mode=["cubic", "cubic-codel", "cubic-codel-ecn", "reno-codel", "bbr", "htb", "fq"],
    **_LINK,
    period=["15s"],
    queue=["256p"],
    target=["5ms"],
    interval=["100ms"],
    seeds=5,
)
def rivals(**settings: Any) -> dict[str, Any]:
    """Scenario 2 with a long queue: how well do CoDel in the switch and BBR in the hosts do?

    In the mode ``cubic-codel``, Cubic uses a queue that CoDel manages; in ``cubic-codel-ecn``,
    CoDel marks packets instead of dropping them. ``target`` and ``interval`` are CoDel's settings.
    """
    return observe(**settings)


def observe(
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    period: str,
    queue: str,
    reserve_percent: float,
    seed: int,
    target: str = "5ms",
    interval: str = "100ms",
    loss: str = "0%",
    computer: weir.Computer | None = None,
) -> dict[str, Any]:
    """Runs hosts that join one after the other, and measures the rate of each host in each period.

    ``computer`` is the computer that all hosts and the switch share.

    Raises:
        ValueError: a value is out of range.
        UnitError: a quantity cannot be read.
    """
    sender, codel = sender_and_qdisc(mode, target, interval)
    paced = is_paced(sender)
    within("hosts", hosts, HOSTS)
    period_ns = read_period(period)
    interval_ns = period_ns // STEPS
    end_ns = hosts * period_ns
    names = [f"h{number}" for number in range(1, hosts + 1)]
    port = hosts + 1
    topology = star(hosts, rate=rate, rtt=rtt, queue=queue, loss=loss, codel=codel)
    switch_program = program("pace.p4" if codel is None else "aqm.p4")
    with weir.Network(topology, switch_program, seed=seed, computer=computer, noise="realistic") as net:
        if paced:
            set_capacity(net, "s1", port, rate)
        senders = Senders(
            net,
            names,
            sender,
            reserve_percent=reserve_percent,
            interval=f"{interval_ns}ns",
            ecn=codel is not None and codel.ecn,
        )
        sampler = net.sample(f"s1-p{port}", f"{min(_SAMPLE_INTERVAL_NS, interval_ns)}ns")
        for place, name in enumerate(names):
            begin_ns = place * period_ns
            net.at(f"{begin_ns}ns", partial(senders.start, name, end_ns - begin_ns))
        net.run_for(f"{end_ns}ns")
        switch = net.switch("s1")
        notices = switch.register("events").read(3) if codel is None else 0
        waiting = sampler.queue()
        # This time is long enough for packets in flight to arrive.
        net.run_for("1s")
        streams = senders.streams()
        dropped = net.audit().dropped
        drops, marks = (
            0 if codel is None else switch.register(name).read(port)
            for name in ("codel_drops", "codel_marks")
        )
    # Nearly all waiting packets are full frames.
    delays_ms = np.array(waiting.values) * FRAME_BYTES * 8e3 / units.rate_bps(rate)
    sampled_ns = np.array(waiting.times_ns)
    settled = _settling_times(senders, streams, rate, reserve_percent, end_ns) if paced else []
    measured = [rtts for rtts in settled if rtts is not None]
    return {
        **measure_periods(streams, interval_ns, sampled_ns, delays_ms),
        "queue_mean": float(np.mean(waiting.values)),
        "retransmits": sum(stream.retransmits for stream in streams.values()),
        "dropped": dropped,
        "codel_drops": drops,
        "marks": marks,
        "notices": notices,
        "settled": len(measured),
        "settled_rtts": max(measured, default=None),
        "rates": goodput_table(streams, interval_ns, hosts * STEPS),
        "delays": pl.DataFrame({"step": sampled_ns // interval_ns, "delay_ms": delays_ms})
        .group_by("step", maintain_order=True)
        .mean()
        .filter(pl.col("step") < hosts * STEPS)
        .select(time_s=pl.col("step") * interval_ns / 1e9, delay_ms="delay_ms"),
    }


def read_period(period: str) -> int:
    """Reads the time between two joins, and returns it in nanoseconds.

    Raises:
        WeirError: the period is not a time.
        ValueError: the period is too short.
    """
    period_ns = units.time_ns(period, "period")
    if period_ns < STEPS * 1_000_000:
        raise ValueError(f"period={period}: expected {STEPS}ms or more")
    return period_ns


def sender_and_qdisc(mode: str, target: str, interval: str) -> tuple[str, Codel | None]:
    """Returns the congestion control and the queue management of a mode, such as Cubic and CoDel
    for ``cubic-codel``.

    Raises:
        ValueError: there is no such mode. The switch runs the scheme or CoDel, so there is no
            ``htb-codel``.
    """
    sender, dash, rest = mode.partition("-")
    if not dash:
        return sender, None
    if f"-{rest}" not in _QDISCS or is_paced(sender):
        raise ValueError(
            f"mode={mode}: expected {', '.join(TCPS[:-1])} or {TCPS[-1]} with {' or '.join(_QDISCS)}"
        )
    return sender, Codel(target, interval, ecn=rest.endswith("ecn"))


def _settling_times(
    senders: Senders,
    streams: dict[str, weir.measure.TcpStream],
    rate: str,
    reserve_percent: float,
    end_ns: int,
) -> list[float | None]:
    """Computes how many round trips passed from each join until all hosts had the right rate;
    ``None`` if they never had it.

    The round trip is that of the joining host's TCP handshake.
    """
    begins = [*((name, stream.start_ns) for name, stream in streams.items()), ("", end_ns)]
    times: list[float | None] = []
    for number, ((name, begin), (_, end)) in enumerate(pairwise(begins), start=1):
        kbps = share_of_kbps(rate, number, reserve_percent)
        late = all_settled_ns([senders.agents[other] for other, _ in begins[:number]], kbps, begin, end)
        connected = streams[name].connected_ns
        if late is None or connected is None:
            times.append(None)
        else:
            times.append((late - begin) / (connected - begin))
    return times

"""What happens if a flow ignores the scheme, or a notification is lost."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir
from weir import units

from .sending import Senders, binned, fairness, settled_ns
from .star import manage, program, star

FAULTS: Final = ("none", "ignores", "lost")
"""Nothing; h4 does not ask and does not pace; h1's link is down when h4 joins."""

_BIN_NS: Final = 100_000_000
_OUTAGE_NS: Final = 5_000_000


@weir.experiment(
    fault=list(FAULTS),
    refresh=["0s", "500ms"],
    mode=["htb"],
    hosts=[4],
    rate=["20Mbit"],
    rtt=["20ms"],
    queue=["16p"],
    seconds=[6],
    reserve_percent=[0.5],
    seeds=3,
)
def faults(
    fault: str,
    refresh: str,
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    queue: str,
    seconds: int,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """Who suffers if a flow ignores the scheme? How does a lost notification heal?

    The last host joins in the middle; all others send from the begin.
    """
    if fault not in FAULTS:
        raise ValueError(f"fault={fault}: expected {', '.join(FAULTS)}")
    if hosts < 2 or mode not in ("htb", "fq"):
        raise ValueError("expected 2 or more hosts, and mode htb or fq")
    if seconds < 2:
        raise ValueError(f"seconds={seconds}: expected 2 or more")
    end_ns, middle_ns = seconds * 10**9, seconds * 10**9 // 2
    names = [f"h{number}" for number in range(1, hosts + 1)]
    topology = star(hosts, rate=rate, rtt=rtt, queue=queue, refresh=refresh)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        manage(net, "s1", hosts + 1, rate)
        senders = Senders(net, names, mode, reserve_percent=reserve_percent, interval=f"{_BIN_NS}ns")
        for name in names[:-1]:
            senders.start(name, end_ns)
        net.run_for(f"{middle_ns}ns")
        before = net.audit().dropped
        senders.start(names[-1], middle_ns, asks=fault != "ignores")
        if fault == "lost":
            net.link("h1", "s1").up = False
            net.run_for(f"{_OUTAGE_NS}ns")
            net.link("h1", "s1").up = True
        net.run_for(f"{end_ns - net.now_ns}ns")
        dropped = net.audit().dropped - before
        streams = senders.streams()
    counted = hosts - (fault == "ignores")
    kbps = units.rate_bps(rate) / 1000 / counted * (1 - reserve_percent / 100)
    times = [settled_ns(agent, kbps, middle_ns, end_ns) for agent in [*senders.agents.values()][:counted]]
    late = None if None in times else max(time for time in times if time is not None)
    bins = end_ns // _BIN_NS
    rates = {name: binned(streams[name], _BIN_NS, bins) for name in names}
    last = {name: float(rate[3 * bins // 4 :].mean()) for name, rate in rates.items()}
    return {
        "healed_ms": None if late is None else (late - middle_ns) / 1e6,
        "h1_mbps": last["h1"],
        "last_mbps": last[names[-1]],
        "total_mbps": sum(last.values()),
        "fairness": fairness([*last.values()]),
        "dropped": dropped,
        "rates": pl.DataFrame(
            [
                (name, step * _BIN_NS / 1e9, float(mbps))
                for name in names
                for step, mbps in enumerate(rates[name])
            ],
            schema={"host": pl.String, "time_s": pl.Float64, "mbps": pl.Float64},
            orient="row",
        ),
    }

"""The experiment "faults": a flow that ignores the scheme, or a lost notification."""

from __future__ import annotations

from typing import Any, Final

import weir

from .middle import BIN_NS, prepare_run
from .sending import all_settled_ns, binned_goodput, fairness, goodput_table, share_of_kbps
from .star import star

FAULTS: Final = ("none", "ignores", "lost")
"""The faults: none; h4 neither sends the option nor paces; h1's link is down when h4 joins."""

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
    """Which flows lose throughput if a flow ignores the scheme? How long do lost notifications have
    an effect?

    The last host joins in the middle of the run; all others send from the beginning.
    """
    if fault not in FAULTS:
        raise ValueError(f"fault={fault}: expected {', '.join(FAULTS)}")
    topology = star(hosts, rate=rate, rtt=rtt, queue=queue, refresh=refresh)
    with prepare_run(topology, mode, hosts, rate, seconds, reserve_percent, seed) as run:
        net, senders, first, last = run.net, run.senders, run.names[0], run.names[-1]
        for name in run.names[:-1]:
            senders.start(name, run.end_ns)
        net.run_for(f"{run.middle_ns}ns")
        dropped_before = net.audit().dropped
        senders.start(last, run.middle_ns, asks=fault != "ignores")
        if fault == "lost":
            net.link(first, "s1").up = False
            net.run_for(f"{_OUTAGE_NS}ns")
            net.link(first, "s1").up = True
        net.run_for(f"{run.end_ns - net.now_ns}ns")
        dropped = net.audit().dropped - dropped_before
        streams = senders.streams()
    counted = hosts - (fault == "ignores")
    kbps = share_of_kbps(rate, counted, reserve_percent)
    late = all_settled_ns([*senders.agents.values()][:counted], kbps, run.middle_ns, run.end_ns)
    at_last = {
        name: float(binned_goodput(stream, BIN_NS, run.bins)[3 * run.bins // 4 :].mean())
        for name, stream in streams.items()
    }
    return {
        "healed_ms": None if late is None else (late - run.middle_ns) / 1e6,
        "h1_mbps": at_last[first],
        "last_mbps": at_last[last],
        "total_mbps": sum(at_last.values()),
        "fairness": fairness([*at_last.values()]),
        "dropped": dropped,
        "rates": goodput_table(streams, BIN_NS, run.bins),
    }

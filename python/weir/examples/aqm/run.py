"""Four ways to manage the queue of a bottleneck, under the same traffic.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the congestion control, the number of flows, aqm.p4.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import weir
from weir.qdisc import Codel, FqCodel, Qdisc

HERE = Path(__file__).parent
DURATION = "20s"
CONGESTION = "cubic"
FLOWS = 2
LOW, HIGH = 10_000, 50_000  # waiting times for aqm.p4, in microseconds

# For each way: the queueing discipline of the link to h2, or None if the switch runs aqm.p4.
WAYS: dict[str, Qdisc | str | None] = {
    "drop-tail": "1000p",
    "CoDel": Codel(),
    "FQ-CoDel": FqCodel(),
    "P4": None,
}


@dataclass
class Outcome:
    """The results of TCP and ping with one of the ways."""

    flows: weir.FlowResult
    pings: weir.PingResult


def measure(way: Qdisc | str | None) -> Outcome:
    """Sends TCP from h1 to h2 with one way to manage the queue, and pings h2 from h3 at the same
    time."""
    topology = weir.Topology.load(HERE / "topology.json")
    # Packets wait either in a queue of the switch, where egress sees the waiting time, or at the
    # link.
    topology.switches["s1"].queue_rate = "link" if way is None else None
    with weir.Network(topology, seed=1) as net:
        if way is None:
            net.switch("s1").table("aqm").set_default("early_detection", {"low": LOW, "high": HIGH})
        else:
            net.interface("s1-p2").qdisc = way
        flows = net.host("h1").start_iperf("h2", duration=DURATION, parallel=FLOWS, congestion=CONGESTION)
        pings = net.host("h3").ping("h2", count=200, interval="100ms")
        return Outcome(flows.wait(), pings)


def main(plot: str | Path | None = None) -> None:
    """Prints goodput and delay for each way to manage the queue."""
    print(f"{FLOWS} flows of TCP {CONGESTION} for {DURATION} over 10 Mbit/s; h3 pings over the same queue.")
    print("Without a queue, ping takes 40 ms.\n")
    print("             goodput        RTT of ping in ms      pings  retrans-")
    print("              Mbit/s    median     99 %     max     lost  missions")
    outcomes = {}
    for name, way in WAYS.items():
        outcome = outcomes[name] = measure(way)
        rtts = outcome.pings.rtts
        delays = f"{rtts.percentile(50):10.1f}{rtts.percentile(99):9.1f}{rtts.max:8.1f}"
        counts = f"{outcome.pings.lost:9}{outcome.flows.retransmits:10}"
        print(f"{name:<12}{outcome.flows.goodput_mbps:8.2f}{delays}{counts}")
    if plot is not None:
        draw(outcomes, plot)


def draw(outcomes: dict[str, Outcome], file: str | Path) -> None:
    """Draws the round-trip times of the pings over time, for each way."""
    from weir.report import axes, save_as

    with axes(height=3.6) as ax:
        for name, outcome in outcomes.items():
            rtts = outcome.pings.rtts
            ax.plot(rtts.times_s, rtts.values, label=name, linewidth=1.2)
        ax.set_yscale("log")
        ax.set_yticks([40, 60, 100, 200, 400, 800], ["40", "60", "100", "200", "400", "800"])
        ax.set_xlabel("time in s")
        ax.set_ylabel("RTT of ping in ms")
        ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

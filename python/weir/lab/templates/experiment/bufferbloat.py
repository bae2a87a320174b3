"""A question about a network, as an experiment.

Run it with `weir experiment run bufferbloat.py`, or `python bufferbloat.py` for a plot.
"""

import weir
from weir.topology import shapes


@weir.experiment(rate=["2Mbit", "10Mbit"], queue=["16p", "64p", "256p"], seeds=3)
def bufferbloat(rate: str, queue: str, seed: int) -> dict[str, object]:
    """How long does a packet wait behind a TCP flow?

    h1 sends to h3 over a slow link, and h2 pings h4 over the same link.
    """
    topology = shapes.dumbbell(2, middle_rate=rate, queue=queue)
    with weir.Network(topology, p4="router", seed=seed, noise="realistic") as net:
        net.host("h1").start_iperf("h3", duration="10s")
        ping = net.host("h2").ping("h4", count=40, interval="250ms")
        return {"rtt_max_ms": ping.rtt_max_ms, "lost": ping.lost, "rtt": ping.rtts}


if __name__ == "__main__":
    result = bufferbloat.run(out="out/bufferbloat")
    result.plot(x="queue", y="rtt_max_ms", hue="rate", path="rtt.png")

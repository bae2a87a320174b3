"""How long does a ping take? Run it with `weir experiment run hello.py`."""

from pathlib import Path

import weir


@weir.experiment(delay=["1ms", "2ms", "5ms"])
def hello(delay: str) -> dict[str, object]:
    """How does the delay of two links change the round-trip time between their hosts?"""
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", "s1", delay=delay)
    with weir.Network(topology, p4=Path(__file__).with_name("hello.p4")) as net:
        ping = net.host("h1").ping("h2", count=5)
        return {"rtt_ms": ping.rtt_avg_ms, "lost": ping.lost}

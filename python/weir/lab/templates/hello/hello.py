"""How long does a ping take? Run it with `weir experiment run hello.py`."""

from pathlib import Path

import weir
from weir.topology import shapes


@weir.experiment(delay=["1ms", "2ms", "5ms"])
def hello(delay: str) -> dict[str, object]:
    """How does the delay of two links change the round-trip time between their hosts?"""
    topology = shapes.star(2, delay=delay, routes=None)
    with weir.Network(topology, p4=Path(__file__).with_name("hello.p4")) as net:
        ping = net.host("h1").ping("h2", count=5)
        return {"rtt_ms": ping.rtt_avg_ms, "lost": ping.lost}

"""An experiment about classes of service.

Run it with `weir experiment run priorities.py`.
"""

from pathlib import Path

import weir

HERE = Path(__file__).parent
ICMP = 1


@weir.experiment(pings=["with TCP", "with priority"])
def priorities(pings: str) -> dict[str, object]:
    """How long do pings wait behind a TCP flow?

    h1 sends to h3 over a link of 10 Mbit/s, and h2 pings h3 over the same link.
    """
    with weir.Network(HERE / "topology.json") as net:
        switch = net.switch("s1")
        for port in (1, 2, 3):
            host = net.host(f"h{port}")
            destination = {"hdr.ipv4.destination": host.ip}
            switch.table("hosts").insert(destination, "to_host", {"mac": host.mac, "port": port})
        if pings == "with priority":
            switch.table("classes").insert({"hdr.ipv4.protocol": ICMP}, "set_class", {"number": 1})
        net.host("h1").start_iperf("h3", duration="3s")
        ping = net.host("h2").ping("h3", count=20, interval="100ms")
        return {"rtt_max_ms": ping.rtt_max_ms, "lost": ping.lost}

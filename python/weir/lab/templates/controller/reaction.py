"""A controller, and an experiment about it.

Run it with `weir experiment run reaction.py`.
"""

from pathlib import Path

import weir

HERE = Path(__file__).parent


class Controller:
    """Learns from digests at which ports hosts are."""

    def __init__(self, net: weir.Network, switch: weir.Switch, reaction: str) -> None:
        self.net = net
        self.switch = switch
        self.reaction = reaction
        self.known: set[int] = set()
        switch.on_digest(self.report)

    def report(self, digest: weir.Digest) -> None:
        """Learns the address of a digest after the reaction time."""
        self.net.after(self.reaction, lambda: self.learn(digest["srcAddr"], digest["ingress_port"]))

    def learn(self, mac: int, port: int) -> None:
        """Adds an address, unless it is already known."""
        if mac not in self.known:
            self.known.add(mac)
            source = {"hdr.ethernet.srcAddr": mac, "standard_metadata.ingress_port": port}
            self.switch.table("sources").insert(source, "NoAction")
            self.switch.table("destinations").insert({"hdr.ethernet.dstAddr": mac}, "forward", {"port": port})


@weir.experiment(reaction=["1ms", "5ms", "20ms", "50ms"])
def reaction(reaction: str) -> dict[str, object]:
    """How many packets does a switch flood until its controller reacts?

    h1 pings h2 every 2 ms. Frames that arrive at h4, which takes part in nothing, were flooded.
    """
    with weir.Network(HERE / "topology.json") as net:
        Controller(net, net.switch("s1"), reaction)
        at_h4 = net.sniff("h4")
        ping = net.host("h1").ping("h2", count=50, interval="2ms")
        return {"flooded": len(at_h4), "lost": ping.lost}

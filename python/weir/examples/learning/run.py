"""A learning switch and its controller, written in Python.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: how soon the controller reacts, when entries expire, who
talks.
"""

import sys
from pathlib import Path

import weir

HERE = Path(__file__).parent
REACTION = "10ms"  # the time from a digest to the controller's entries
IDLE = "20s"  # the time without frames after which an address is forgotten


class Controller:
    """Learns addresses from digests, and forgets those that are not used."""

    def __init__(self, net: weir.Network, switch: weir.Switch) -> None:
        self.net = net
        self.switch = switch
        self.sources = switch.table("sources")
        self.destinations = switch.table("destinations")
        self.ports: dict[int, int] = {}  # by MAC address
        switch.on_digest(self.report)
        switch.on_idle(self.expire)

    def report(self, digest: weir.Digest) -> None:
        """Learns the address of a digest after the controller's reaction time."""
        self.net.after(REACTION, lambda: self.learn(digest["srcAddr"], digest["ingress_port"]))

    def expire(self, notice: weir.IdleNotice) -> None:
        """Forgets the address of an entry that no frame has used."""
        self.forget(int(notice.entry.match["hdr.ethernet.srcAddr"].replace(":", ""), 16))

    def learn(self, mac: int, port: int) -> None:
        """Adds an address, or moves it to another port, unless the controller already knows it at
        this port."""
        if self.ports.get(mac) == port:
            return
        if mac in self.ports:
            self.forget(mac)
        self.ports[mac] = port
        match = {"hdr.ethernet.srcAddr": mac, "standard_metadata.ingress_port": port}
        self.sources.insert(match, "NoAction", idle_timeout=IDLE)
        self.destinations.insert({"hdr.ethernet.dstAddr": mac}, "forward", {"port": port})

    def forget(self, mac: int) -> None:
        """Removes an address from the controller and from the switch's tables."""
        port = self.ports.pop(mac)
        self.sources.delete({"hdr.ethernet.srcAddr": mac, "standard_metadata.ingress_port": port})
        self.destinations.delete({"hdr.ethernet.dstAddr": mac})


def main(plot: str | Path | None = None) -> None:
    """Prints how many frames between other hosts reach h4, and what the controller has learned."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        h1, s1 = net.host("h1"), net.switch("s1")
        controller = Controller(net, s1)
        at_h2, at_h4 = net.sniff("h2"), net.sniff("h4")

        print("h1 pings h2 ten times, every 2 ms:")
        first = h1.ping("h2", count=10, interval="2ms", timeout="1s")
        print(f"  {first.received} replies. h4 sees {len(at_h4)} frames, flooded until s1 knows both hosts.")
        print("Again:")
        count_before = len(at_h4)
        second = h1.ping("h2", count=10, interval="2ms", timeout="1s")
        print(f"  {second.received} replies. h4 sees {len(at_h4) - count_before} frames.\n")

        print("The addresses that the controller has learned:")
        for mac, port in sorted(controller.ports.items()):
            print(f"  {mac:012x} is at port {port}")

        print(f"\nEverybody pings everybody: {net.ping_all().received} of 12 replies.")
        print(f"s1 knows {len(s1.table('destinations'))} addresses.")
        net.run_for("30s")
        print(f"After 30 s of silence it knows {len(s1.table('destinations'))}.")
    if plot is not None:
        draw({"h2": at_h2, "h4": at_h4}, plot)


def draw(seen: dict[str, weir.Sniffer], file: str | Path) -> None:
    """Draws the first packets that arrive at h2 and at h4."""
    from weir.report import COLOURS, axes, save_as

    with axes(height=2.4) as ax:
        for row, (name, colour) in enumerate([("h4", "red"), ("h2", "green")]):
            times = [frame.time_ns / 1e6 for frame in seen[name].frames if not frame.outbound]
            times = [time for time in times if time < 45]
            ax.plot(times, [row] * len(times), "|", color=COLOURS[colour], markersize=16)
        ax.set_yticks([0, 1], ["arrive at h4", "arrive at h2"])
        ax.set_ylim(-0.6, 1.6)
        ax.set_xlabel("time in ms; h1 pings h2")
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""One stream to five receivers: as multicast, and as a copy for each of them.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the rate of the stream, who joins, the shape of the
network.
"""

import sys
from pathlib import Path

import weir

HERE = Path(__file__).parent
GROUP, PORT = "239.1.1.1", 5004
RECEIVERS = ("h2", "h3", "h4", "h5", "h6")
PACKETS, PAYLOAD = 800, 1250  # one every 2.5 ms for 2 s: a stream of 4 Mbit/s
LINKS = {"h1": "h1 to s1", "s1-p2": "s1 to s2", "s1-p3": "s1 to s3", "s2-p2": "s2 to h2", "s3-p3": "s3 to h6"}


class Stream(weir.HostProgram):
    """Sends a packet to each target every 2.5 ms."""

    def __init__(self, targets: tuple[str, ...]) -> None:
        self.targets = targets
        self.sent = 0

    def start(self) -> None:
        """Sends the first packet."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next packet."""
        for target in self.targets:
            self.send_udp(target, PORT, bytes(PAYLOAD))
        self.sent += 1
        if self.sent < PACKETS:
            self.after("2.5ms")


def stream(*targets: str, leave: str | None = None) -> tuple[dict[str, float], dict[str, int]]:
    """Streams to the targets, and measures the load of the links.

    Args:
        targets: addresses or names.
        leave: a receiver behind s3 that leaves the group after a second.

    Returns:
        Mbit/s on each link while the stream runs, and the packets that arrive at each receiver.
    """
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        # Hosts do not join groups, so receivers capture frames, as a packet socket does.
        sniffers = {name: net.sniff(name, f"udp port {PORT}") for name in RECEIVERS}
        sampler = net.sample(LINKS, every="100ms")
        net.host("h1").run(Stream(targets), udp=PORT)
        if leave is not None:
            left_port = next(port for port, name in {2: "h5", 3: "h6"}.items() if name == leave)
            ports = [port for port in (1, 2, 3) if port != left_port]
            net.at("1s", lambda: net.switch("s3").set_multicast_group(1, ports))
        net.run_for("2.2s")
        rates = {end: sampler.throughput(end).between(0.15, 2).mean for end in LINKS}
        return rates, {name: len(frames) for name, frames in sniffers.items()}


def main(plot: str | Path | None = None) -> None:
    """Prints the load of the links for multicast and for unicast, and who receives what."""
    multicast, copies = stream(GROUP)
    unicast, singles = stream(*RECEIVERS)
    print(f"h1 sends a stream of 4 Mbit/s to {', '.join(RECEIVERS)}.\n")
    print("Mbit/s on the wire    multicast   unicast")
    for end, name in LINKS.items():
        print(f"{name:<20}{multicast[end]:11.2f}{unicast[end]:10.2f}")
    print(f"\nAll {PACKETS} packets arrive at each receiver: ", end="")
    print(
        f"{set(copies.values()) == {PACKETS}} with multicast, {set(singles.values()) == {PACKETS}} with unicast."
    )

    _, counts = stream(GROUP, leave="h6")
    print(f"If h6 leaves the group after 1 s, it gets {counts['h6']} packets, and h5 still {counts['h5']}.")
    if plot is not None:
        draw(multicast, unicast, plot)


def draw(multicast: dict[str, float], unicast: dict[str, float], file: str | Path) -> None:
    """Draws the load of the links."""
    from weir.report import COLOURS, axes, save_as

    with axes(height=3.4) as ax:
        for shift, (label, rates) in enumerate([("multicast", multicast), ("unicast", unicast)]):
            places = [row + 0.4 * shift for row in range(len(LINKS))]
            ax.barh(places, [rates[end] for end in LINKS], height=0.36, label=label)
        ax.axvline(20, color=COLOURS["ink"], linestyle=":", linewidth=1)
        ax.set_yticks([row + 0.2 for row in range(len(LINKS))], list(LINKS.values()))
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("Mbit/s on the wire; links have 20")
        ax.legend(loc="center right", bbox_to_anchor=(0.93, 0.5))
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""24 TCP flows over two paths of 10 Mbit/s; one of the paths fails after 4 s.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the number of flows, when the control plane reacts,
ecmp.p4.
"""

import sys
from pathlib import Path

import weir

HERE = Path(__file__).parent
FLOWS = 24
DURATION = "9s"
FAILURE, REACTION, REPAIR = "4s", "4.2s", "7s"
LEFT, RIGHT = 2, 3  # the members of the group of next hops: to s2 and to s3
UPLINKS = {"s1-p2": "over s2", "s1-p3": "over s3"}


def main(plot: str | Path | None = None) -> None:
    """Prints what each path carries before, during and after the failure."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:

        def set_paths(*members: int) -> None:
            for switch in ("s1", "s4"):
                net.switch(switch).action_profile("next_hops").modify_group(1, members)

        def repair() -> None:
            net.link("s1", "s2").up = True
            set_paths(LEFT, RIGHT)

        net.at(FAILURE, lambda: setattr(net.link("s1", "s2"), "up", False))
        net.at(REACTION, lambda: set_paths(RIGHT))
        net.at(REPAIR, repair)
        sampler = net.sample(UPLINKS, every="100ms")
        result = net.host("h1").iperf("h2", duration=DURATION, parallel=FLOWS)
        throughput = {end: sampler.throughput(end) for end in UPLINKS}

    print(f"{FLOWS} flows from h1 to h2; the link s1-s2 is down from {FAILURE} to {REPAIR}")
    print()
    print("Mbit/s on the wire    " + "".join(f"{name:>10}" for name in UPLINKS.values()) + "     total")
    for phase, start, end in [
        ("both paths", 1, 4),
        ("failed, unnoticed", 4, 4.2),
        ("one path", 4.5, 7),
        ("both paths again", 7.5, 9),
    ]:
        rates = [series.between(start, end).mean for series in throughput.values()]
        print(f"{phase:<22}" + "".join(f"{rate:10.2f}" for rate in [*rates, sum(rates)]))
    print()
    print(f"All flows together: {result.goodput_mbps:.2f} Mbit/s, {result.retransmits} retransmissions")
    if plot is not None:
        draw(throughput, plot)


def draw(throughput: dict[str, weir.Series], file: str | Path) -> None:
    """Draws what each path carries over time."""
    from weir.report import COLOURS, axes, save_as

    with axes(height=3.4) as ax:
        for end, series in throughput.items():
            ax.plot(series.times_s, series.values, label=UPLINKS[end])
        ax.axvspan(4, 7, alpha=0.08, color=COLOURS["ink"], linewidth=0)
        ax.text(5.5, 11.1, "s1-s2 is down", ha="center")
        ax.set_xlabel("time in s")
        ax.set_ylabel("throughput in Mbit/s")
        ax.set_ylim(0, 12)
        ax.legend(loc="lower right")
        print(f"picture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

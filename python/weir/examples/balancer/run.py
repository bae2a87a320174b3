"""600 connections over three servers, one of which is drained after 3 s.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the weights in s1-runtime.json, the number of connections,
which server is drained.
"""

import sys
from collections import Counter
from pathlib import Path

import weir

HERE = Path(__file__).parent
SERVICE = "203.0.113.80"
SERVERS = ("web1", "web2", "web3")
WEIGHTS = {1: 1, 2: 1, 3: 2}  # as in s1-runtime.json
CONNECTIONS = 600
DRAIN_AT = 3  # seconds


def main(plot: str | Path | None = None) -> None:
    """Prints how many connections each server gets, before and after web3 is drained."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        h1, s1 = net.host("h1"), net.switch("s1")
        remaining = {number: weight for number, weight in WEIGHTS.items() if number != 3}
        net.at(f"{DRAIN_AT}s", lambda: s1.action_profile("servers").modify_group(1, remaining))
        long = h1.start_iperf(SERVICE, duration="6s", parallel=8, interval="0.25s", server=SERVERS)
        short = h1.transfers(SERVICE, CONNECTIONS, every="10ms", size="10kB", server=SERVERS)
        flows = long.wait()

    counts_before = Counter(e.server for e in short.exchanges if e.start_ns < DRAIN_AT * 1e9)
    after = Counter(e.server for e in short.exchanges if e.start_ns >= DRAIN_AT * 1e9)
    print(f"{CONNECTIONS} short connections from h1 to {SERVICE}; web3, with twice the weight, is drained")
    print(f"after {DRAIN_AT} s.\n")
    print("server  weight  before   after  long connections")
    for number, name in enumerate(SERVERS, 1):
        streams = [stream for stream in flows.streams if stream.server == name]
        print(f"{name:<7}{WEIGHTS[number]:>7}{counts_before[name]:>8}{after[name]:>8}{len(streams):>10}")
    print(f"\nAll {short.finished} short connections finished, none failed: {short.failed == 0}.")
    long_to_web3 = [stream for stream in flows.streams if stream.server == "web3"]
    closed = all(stream.outcome == "closed" for stream in long_to_web3)
    print(f"The {len(long_to_web3)} long connections to web3 continued until they ended: {closed}.")
    if plot is not None:
        draw(short, plot)


def draw(short: weir.Fct, file: str | Path) -> None:
    """Draws the share of each server in every half second."""
    from weir.report import COLOURS, axes, save_as

    times = [step / 2 for step in range(12)]
    with axes(height=3.4) as ax:
        bottom = [0] * len(times)
        for name in SERVERS:
            started = [int(e.start_ns / 5e8) for e in short.exchanges if e.server == name]
            counts = [started.count(step) for step in range(len(times))]
            ax.bar(times, counts, width=0.46, align="edge", bottom=bottom, label=name)
            bottom = [a + b for a, b in zip(bottom, counts, strict=True)]
        ax.axvline(DRAIN_AT - 0.02, color=COLOURS["ink"], linestyle=":")
        ax.set_xlabel("time in s; web3 is drained at the dotted line")
        ax.set_ylabel("new connections in 0.5 s")
        ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

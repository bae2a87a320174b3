"""Probes measure the load of the links between three switches.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: how often probes are sent, the traffic, what switches
report.
"""

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import weir

HERE = Path(__file__).parent
EVERY = "100ms"
# The links, by the number of the switch and of its port.
LINKS = {(1, 2): "s1 to s2", (2, 2): "s2 to s3"}
TYPE_PROBE = 0x88B5  # as in monitor.p4
REPORT_BYTES = 16


@dataclass
class Report:
    """A switch's report about the port at which a probe left."""

    switch: int
    port: int
    bytes: int
    queue: int
    time_us: int


class Prober(weir.HostProgram):
    """Sends probes without reports."""

    def start(self) -> None:
        """Sends the first probe."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next probe: an Ethernet header, and the number of reports."""
        addresses = bytes.fromhex("080000000100080000000111")
        self.send(addresses + TYPE_PROBE.to_bytes(2, "big") + bytes(1))
        self.after(EVERY)


class Collector(weir.HostProgram):
    """Reads the reports of the probes that arrive."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def on_frame(self, frame: weir.Frame) -> None:
        """Reads a probe; its newest report is first."""
        for number in reversed(range(frame.data[14])):
            start = 15 + number * REPORT_BYTES
            self.reports.append(read_report(frame.data[start : start + REPORT_BYTES]))


def read_report(data: bytes) -> Report:
    """Reads the header ``report_t`` of monitor.p4."""
    return Report(
        switch=data[0],
        port=int.from_bytes(data[1:3], "big"),
        bytes=int.from_bytes(data[3:7], "big"),
        queue=int.from_bytes(data[7:10], "big"),
        time_us=int.from_bytes(data[10:16], "big"),
    )


def loads(reports: list[Report], place: tuple[int, int]) -> list[tuple[float, float]]:
    """Computes the load of a link between each two probes: times in seconds, and Mbit/s."""
    matching = [report for report in reports if (report.switch, report.port) == place]
    return [
        (new.time_us / 1e6, 8 * ((new.bytes - old.bytes) % 2**32) / (new.time_us - old.time_us))
        for old, new in pairwise(matching)
    ]


def main(plot: str | Path | None = None) -> None:
    """Prints the load of each link as the probes report it, next to the rate that was sent."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        h1, h2, h3 = net.host("h1"), net.host("h2"), net.host("h3")
        h1.run(Prober())
        collector = h2.run(Collector(), frames=f"ether proto {TYPE_PROBE:#x}")
        truth = net.sample(["s1-p2", "s2-p2"], every=EVERY)
        net.at("1s", lambda: h1.start_poisson(h3, "4Mbit", duration="4s"))
        net.at("3s", lambda: h3.start_poisson(h2, "6Mbit", duration="4s"))
        net.at("4s", lambda: h1.start_iperf(h2, udp=True, rate="3Mbit", duration="2s"))
        net.run_for("8s")
        measured = {place: loads(collector.reports, place) for place in LINKS}
        sent = {place: truth.throughput(f"s{place[0]}-p{place[1]}") for place in LINKS}
        queues = {
            place: max(r.queue for r in collector.reports if (r.switch, r.port) == place) for place in LINKS
        }

    print(
        f"{len(collector.reports)} reports arrived in {len(collector.reports) // 3} probes, one every {EVERY}.\n"
    )
    print("Mbit/s               0-1 s   1-3 s   3-4 s   4-5 s   5-6 s   6-7 s   longest queue")
    for place, name in LINKS.items():
        for who, series in (("probes", measured[place]), ("sent", list(sent[place]))):
            cells = "".join(f"{mean(series, *span):8.2f}" for span in SPANS)
            queue = f"{queues[place]:12} packets" if who == "probes" else ""
            print(f"{name + ', ' + who:<18}{cells}{queue}")
    if plot is not None:
        draw(measured, plot)


SPANS = ((0, 1), (1, 3), (3, 4), (4, 5), (5, 6), (6, 7))


def mean(series: list[tuple[float, float]], start: float, end: float) -> float:
    """Computes the mean of the values in a span of time. A value stands for the 0.1 s before its
    time."""
    values = [value for time, value in series if start < time - 0.05 < end]
    return sum(values) / len(values)


def draw(measured: dict[tuple[int, int], list[tuple[float, float]]], file: str | Path) -> None:
    """Draws the load of the links as the probes measured it."""
    from weir.report import COLOURS, axes, save_as

    with axes(height=3.4) as ax:
        for place, name in LINKS.items():
            times, values = zip(*measured[place], strict=True)
            ax.plot(times, values, label=name, drawstyle="steps-pre")
        ax.axhline(10, color=COLOURS["ink"], linestyle=":", linewidth=1)
        ax.set_xlabel("time in s")
        ax.set_ylabel("load in Mbit/s, as probes report it")
        ax.set_ylim(0, 12.5)
        ax.legend(loc="upper left", ncols=2)
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

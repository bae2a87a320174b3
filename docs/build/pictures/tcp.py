"""The pictures of docs/explanation/tcp.md: sequence numbers and congestion windows."""

from pathlib import Path

import weir
from weir.display.palette import COLOURS
from weir.measure.tcp import TcpTrace
from weir.report.plot import axes, save_as

NET = Path(__file__).parents[3] / "tests" / "net"


def trace(congestion: str, queue: str, seconds: int) -> TcpTrace:
    """A flow from h1 to h2 through a switch at 10 Mbit/s with a round-trip time of 40 ms.

    The bandwidth-delay product is 50 kB or 33 frames.
    """
    with weir.Network.load(NET / "topology.json", NET / "router.p4") as net:
        net.link("s1", "h2").delay = "19ms"
        net.link("s1", "h2").queue = queue
        result = net.host("h1").iperf("h2", duration=f"{seconds}s", congestion=congestion, trace=True)
        return result.streams[0].trace


def draw_sequence(of: TcpTrace, path: Path) -> None:
    """Segments and acknowledgements from slow start to the end of the first recovery."""
    start = of.times_ns[0]
    end = next(time for time, kind in zip(of.times_ns, of.kinds, strict=True) if kind == "recovered")
    last = end + 150_000_000
    marks = {"sent": (".", 2.0, "blue"), "acked": (".", 1.5, "soft"), "resent": ("x", 4.0, "red")}
    with axes(6.4, 3.6) as ax:
        for kind, (mark, size, colour) in marks.items():
            rows = [
                (time, number)
                for time, known, number in zip(of.times_ns, of.kinds, of.sequence, strict=True)
                if known == kind and time <= last
            ]
            times = [(time - start) / 1e9 for time, _ in rows]
            numbers = [number / 1e3 for _, number in rows]
            ax.plot(times, numbers, mark, markersize=size, color=COLOURS[colour], label=kind)
        ax.set_xlabel("time in s")
        ax.set_ylabel("sequence number in kB")
        ax.set_title("Slow start, losses, recovery, congestion avoidance")
        ax.legend()
        save_as(ax, path)


def draw_windows(traces: dict[str, TcpTrace], path: Path) -> None:
    """The congestion windows of several flows, each alone on its network."""
    with axes(6.4, 3.6) as ax:
        for (name, of), colour in zip(traces.items(), ("blue", "orange", "green"), strict=False):
            start = of.times_ns[0]
            times = [(time - start) / 1e9 for time in of.times_ns]
            ax.plot(
                times, [window / 1e3 for window in of.cwnd], color=COLOURS[colour], linewidth=1.2, label=name
            )
        ax.axhline(50, color=COLOURS["soft"], linestyle=":", linewidth=1)
        ax.set_xlabel("time in s")
        ax.set_ylabel("congestion window in kB")
        ax.set_ylim(bottom=0, top=200)
        ax.set_title("Windows on 10 Mbit/s and 40 ms; dotted: their product")
        ax.legend()
        save_as(ax, path)


def draw(folder: Path) -> list[Path]:
    """Draws both pictures."""
    sequence, windows = folder / "tcp-sequence.svg", folder / "tcp-windows.svg"
    reno = trace("reno", "33p", 30)
    draw_sequence(reno, sequence)
    traces = {
        "NewReno, queue of 33 frames": reno,
        "CUBIC, queue of 33": trace("cubic", "33p", 30),
        "BBR, queue of 165": trace("bbr", "165p", 30),
    }
    draw_windows(traces, windows)
    return [sequence, windows]

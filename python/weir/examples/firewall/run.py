"""The packets that pass a stateful firewall, and for how long.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the expiry in firewall.p4, when h1 speaks, who sends what.
"""

import sys
from pathlib import Path

import weir

HERE = Path(__file__).parent
SPEAKS = (10, 60)  # when h1 sends a datagram to port 53 of web, in seconds
DURATION = 100


class Talker(weir.HostProgram):
    """Sends a datagram every half second to port 5353 of h1, whether or not h1 wants them."""

    sent = 0

    def start(self) -> None:
        """Sends the first datagram."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next datagram, whose payload is the datagram's number."""
        self.send_udp("h1", 5353, b"%d" % self.sent)
        self.sent += 1
        self.after("0.5s")


class Listener(weir.HostProgram):
    """Records which datagrams arrive."""

    def __init__(self) -> None:
        self.arrived: set[int] = set()

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records the number of a datagram."""
        self.arrived.add(int(datagram.payload))

    def speak(self) -> None:
        """Sends a datagram to web, which opens the firewall for web's answers."""
        self.send_udp("web", 53, b"hello")


def main(plot: str | Path | None = None) -> None:
    """Prints what passes in both directions."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        h1, web = net.host("h1"), net.host("web")
        out = h1.requests("web", 10, response="50kB", keep=False)
        print(f"h1 requests 10 pages from web:   {out.finished} arrive")
        back = web.requests("h1", 3, keep=False)
        print(f"web tries the same with h1:      {back.finished} arrive, {back.failed} fail")
        answers, blocked = net.switch("s1").counter("verdicts").cells()
        print(f"s1 passed {answers.packets} packets of answers and blocked {blocked.packets} others.")

    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        listener = net.host("h1").run(Listener(), udp=5353)
        talker = net.host("web").run(Talker(), udp=53)
        for second in SPEAKS:
            net.at(f"{second}s", listener.speak)
        net.run_for(f"{DURATION}s")
    passed = [number / 2 for number in range(talker.sent) if number in listener.arrived]
    stopped = [number / 2 for number in range(talker.sent) if number not in listener.arrived]

    print(f"\nweb sends h1 {talker.sent} datagrams; h1 speaks to it after {SPEAKS[0]} s and {SPEAKS[1]} s.")
    print(f"{len(passed)} pass. The firewall is open:")
    for first, last in spans(passed):
        print(f"  from {first:g} s to {last:g} s")
    if plot is not None:
        draw(passed, stopped, plot)


def spans(times: list[float]) -> list[tuple[float, float]]:
    """Finds series of times that are at most half a second apart; returns the first and the last
    time of each series."""
    merged: list[tuple[float, float]] = []
    for time in times:
        if merged and time - merged[-1][1] <= 0.5:
            merged[-1] = (merged[-1][0], time)
        else:
            merged.append((time, time))
    return merged


def draw(passed: list[float], stopped: list[float], file: str | Path) -> None:
    """Draws when the datagrams of web reached h1, and when the firewall stopped them."""
    from weir.report import COLOURS, axes, save_as

    with axes(height=2.4) as ax:
        ax.plot(passed, [1] * len(passed), "|", color=COLOURS["green"], markersize=14)
        ax.plot(stopped, [0] * len(stopped), "|", color=COLOURS["red"], markersize=14)
        for number, second in enumerate(SPEAKS):
            ax.axvline(second, color=COLOURS["ink"], linestyle=":", label=None if number else "h1 speaks")
        ax.set_yticks([0, 1], ["blocked", "passed"])
        ax.set_ylim(-0.6, 1.6)
        ax.set_xlabel("time in s")
        ax.legend(loc="center right")
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

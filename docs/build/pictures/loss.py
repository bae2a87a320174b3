"""The picture of docs/reference/links.md: lost packets, independent and in bursts."""

from __future__ import annotations

from pathlib import Path

import weir
from weir.display.palette import COLOURS
from weir.report.plot import axes, save_as

NET = Path(__file__).parents[3] / "tests" / "net"
PACKETS = 1000
SEED = 9
INTERVAL_NS = 1470 * 8 * 1000  # at 1 Mbit/s


def lost(model: object) -> list[int]:
    """The sequence numbers of the datagrams that a model of loss drops."""
    with weir.Network.load(NET / "topology.json", NET / "router.p4", seed=SEED) as net:
        net.link("h1", "s1").loss = model
        result = net.host("h1").iperf("h2", udp=True, rate="1Mbit", count=PACKETS, packets=True)
        arrived = {time // INTERVAL_NS for time in result.streams[0].delays.times_ns}
        return sorted(set(range(PACKETS)) - arrived)


def draw(folder: Path) -> list[Path]:
    """Draws a mark for each lost packet, a row for each model."""
    models = {
        'loss = "5%"': "5%",
        'GilbertElliott(enter="1.05%", leave="20%")': weir.impairments.GilbertElliott("1.05%", "20%"),
    }
    path = folder / "gilbert-elliott.svg"
    with axes(7.2, 1.8) as ax:
        for row, (name, model) in enumerate(models.items()):
            ax.eventplot(lost(model), lineoffsets=-row, linelengths=0.5, color=COLOURS["red"])
            ax.text(0, 0.36 - row, name, fontsize=9, color=COLOURS["ink"])
        ax.set_xlim(0, PACKETS)
        ax.set_ylim(-1.5, 0.7)
        ax.set_yticks([])
        ax.grid(False)
        ax.set_xlabel("packet; a line marks a lost one")
        save_as(ax, path)
    return [path]

"""Computes the findings about round trips of an idle network."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import colour, pairs, shown, side_by_side
from weir.report import Curve, Figure, Plot, Section, draw_curves, logarithmic, signed


def findings(tables: Tables, plots: Path) -> Findings:
    """Computes the time that two routers, and the hosts' own kernels, add to a round trip."""
    added = [
        (f"{delay}", linux["rtt_median_ms"] - virtual["rtt_median_ms"])
        for delay, (virtual, linux) in pairs(tables, "delay")
        if virtual is not None and linux is not None
    ]
    answer = "; ".join(
        f"{signed(difference * 1e3)} µs with a delay of {delay}" for delay, difference in added
    )
    return Findings(
        f"A round trip on real hosts, compared with the virtual network: {answer or 'one world has no runs'} (medians).",
        [
            Section(
                "Round trips of an idle network",
                [
                    "h1 pings h3 over two routers, with nothing else in the network. In the virtual world, "
                    "a round trip consists of the links' times and the routers' latency. In the Linux "
                    "world, each packet also wakes up processes: in each direction two switches and the "
                    "link process, each of which runs as soon as the kernel lets it."
                ],
                [
                    side_by_side(
                        tables,
                        "delay",
                        "delay",
                        [
                            ("rtt_min_ms", "min (ms)", 3),
                            ("rtt_median_ms", "median (ms)", 3),
                            ("rtt_p99_ms", "99 % (ms)", 3),
                            ("lost", "lost", 1),
                        ],
                        "Round-trip times, means over seeds.",
                    )
                ],
                [
                    Figure(
                        _plot(tables, plots),
                        "The distance between the curves is what real hosts add to a round trip (without the delay of the "
                        "link in the middle).",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _plot(tables: Tables, plots: Path) -> Plot:
    trips = tables.frame("round_trips")
    curves = []
    for delay, line in zip(tables.values("delay"), ("-", "--", ":", "-."), strict=False):
        for world in shown(tables):
            rtts = trips.filter(pl.col("world") == world, pl.col("delay") == delay)["added_ms"].sort()
            shares = [(index + 1) / rtts.len() for index in range(rtts.len())]
            style = {"color": colour(world), "linestyle": line}
            curves.append(Curve(f"{world}, {delay}", rtts, shares, style))
    return draw_curves(
        plots,
        "round-trips",
        curves,
        x="round trip without the links' delay in ms",
        y="share of round trips",
        wide=True,
        decorate=logarithmic("x"),
    )

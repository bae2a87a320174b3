"""The lab in both worlds, side by side (``--world linux``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from weir.labs import Findings, Tables
from weir.labs.worlds import colour, largest_difference, pairs, shown, side_by_side, verdict
from weir.report import Curve, Figure, Plot, Section, draw_curves, logarithmic

from .common import Line, fit_line, rate_name, transmissions_axis

_LINES = ("-", "--", ":", "-.")


def rtt(tables: Tables, plots: Path) -> Findings:
    """Round trips by link rate and X: links take the same time, passes take the computer's."""
    limited = [rate for rate in tables.values("rate") if rate != "unlimited"]
    found = {rate: largest_difference(tables, "x", "rtt_min_ms", rate=rate) for rate in limited}
    apart = "; ".join(f"{rate_name(rate)}: {verdict(one)}" for rate, one in found.items())
    lines = _fits(tables)
    passes = ", ".join(
        f"{world} {1e3 * line.a:.0f} µs + {1e3 * line.b:.2f} µs · X" for world, line in lines.items()
    )
    return Findings(
        f"Over unlimited links a round trip takes: {passes or 'not known'} (minimum). By link rate and X, {apart or 'not known'}.",
        [
            Section(
                "Round trips by number of recirculations, in both worlds",
                [
                    "A packet passes the switch X + 1 times on each way. In the virtual world each pass takes 1 µs (profile "
                    "modern) and hosts take no time. On this computer a pass takes what it takes, and each hop wakes up a process. "
                    "On links with a rate, the four transmissions of a round trip take bytes · 8 / rate in both worlds."
                ],
                [
                    side_by_side(
                        tables,
                        "x",
                        "X",
                        [
                            ("rtt_min_ms", "min (ms)", 3),
                            ("rtt_median_ms", "median (ms)", 3),
                            ("lost", "lost", 1),
                        ],
                        f"Links: {rate_name(rate)}.",
                        rate=rate,
                    )
                    for rate in tables.values("rate")
                ],
                [
                    Figure(
                        _rtt_plot(tables, plots),
                        "Minimum round trip against transmissions, by link rate, in both worlds.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def custom(tables: Tables, plots: Path) -> Findings:
    """Custom packets pass X + 1 times in each switch, pings once."""
    fields = ("received", "answered", "ingress_num", "egress_num", "ping_received", "ping_ttl")
    equal = [
        all(virtual[key] == linux[key] for key in fields)
        for count in tables.values("switches")
        for _, (virtual, linux) in pairs(tables, "x", switches=count)
        if virtual is not None and linux is not None
    ]
    answer = "One world has no runs."
    if equal:
        same = "as many packets, the same passes and the same TTLs in both worlds"
        answer = f"At {sum(equal)} of {len(equal)} points, {same}."
    return Findings(
        answer,
        [
            Section(
                "Strategy 2 in both worlds: only custom packets recirculate",
                [
                    "Programs on the hosts send and receive packets of EtherType 0x1313, which count their passes. Pings in the same "
                    "network pass each switch once. The one-way delay in the Linux world includes the programs' own time."
                ],
                [
                    side_by_side(
                        tables,
                        "x",
                        "X",
                        [
                            ("answered", "answered", 0),
                            ("ingress_num", "passes counted", 0),
                            ("delay_min_ms", "one-way delay (ms)", 3),
                            ("ping_rtt_min_ms", "ping, min (ms)", 3),
                            ("ping_ttl", "ping, TTL", 0),
                        ],
                        f"Over {count} {'switch' if count == 1 else 'switches'}.",
                        switches=count,
                    )
                    for count in tables.values("switches")
                ],
            )
        ],
    )


def udp(tables: Tables, plots: Path) -> Findings:
    """What is lost of datagrams below and above the link's rate."""
    apart = [
        (abs(linux["loss_percent"] - virtual["loss_percent"]), mbps)
        for x in tables.values("x")
        for mbps, (virtual, linux) in pairs(tables, "mbps", x=x)
        if virtual is not None and linux is not None
    ]
    known = "one of the worlds has no runs"
    if apart:
        known = (
            f"the worlds' losses differ by {max(apart)[0]:.2f} points at most, at {max(apart)[1]:g} Mbit/s"
        )
    return Findings(
        f"Datagrams that the link has room for arrive, however often they recirculate, and {known}.",
        [
            Section(
                "UDP by sending rate, in both worlds",
                [
                    "Where neither the processor nor the kernel is the limit, only the link loses datagrams. BMv2 in the thesis lost "
                    "them in the switch, because each recirculation takes a pass of its capacity; this switch has passes to spare."
                ],
                [
                    side_by_side(
                        tables,
                        "mbps",
                        "sent (Mbit/s)",
                        [
                            ("goodput_mbps", "arrived (Mbit/s)", 3),
                            ("loss_percent", "loss (%)", 2),
                            ("delay_ms", "one-way delay (ms)", 2),
                        ],
                        f"X = {x}, links {rate_name(tables.values('link')[0])}.",
                        x=x,
                    )
                    for x in tables.values("x")
                ],
            )
        ],
    )


def tcp(tables: Tables, plots: Path) -> Findings:
    """TCP over the switch: the link is the limit in both worlds."""
    links = tables.values("link")
    found = {link: largest_difference(tables, "x", "goodput_mbps", link=link) for link in links}
    apart = "; ".join(f"{rate_name(link)}: {verdict(one)}" for link, one in found.items())
    return Findings(
        f"TCP fills the links at every X. By link rate, {apart}.",
        [
            Section(
                "TCP by number of recirculations, in both worlds",
                [
                    "The switch has passes to spare, so the link is the limit: headers take a part of its rate."
                ],
                [
                    side_by_side(
                        tables,
                        "x",
                        "X",
                        [("goodput_mbps", "throughput (Mbit/s)", 3), ("retransmits", "retransmitted", 1)],
                        f"Links: {rate_name(link)}.",
                        link=link,
                    )
                    for link in links
                ],
                [
                    Figure(
                        _plot(tables, plots, "link", "goodput_mbps", "tcp-worlds", "throughput in Mbit/s"),
                        "Mean throughput of TCP against transmissions, by link rate, in both worlds.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _fits(tables: Tables) -> dict[str, Line]:
    """By world, the line through the minimum round trips over unlimited links."""
    points = tables.points("world", "x", rate="unlimited").drop_nulls("rtt_min_ms")
    found = {}
    for world in shown(tables):
        cells = points.filter(points["world"] == world)
        if cells["x"].n_unique() >= 2:
            found[world] = fit_line(cells["x"].to_list(), cells["rtt_min_ms"].to_list())
    return found


def _rtt_plot(tables: Tables, plots: Path) -> Plot:
    return _plot(tables, plots, "rate", "rtt_min_ms", "rtt-worlds", "minimum round trip in ms", log=True)


def _plot(
    tables: Tables, plots: Path, parameter: str, column: str, name: str, y: str, log: bool = False
) -> Plot:
    """A line for each world and value of a parameter, against transmissions."""
    curves = []
    for value, line in zip(tables.values(parameter), _LINES, strict=False):
        for world in shown(tables):
            rows: list[dict[str, Any]] = tables.points("world", "x", **{parameter: value}).to_dicts()
            cells = [row for row in rows if row["world"] == world]
            style = {"color": colour(world), "linestyle": line, "marker": "o" if world == "virtual" else "x"}
            label = f"{world}, {rate_name(value)}"
            curves.append(
                Curve(label, [row["x"] + 1 for row in cells], [row[column] for row in cells], style)
            )

    def decorate(ax: Axes) -> None:
        if log:
            logarithmic("y")(ax)
        transmissions_axis(ax, tables.values("x"))

    return draw_curves(plots, name, curves, x="", y=y, wide=True, decorate=decorate)

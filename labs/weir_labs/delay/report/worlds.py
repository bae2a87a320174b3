"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from weir.lab import Findings, Tables, by_at_most, count_noun, part_of, span
from weir.lab.worlds import colour, largest_difference, pairs, shown, side_by_side, verdict
from weir.report import Curve, Figure, Plot, Section, draw_curves, logarithmic
from weir.units import rate_bps

from ..theory import rate_name
from .common import TRANSMISSIONS, fit_line, transmissions_axis

_LINES = ("-", "--", ":", "-.")


def rtt(tables: Tables, plots: Path) -> Findings:
    """Compares round trips in both worlds, by link rate and X."""
    networks = _networks(tables, "rate", "switches")
    limited = {name: where for name, where in networks.items() if where["rate"] != "unlimited"}
    differences = {
        name: largest_difference(tables, "x", "rtt_min_ms", **where) for name, where in limited.items()
    }
    apart = "; ".join(f"{name}: {verdict(difference)}" for name, difference in differences.items())
    passes = ", ".join(_unlimited_round_trips(tables))
    return Findings(
        (f"Over unlimited links a round trip takes: {passes} (minimum). " if passes else "")
        + (f"By link rate and X, {apart}." if apart else "Links with a rate were not run."),
        [
            Section(
                "Round trips by number of recirculations, in both worlds",
                [
                    "A packet passes the switch X + 1 times in each direction. In the virtual world "
                    "each pass takes 1 µs (profile modern) and hosts have no processing time. In the "
                    "Linux world a pass takes as long as this computer needs, and each hop wakes up "
                    "a process. On links with a rate, the four transmissions of a round trip take "
                    "bytes · 8 / rate in both worlds."
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
                        f"Links: {name}.",
                        **where,
                    )
                    for name, where in networks.items()
                ],
                [
                    Figure(
                        _rtt_plot(tables, plots, count),
                        "Minimum round trips by transmissions, with a line for each world and link rate.",
                        wide=True,
                    )
                    for count in tables.values("switches")
                ],
            )
        ],
    )


def custom(tables: Tables, plots: Path) -> Findings:
    """Compares custom packets and pings in both worlds."""
    fields = ("received", "answered", "ingress_num", "egress_num", "ping_received", "ping_ttl")
    equal = [
        all(virtual[key] == linux[key] for key in fields)
        for count in tables.values("switches")
        for _, (virtual, linux) in pairs(tables, "x", switches=count)
        if virtual is not None and linux is not None
    ]
    answer = "There are no runs of one world."
    if equal:
        same = "both worlds have the same number of packets, the same passes and the same TTLs"
        answer = f"At {part_of(sum(equal), len(equal), 'point')}, {same}."
    return Findings(
        answer,
        [
            Section(
                "Strategy 2 in both worlds: only custom packets recirculate",
                [
                    "Programs on the hosts send and receive packets of EtherType 0x1313, which count "
                    "their passes. Pings in the same network pass each switch once. The one-way "
                    "delay in the Linux world includes the programs' own time."
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
                        f"Over {count_noun(count, 'switch')}.",
                        switches=count,
                    )
                    for count in tables.values("switches")
                ],
            )
        ],
    )


def udp(tables: Tables, plots: Path) -> Findings:
    """Compares the loss of datagrams in both worlds, below and above the link's rate."""
    links = tables.values("link")
    apart = [
        (abs(linux["loss_percent"] - virtual["loss_percent"]), mbps)
        for link in links
        for x in tables.values("x")
        for mbps, (virtual, linux) in pairs(tables, "mbps", x=x, link=link)
        if virtual is not None and linux is not None
    ]
    comparison = "there are no runs of one world"
    if apart:
        comparison = (
            f"the worlds' losses differ {by_at_most(max(apart)[0], len(apart), unit='points')}, at "
            f"{max(apart)[1]:g} Mbit/s"
        )
    return Findings(
        f"{_loss_below_the_rate(tables)}; {comparison}.",
        [
            Section(
                "UDP by sending rate, in both worlds",
                [
                    "Where neither the processor nor the kernel is the limit, only the link loses "
                    "datagrams. In the thesis, BMv2 lost them in the switch, because each "
                    "recirculation uses a pass of the switch's capacity; this switch has more capacity "
                    "than it needs."
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
                        f"X = {x}, links {rate_name(link)}.",
                        x=x,
                        link=link,
                    )
                    for link in links
                    for x in tables.values("x")
                ],
            )
        ],
    )


def tcp(tables: Tables, plots: Path) -> Findings:
    """Compares the TCP throughput in both worlds."""
    links = _networks(tables, "link")
    differences = {
        name: largest_difference(tables, "x", "goodput_mbps", **where) for name, where in links.items()
    }
    apart = "; ".join(f"{name}: {verdict(difference)}" for name, difference in differences.items())
    return Findings(
        f"{_share_of_links(tables)}By link rate, {apart}.",
        [
            Section(
                "TCP by number of recirculations, in both worlds",
                [
                    "The switch has more capacity than it needs, so the link is the limit, and headers "
                    "use a part of its rate."
                ],
                [
                    side_by_side(
                        tables,
                        "x",
                        "X",
                        [("goodput_mbps", "throughput (Mbit/s)", 3), ("retransmits", "retransmitted", 1)],
                        f"Links: {name}.",
                        **where,
                    )
                    for name, where in links.items()
                ],
                [
                    Figure(
                        _plot(tables, plots, links, "goodput_mbps", "tcp-worlds", "throughput in Mbit/s"),
                        "Throughput by transmissions, with a line for each world and link rate.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _loss_below_the_rate(tables: Tables) -> str:
    """Says how much is lost where the link's rate is sufficient for all datagrams."""
    losses = [
        row["loss_percent"]
        for row in tables.points("world", "link", "mbps", "x").iter_rows(named=True)
        if row["loss_percent"] is not None
        and row["link"] != "unlimited"
        and row["mbps"] * 1e6 * _FRAME_SHARE <= rate_bps(row["link"])
    ]
    if not losses:
        return "No sending rate that the link can carry was run"
    if max(losses) == 0:
        return f"Where the link's rate is sufficient for all datagrams, none is lost ({count_noun(len(losses), 'point')})"
    return f"Where the link's rate is sufficient for all datagrams, up to {max(losses):.2f} % are lost"


def _share_of_links(tables: Tables) -> str:
    """Says which share of the links' rates TCP gets; empty if all links are unlimited."""
    shares = [
        100 * row["goodput_mbps"] * 1e6 / rate_bps(row["link"])
        for row in tables.points("world", "link", "x").iter_rows(named=True)
        if row["link"] != "unlimited" and row["goodput_mbps"] is not None
    ]
    return f"TCP gets {span(min(shares), max(shares), 1)} % of the links' rates. " if shares else ""


_FRAME_SHARE = 1512 / 1470
"""The length of a datagram's frame, as a multiple of its payload."""

Where = dict[str, Any]
"""The type of the values of parameters that select runs."""


def _networks(tables: Tables, rate: str, switches: str | None = None) -> dict[str, Where]:
    """Returns the parameters of each network of the runs, by a name such as ``10 Mbit/s, 2
    switches``.

    Args:
        tables: the tables of the experiment.
        rate: the name of the parameter with the links' rate.
        switches: the name of the parameter with the number of switches, which names contain if it
            varies.
    """
    rates = {rate_name(value): {rate: value} for value in tables.values(rate)}
    if switches is None:
        return rates
    counts = tables.values(switches)
    if len(counts) == 1:
        return {name: {**where, switches: counts[0]} for name, where in rates.items()}
    return {
        f"{name}, {count_noun(count, 'switch')}": {**where, switches: count}
        for name, where in rates.items()
        for count in counts
    }


def _unlimited_round_trips(tables: Tables) -> list[str]:
    """Formats the minimum round trips over unlimited links, by world and number of switches: a line
    over X or, for a single X, the round trip."""
    sentences = []
    for name, where in _networks(tables, "rate", "switches").items():
        if where["rate"] != "unlimited":
            continue
        points = tables.points("world", "x", **where).drop_nulls("rtt_min_ms")
        for world in shown(tables):
            cells = points.filter(points["world"] == world)
            if cells.is_empty():
                continue
            title = f"{world}{name.removeprefix('unlimited')}"
            line = fit_line(cells["x"].to_list(), cells["rtt_min_ms"].to_list())
            sentences.append(
                f"{title} {1e3 * cells['rtt_min_ms'][0]:.0f} µs at X = {cells['x'][0]}"
                if line is None
                else f"{title} {1e3 * line.a:.0f} µs + {1e3 * line.b:.2f} µs · X"
            )
    return sentences


def _rtt_plot(tables: Tables, plots: Path, switches: int) -> Plot:
    """Plots the round trips over a number of switches."""
    networks = {
        name: where
        for name, where in _networks(tables, "rate", "switches").items()
        if where["switches"] == switches
    }
    name = "rtt-worlds" if len(tables.values("switches")) == 1 else f"rtt-worlds-{switches}"
    return _plot(tables, plots, networks, "rtt_min_ms", name, "minimum round trip in ms", log=True)


def _plot(
    tables: Tables,
    plots: Path,
    networks: dict[str, Where],
    column: str,
    name: str,
    y: str,
    log: bool = False,
) -> Plot:
    """Plots a column against transmissions, with a line for each world and network."""
    curves = []
    for (title, where), line in zip(networks.items(), itertools.cycle(_LINES), strict=False):
        for world in shown(tables):
            rows: list[Where] = tables.points("world", "x", **where).to_dicts()
            cells = [row for row in rows if row["world"] == world]
            style = {"color": colour(world), "linestyle": line, "marker": "o" if world == "virtual" else "x"}
            label = f"{world}, {title}"
            curves.append(
                Curve(label, [row["x"] + 1 for row in cells], [row[column] for row in cells], style)
            )

    def decorate(ax: Axes) -> None:
        if log:
            logarithmic("y")(ax)
        transmissions_axis(ax, tables.values("x"))

    return draw_curves(plots, name, curves, x=TRANSMISSIONS, y=y, wide=True, decorate=decorate)

"""Computes the findings about where the computer's limits begin."""

from __future__ import annotations

from pathlib import Path

from weir.lab import Findings, Tables
from weir.lab.worlds import Pair, colour, pairs, shown
from weir.report import Curve, Figure, Plot, Section, Table, decimal, draw_curves, logarithmic

BEHIND_PERCENT = 10.0
"""The difference in goodput, in per cent, above which the Linux world counts as behind the virtual
one."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Finds the first rate at which the Linux world falls behind, and shows the processors'
    activity."""
    return Findings(
        answer(list(pairs(tables, "rate"))),
        [
            Section(
                "Where the computer's limits begin",
                [
                    "One TCP flow from h1 to h3, over faster and faster links in the middle. The virtual "
                    "world takes longer to compute more packets, and its results stay the same. In the "
                    "Linux world, the computer's processors run the hosts' TCP, both switches, the links "
                    "and all other programs. In softirqs, the kernel moves packets between interfaces and "
                    "through TCP; the rest of the busy time is system calls and programs."
                ],
                [_table(tables)],
                [
                    Figure(
                        _plot_goodput(tables, plots),
                        "The Linux world has fallen behind where its curve leaves that of the virtual one.",
                    ),
                    Figure(
                        _plot_processors(tables, plots),
                        "The Linux world has no time left where “busy” reaches 100 %.",
                    ),
                ],
                notes=[
                    "On another computer, or next to other programs, the limit is elsewhere.",
                ],
            )
        ],
    )


def answer(pairs_by_rate: list[tuple[str, Pair]]) -> str:
    """Says at which rate the Linux world falls behind the virtual one, and why.

    Args:
        pairs_by_rate: rates, slowest first, each with the means of both worlds.
    """
    pairs = [
        (rate, virtual, linux)
        for rate, (virtual, linux) in pairs_by_rate
        if virtual is not None and linux is not None
    ]
    if not pairs:
        return "One of the worlds has no runs."
    behind = [
        pair
        for pair in pairs
        if pair[2]["goodput_mbps"] < (1 - BEHIND_PERCENT / 100) * pair[1]["goodput_mbps"]
    ]
    if not behind:
        rate, _, linux = pairs[-1]
        link = f"up to the fastest link, {rate}" if len(pairs) > 1 else f"up with a link of {rate}"
        return (
            f"This computer keeps {link}: processors busy for {linux['busy_percent']:.0f} % of the time, "
            f"{linux['softirq_percent']:.0f} % in softirqs."
        )
    rate, virtual, linux = behind[0]
    return (
        f"The Linux world falls behind at {rate}: {linux['goodput_mbps']:.0f} Mbit/s instead of {virtual['goodput_mbps']:.0f}. "
        f"{_reason(linux)}"
    )


def _reason(linux: dict[str, float]) -> str:
    """Says why a flow fell behind, if the processors' figures show the reason."""
    busy, softirq, kernel = (linux[f"{column}_percent"] for column in ("busy", "softirq", "kernel"))
    shares = f"processors are busy for {busy:.0f} % of the time: {softirq:.0f} % softirqs, {kernel:.0f} % system calls"
    if busy > 85:
        return f"The processors have no time left: {shares}. Before the flow began, they were busy for {linux['before_percent']:.0f} %."
    if linux["backlog_drops"] > 0:
        return f"The kernel dropped {linux['backlog_drops']:.0f} packets between interfaces; {shares}."
    return f"The cause was not measured: no packet was dropped between interfaces, and {shares}."


def _table(tables: Tables) -> Table:
    rows = []
    for rate, (virtual, linux) in pairs(tables, "rate"):
        row = [f"{rate}"]
        row += [decimal(world["goodput_mbps"], 1) if world else "–" for world in (virtual, linux)]
        row += [decimal(world["filled_percent"], 1) if world else "–" for world in (virtual, linux)]
        for column, digits in (
            ("retransmits", 0),
            ("before_percent", 0),
            ("busy_percent", 0),
            ("softirq_percent", 0),
            ("kernel_percent", 0),
            ("backlog_drops", 0),
        ):
            row.append(decimal(linux[column], digits) if linux and linux[column] is not None else "–")
        rows.append(row)
    head = [
        "rate", "goodput (Mbit/s): virtual", "Linux", "of the link (%): virtual", "Linux", "retransmits", "busy before (%)", "busy (%)",
        "softirqs (%)", "system calls (%)", "backlog drops",
    ]  # fmt: skip
    return Table(head, rows, "Means over seeds; columns from the retransmits on are of the Linux world.")


def _plot_goodput(tables: Tables, plots: Path) -> Plot:
    points = tables.points("world", "rate").sort("rate_mbps").to_dicts()
    curves = [
        Curve(
            world,
            [row["rate_mbps"] for row in points if row["world"] == world],
            [row["goodput_mbps"] for row in points if row["world"] == world],
            {"color": colour(world), "marker": "o" if world == "virtual" else "x"},
        )
        for world in shown(tables)
    ]
    return draw_curves(
        plots,
        "limits-goodput",
        curves,
        x="rate of the link in Mbit/s",
        y="goodput in Mbit/s",
        decorate=logarithmic("x", "y"),
    )


def _plot_processors(tables: Tables, plots: Path) -> Plot:
    points = tables.points("world", "rate").sort("rate_mbps").to_dicts()
    rows = [row for row in points if row["world"] == "linux"]
    curves = [
        Curve(label, [row["rate_mbps"] for row in rows], [row[column] for row in rows], {"marker": "o"})
        for label, column in (
            ("busy", "busy_percent"),
            ("system calls", "kernel_percent"),
            ("softirqs", "softirq_percent"),
        )
    ]
    return draw_curves(
        plots,
        "limits-processors",
        curves,
        x="rate of the link in Mbit/s",
        y="share of time in %",
        decorate=logarithmic("x"),
    )

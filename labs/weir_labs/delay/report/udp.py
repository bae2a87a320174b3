"""The report on UDP throughput and loss (figures 5.19 and 5.20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, part_of
from weir.report import Figure, Panel, Plot, Section, Table, draw_panels

from ..survival import SHARE, largest_surviving_x
from ..theory import rate_name
from .common import TRANSMISSIONS, curves, transmissions_axis


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the throughput of each sending rate at each link rate, and the largest X without
    loss."""
    links = tables.values("link")
    survivals = {
        link: {rate: largest_surviving_x(tables, link, rate) for rate in tables.values("mbps")}
        for link in links
    }
    goodput, loss = _figures(tables, plots)
    sections = [
        Section(
            "UDP throughput",
            tables=[_survival_table(survivals)],
            figures=[goodput],
            notes=_notes(links),
        ),
        Section(
            "UDP loss, and all points",
            tables=[
                replace(_table(tables.points("mbps", "x", link=link)), caption=f"Links {rate_name(link)}.")
                for link in links
            ],
            figures=[loss],
            notes=[_QUEUED],
            folded=True,
        ),
    ]
    first = survivals[links[0]]
    least = min(tables.values("x"))
    limits = ", ".join(
        f"{rate:g} Mbit/s {'at' if x == least else 'up to'} X = {x}"
        for rate, x in first.items()
        if x is not None
    )
    rule = _capacity_rule(tables.points("mbps", "x", link=links[0]), links[0])
    return Findings(
        f"{rule} At least {100 * SHARE:g} % of the sending rate arrives at {limits or 'no point'}.", sections
    )


def _capacity_rule(points: pl.DataFrame, link: str) -> str:
    """Says at how many points a sending rate survives exactly if the switch has enough passes for
    it."""
    capacity = points["capacity_per_s"][0]
    rows = [
        (row["goodput_mbps"] >= SHARE * row["mbps"], row["load_per_s"] <= capacity)
        for row in points.iter_rows(named=True)
    ]
    rule = (
        "a sending rate survives exactly if (X + 1) · packets per second is at most the switch's capacity "
        f"({capacity:,.0f} passes/s)"
    )
    if len({fits for _, fits in rows}) < 2:
        return f"Not run: whether {rule}, which needs points below and above the capacity."
    agree = sum(survives == fits for survives, fits in rows)
    return f"At {part_of(agree, len(rows), 'point')} over {rate_name(link)} links, {rule}."


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("sending (Mbit/s)", "mbps", "g"),
            ("X", "x"),
            ("runs", "n"),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("± 95 %", "goodput_mbps_half", 4),
            ("loss (%)", "loss_percent", 2),
            ("± 95 %", "loss_percent_half", 3),
            ("delay (ms)", "delay_ms", 2),
            ("passes/s needed", "load_per_s", 0),
        ],
        marked=(3, 5),
    )


def _survival_table(survivals: Mapping[str, Mapping[float, int | None]]) -> Table:
    """Builds a table of the largest X that each sending rate survives, by link rate."""
    rates = next(iter(survivals.values()))
    rows = []
    for rate in rates:
        largest = (survivals[link][rate] for link in survivals)
        rows.append([f"{rate:g}", *("none" if x is None else f"X = {x}" for x in largest)])
    head = ["sending (Mbit/s)", *(f"survives until, links {rate_name(link)}" for link in survivals)]
    caption = (
        f"Survival: the largest X up to which goodput is at least {100 * SHARE:g} % of the sending rate."
    )
    return Table(head, rows, caption, words=range(1, len(head)))


_QUEUED: Final = (
    "Packets beyond the capacity wait in the switch's input queue of 1024 packets, and are lost when "
    "the queue is full. Loss therefore starts later than overload, and the delay grows to the time that a "
    "full queue needs to drain. Survival is therefore judged by goodput over the time from the first "
    "datagram's arrival to the last one's, which includes the time that datagrams wait in a queue."
)


def _notes(links: Sequence[str]) -> list[str]:
    notes = [
        "8 Mbit/s at X = 3 needs as many passes as 4 Mbit/s at X = 7 and 2 Mbit/s at X = 15, so "
        "all three should survive. The thesis mentions X = 1 for 8 Mbit/s and does not say at which X the "
        "loss starts.",
    ]
    if "10Mbit" in links:
        notes.append(
            "On links of 10 Mbit/s, 10 Mbit/s of payload need 10.29 Mbit/s, headers included, so 9.72 "
            "Mbit/s arrive; the rest waits in the link's queue of 1000 frames, which is not full after 10 "
            "s. 9.5 Mbit/s need 9.77 and fit. The thesis saw both fall at X = 1, and blames the load "
            "of the output link. The link cannot be the cause, neither in BMv2 nor here: BMv2's "
            "egress thread returns a recirculated packet to the input buffer, and only packets that "
            "leave the switch reach the output buffer and the link. The number of passes is not the "
            "cause either: 9.5 Mbit/s need 1616 passes per second at X = 1, and the same switch "
            "makes 2721 at 4 Mbit/s and X = 7. At 10 Mbit/s the link is full without any "
            "recirculation; the fall at 9.5 Mbit/s is not explained. The lab's page has runs with "
            "BMv2's simple_switch, which do not show it either."
        )
    return notes


def _figures(tables: Tables, plots: Path) -> list[Figure]:
    """Draws the figures of throughput and loss for all link rates."""
    return [
        Figure(
            _plot(tables, "goodput_mbps", "throughput in Mbit/s", "udp-goodput", plots),
            "Mean throughput by transmissions, with a curve for each sending rate (thesis, figures 5.19 "
            "and 5.20).",
            wide=True,
        ),
        Figure(
            _plot(tables, "loss_percent", "loss in %", "udp-loss", plots),
            "Mean loss of the same runs.",
            wide=True,
        ),
    ]


def _plot(tables: Tables, measure: str, y: str, name: str, plots: Path) -> Plot:
    """Plots a measure with a panel for each link rate and a line for each sending rate."""
    panels = []
    for link in tables.values("link"):
        points = tables.points("mbps", "x", link=link)
        lines = {
            f"{rate:g} Mbit/s": ([x + 1 for x in cells["x"]], cells[measure].to_list())
            for (rate,), cells in points.partition_by("mbps", maintain_order=True, as_dict=True).items()
        }
        panels.append(Panel(f"links {rate_name(link)}", curves(lines)))
    xs = sorted(tables.values("x"))
    return draw_panels(
        plots,
        name,
        panels,
        x=TRANSMISSIONS,
        y=y,
        decorate=lambda ax: transmissions_axis(ax, xs),
    )

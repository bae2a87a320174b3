"""The report that compares one switch with several at equal transmissions (figures 5.22 to
5.27)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, by_at_most, count_noun, part_of, span
from weir.report import Figure, Panel, Plot, Section, Table, decimal, draw_panels, interval, measured

from ..theory import rate_name
from ..thesis import PUBLISHED, RTT_TWO_SWITCHES_MS, TCP_TWO_SWITCHES_MBPS
from .common import Lines, curves, percent, transmissions_axis

_SAME_SHARE: Final = 0.01
"""The difference of two throughputs up to which they count as the same, as a share."""


def rtt(tables: Tables, plots: Path) -> Findings:
    """Reports the round trips over one and several switches."""
    runs, links = tables.runs, tables.values("link")
    differences, published = differences_by_switches(runs, links[0]), _published_rtt()
    return Findings(
        _difference_sentence(differences, links[0]),
        [
            Section(
                "Round trips: one against several switches",
                [
                    "Transmissions are passes through the switches: X + 1 over one switch, 2 · (X + 1) "
                    "over two. Over links without delay it does not matter which switch makes the "
                    "passes. Each additional switch adds a link in each direction, and its "
                    "transmission time counts on slow links. The thesis saw the same growth, and "
                    "attributed it to the processing of more components."
                ],
                [
                    _rtt_table(runs, published).fold(
                        "Minimum round trips by link rate, switches and transmissions."
                    )
                ],
                [
                    Figure(
                        _plot(
                            plots,
                            "switches-rtt",
                            runs,
                            "rtt_min_ms",
                            "round trip in ms",
                            {"unlimited": published},
                        ),
                        "Round trips by transmissions, with a curve for each chain (thesis, figures "
                        f"5.22 and 5.23). {_difference_sentence(differences, links[0])}",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _difference_sentence(differences: Sequence[float], link: str) -> str:
    if not differences:
        return (
            "Not run: whether round trips over one and several switches are the same, which needs two chains "
            "with equal transmissions."
        )
    worst = max(differences)
    how = "are the same" if worst == 0 else f"differ {by_at_most(worst, len(differences), 1)}"
    return f"At equal transmissions, minimum round trips over one and several switches {how}, links {rate_name(link)}."


def tcp(tables: Tables, plots: Path) -> Findings:
    """Reports the TCP throughput over one and two switches."""
    points = tables.points("link", "switches", "transmissions")
    return Findings(
        _gains_sentence(compare_switches(points)),
        [
            Section(
                "TCP throughput: one against two switches",
                [
                    "One switch makes all passes of a packet; two switches make half of them each, and "
                    "each switch has a capacity of its own. The throughput should therefore double where a "
                    "switch is the limit. Where the link is the limit, both throughputs should be that "
                    "of the link."
                ],
                [_tcp_table(points).fold("Throughput by link rate, switches and transmissions.")],
                [
                    Figure(
                        _plot(
                            plots,
                            "switches-tcp",
                            points,
                            "goodput_mbps",
                            "throughput in Mbit/s",
                            {
                                link: {_switches_label(2): ([2], [mbps])}
                                for link, mbps in TCP_TWO_SWITCHES_MBPS.items()
                            },
                        ),
                        "Throughput by transmissions over one and two switches (thesis, figures 5.24 "
                        "to 5.27).",
                        wide=True,
                    )
                ],
                notes=[
                    "Over two switches the thesis measured 21.7 Mbit/s on links of 25 Mbit/s and 23.03 "
                    "on unlimited links. In the lab, the limit is the link in the first case, and the "
                    "switches' passes in the second."
                ],
            )
        ],
    )


def _gains_sentence(compared: list[tuple[str, int, float, float]]) -> str:
    """Compares the throughput over two switches with that over one."""
    if not compared:
        return (
            "Not run: whether TCP has a higher throughput over two switches than over one, which needs both "
            "chains with equal transmissions."
        )
    # A chain of two switches has at least two transmissions; with one switch, these recirculate.
    same = [row for row in compared if abs(row[3] / row[2] - 1) <= _SAME_SHARE]
    higher = [row for row in compared if row[3] > row[2] and row not in same]
    lower = "; ".join(
        f"{rate_name(link)}, {transmissions} transmissions ({two:.2f} Mbit/s over two, {one:.2f} over one)"
        for link, transmissions, one, two in compared
        if two < one and (link, transmissions, one, two) not in same
    )
    text = (
        "At equal transmissions, TCP has a higher throughput over two switches than over one at "
        f"{part_of(len(higher), len(compared), 'point')}"
    )
    text += f", and the same within {100 * _SAME_SHARE:g} % at {len(same)}" if same else ""
    text += f"; a lower one at {lower}." if lower else "."
    gains = [two / one for _, transmissions, one, two in compared if transmissions > 2]
    return text + (
        f" From 4 transmissions on, the ratio is {span(min(gains), max(gains), 2)}." if gains else ""
    )


def differences_by_switches(runs: pl.DataFrame, link: str) -> list[float]:
    """Computes the differences of minimum round trips of several chains at equal transmissions, in
    per cent, for each number of transmissions that several chains have."""
    differences = []
    for cells in runs.filter(pl.col("link") == link).drop_nulls("rtt_min_ms").partition_by("transmissions"):
        values = cells["rtt_min_ms"].to_list()
        if cells["switches"].n_unique() > 1:
            differences.append(100 * (max(values) / min(values) - 1))
    return differences


def compare_switches(points: pl.DataFrame) -> list[tuple[str, int, float, float]]:
    """Returns rows of link, transmissions, mean throughput over one switch and mean throughput over
    two switches."""
    one = points.filter(pl.col("switches") == 1)
    two = points.filter(pl.col("switches") == 2).select(
        "link", "transmissions", pl.col("goodput_mbps").alias("two")
    )
    joined = one.join(two, on=["link", "transmissions"], maintain_order="left")
    return [
        (row["link"], row["transmissions"], row["goodput_mbps"], row["two"])
        for row in joined.iter_rows(named=True)
    ]


def _switches_label(switches: int) -> str:
    return count_noun(switches, "switch")


def _plot(
    plots: Path, name: str, cells: pl.DataFrame, measure: str, y: str, published: Mapping[str, Lines]
) -> Plot:
    """Plots a measure against transmissions, with a panel for each link rate and a line for each
    number of switches."""
    panels = []
    for (link,), link_cells in cells.partition_by("link", maintain_order=True, as_dict=True).items():
        lines = {
            _switches_label(count): (part["transmissions"].to_list(), part[measure].to_list())
            for (count,), part in link_cells.partition_by(
                "switches", maintain_order=True, as_dict=True
            ).items()
        }
        panels.append(Panel(f"links {rate_name(link)}", curves(lines, published.get(link))))
    xs = [t - 1 for t in cells["transmissions"].unique().sort()]
    return draw_panels(
        plots,
        name,
        panels,
        x="transmissions (passes through switches)",
        y=y,
        decorate=lambda ax: transmissions_axis(ax, xs),
        same_y=False,
    )


def _published_rtt() -> Lines:
    one_switch = {
        x + 1: rtt for (rate, x), rtt in PUBLISHED["bmv2-vm"].rtt_min_ms.items() if rate == "unlimited"
    }
    return {
        _switches_label(1): (list(one_switch), list(one_switch.values())),
        _switches_label(2): ([2], [RTT_TWO_SWITCHES_MS]),
    }


def _rtt_table(runs: pl.DataFrame, published: Lines) -> Table:
    rows = []
    ordered = runs.sort("link", "transmissions", "switches", maintain_order=True)
    for row in ordered.iter_rows(named=True):
        one_switch = runs.filter(
            pl.col("link") == row["link"],
            pl.col("transmissions") == row["transmissions"],
            pl.col("switches") == 1,
        )
        thesis_rtts = dict(zip(*published.get(_switches_label(row["switches"]), ([], [])), strict=True))
        thesis = thesis_rtts.get(row["transmissions"]) if row["link"] == "unlimited" else None
        is_compared = one_switch.height and row["switches"] > 1
        same = percent(row["rtt_min_ms"], one_switch["rtt_min_ms"][0]) if is_compared else "–"
        rows.append(
            [
                rate_name(row["link"]),
                f"{row['transmissions']}",
                f"{row['switches']}",
                decimal(row["rtt_min_ms"]),
                same,
                decimal(thesis, 2),
            ]
        )
    head = ["link rate", "transmissions", "switches", "min (ms)", "against one switch", "thesis (ms)"]
    return Table(head, rows, words=(0,), marked=(3,)).by_repetition(ordered["repetition"])


def _tcp_table(points: pl.DataFrame) -> Table:
    rows = []
    for row in points.sort("link", "transmissions", "switches", maintain_order=True).iter_rows(named=True):
        thesis = (
            TCP_TWO_SWITCHES_MBPS.get(row["link"])
            if (row["switches"], row["transmissions"]) == (2, 2)
            else None
        )
        rows.append(
            [
                rate_name(row["link"]),
                f"{row['transmissions']}",
                f"{row['switches']}",
                f"{row['n']}",
                measured(row["goodput_mbps"], row["goodput_mbps_half"]),
                interval(row["goodput_mbps_half"]),
                decimal(thesis, 2),
            ]
        )
    head = [
        "link rate",
        "transmissions",
        "switches",
        "runs",
        "throughput (Mbit/s)",
        "± 95 %",
        "thesis (Mbit/s)",
    ]
    return Table(head, rows, words=(0,), marked=(4,))

"""The report that compares schemes to choose paths, on four paths and on a fat tree."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir import units
from weir.lab import Findings, Tables, count_noun, part_of
from weir.report import HUES, WIDE, Figure, Plot, Section, Table, axes, decimal, interval, measured, save_plot

from ..measure import END_S, GOOD_MBPS
from .names import good_runs

NAMES = {
    "ecmp": "ECMP",
    "flowlets": "flowlets",
    "feedback": "feedback, random path",
    "least-loaded": "reports, least load",
}
"""The names of the schemes in the report."""

MESSAGES = "messages to first switches"
"""The heading of the column that counts feedback, or reports."""

_PARAGRAPHS = [
    "ECMP hashes addresses and ports. With flowlets, a flow moves to a random path after a gap "
    "between its packets. If the gap is long enough, all earlier packets have arrived, so no packet "
    "is reordered; flowlets need no telemetry.",
    "Feedback is the scheme above, and only shared queues count. With reports, the last switch "
    "reports on each flow at regular intervals, and the first switch moves a flow from a long queue "
    "to the path with the least load. A path without reports counts as idle.",
]


def schemes(tables: Tables, plots: Path) -> Findings:
    """Compares four schemes on four paths."""
    points = tables.points("scheme", "gap", "threshold", "timeout", "percent", "interval", "congestion")
    return Findings(
        "All four flows end above "
        + f"{GOOD_MBPS:g} Mbit/s in "
        + ", ".join(f"{good_runs(row)} with {NAMES[row['scheme']]}" for row in points.iter_rows(named=True))
        + ".",
        [
            Section(
                "Other schemes",
                _PARAGRAPHS,
                [_table(points, "scheme", [NAMES[name] for name in points["scheme"]])],
                [
                    Figure(
                        _settling_plot(plots, tables.runs),
                        "The higher a curve, the more runs have settled; the further left, the sooner.",
                        wide=True,
                    )
                ],
                notes=[
                    f"A run has settled at the time from which all flows have more than {GOOD_MBPS:g} "
                    "Mbit/s until the end. Late packets were overtaken by later packets of their "
                    "flow.",
                ],
            )
        ],
    )


def flowlets(tables: Tables, plots: Path) -> Findings:
    """Compares flowlets with different gaps."""
    points = tables.points("gap", "congestion", "rate", "seconds")
    best = points.sort("slowest_mbps", descending=True, maintain_order=True).row(0, named=True)
    scheme = (
        f"Of {points.height} settings, a gap of {best['gap']} is best"
        if points.height > 1
        else f"A gap of {best['gap']}"
    )
    late = f"{best['late']:.0f}"
    return Findings(
        f"{scheme}: all flows end above {GOOD_MBPS:g} Mbit/s in {good_runs(best)}, and "
        f"{late} {'packet is' if late == '1' else 'packets are'} late.",
        [
            Section(
                "The length of the gap",
                [
                    "A flow alone on a path sends a frame every 7.2 ms without pauses. A flow that "
                    "shares a path with another flow sends a frame every 14 ms on average, and "
                    "pauses when it recovers from a loss. A short gap splits a flow very often, so "
                    "that its packets overtake each other; a long gap hardly ever occurs.",
                ],
                [_table(points, "gap", points["gap"].to_list())],
                [
                    Figure(
                        _plot_gaps(plots, points),
                        "The rate of the slowest flow, and the number of late packets, by the gap.",
                    )
                ],
            )
        ],
    )


def fat_tree(tables: Tables, plots: Path) -> Findings:
    """Compares four schemes on a fat tree."""
    points = tables.points("senders", "scheme", "congestion", "rate", "seconds")
    counts = sorted(tables.values("senders"))
    return Findings(
        " ".join(
            f"With {count_noun(count, 'sender')}, flows have "
            + ", ".join(
                f"{row['mean_mbps']:.1f} Mbit/s with {NAMES[row['scheme']]}"
                for row in points.filter(pl.col("senders") == count).iter_rows(named=True)
            )
            + f" ({count_noun(points['n'].to_numpy().max(), 'run')}{' of each scheme' if points['scheme'].n_unique() > 1 else ''})."
            + _compared_to_ecmp(tables.runs.filter(pl.col("senders") == count))
            for count in dict.fromkeys([counts[0], counts[-1]])
        ),
        [
            Section(
                "A fat tree",
                [
                    "16 hosts in four pods, 20 switches with four ports. Senders are chosen at "
                    "random, and each sends to a different host in another pod. Four paths lead to "
                    "this host, and the edge switch chooses the whole path. The destination MAC "
                    "address is a label that tells the aggregation switch which core switch to use.",
                    "If few hosts send, flows can move to idle paths. If all hosts send, each link "
                    "would have to carry exactly one flow, and a flow that moves at random usually "
                    "meets another flow.",
                ],
                [
                    Table.from_rows(
                        points.iter_rows(named=True),
                        [
                            ("senders", "senders"),
                            ("scheme", lambda row: NAMES[row["scheme"]]),
                            ("runs", "n"),
                            ("mean rate (Mbit/s)", "mean_mbps", 2),
                            ("± 95 %", "mean_mbps_half", 2),
                            ("slowest flow (Mbit/s)", "slowest_mbps", 2),
                            (f"flows above {GOOD_MBPS:g} Mbit/s (%)", "good_percent", 0),
                            ("round trip (ms)", "rtt_ms", 0),
                            ("retransmissions", "retransmits", 0),
                            (MESSAGES, "notices", 0),
                        ],
                        f"Means of the runs; rates are of the last {END_S} s.",
                        words=(1,),
                        marked=(3,),
                    )
                ],
                [
                    Figure(
                        _plot_tree(plots, points),
                        "The mean rate of flows by the number of senders and the scheme."
                        + (
                            " Lines at the bars are 95 % intervals."
                            if points["mean_mbps_half"].to_numpy().any()
                            else ""
                        ),
                        wide=True,
                    )
                ],
            )
        ],
    )


def _compared_to_ecmp(runs: pl.DataFrame) -> str:
    """Says in how many runs flows are faster than with ECMP; runs of the same seed have the same
    pairs of hosts."""
    ecmp = runs.filter(pl.col("scheme") == "ecmp").select(
        "repetition", pl.col("mean_mbps").alias("ecmp_mbps")
    )
    pairs = runs.filter(pl.col("scheme") != "ecmp").join(ecmp, on="repetition", maintain_order="left")
    if pairs.is_empty():
        return ""
    texts = [
        f"{part_of(cells.filter(pl.col('mean_mbps') > 1.01 * pl.col('ecmp_mbps')).height, cells.height, 'run')} with {NAMES[scheme]}"
        for (scheme,), cells in pairs.partition_by("scheme", maintain_order=True, as_dict=True).items()
    ]
    return f" Flows are more than 1 % faster than with ECMP in {', '.join(texts)}."


def _table(points: pl.DataFrame, what: str, names: list[str]) -> Table:
    rows = [
        [
            name,
            f"{row['n']}",
            decimal(100 * row["good"], 0),
            measured(row["slowest_mbps"], row["slowest_mbps_half"], 2),
            interval(row["slowest_mbps_half"]),
            *(
                measured(row.get(column), row.get(f"{column}_half"), digits)
                for column, digits in (
                    ("total_mbps", 2),
                    ("settled_s", 1),
                    ("rtt_ms", 0),
                    ("queue", 1),
                    ("notices", 0),
                    ("late", 0),
                    ("retransmits", 0),
                )
            ),
        ]
        for name, row in zip(names, points.iter_rows(named=True), strict=True)
    ]
    head = [
        what, "runs", f"all above {GOOD_MBPS:g} Mbit/s (%)", "slowest flow (Mbit/s)", "± 95 %", "all flows (Mbit/s)",
        "settled after (s)", "round trip (ms)", "queues of all paths (packets)", MESSAGES, "late packets", "retransmissions",
    ]  # fmt: skip
    return Table(head, rows, "Means of the runs.", words=(0,), marked=(2,))


def _settling_plot(plots: Path, runs: pl.DataFrame) -> Plot:
    seconds = int(runs["seconds"][0])
    with axes(WIDE, 3.6) as ax:
        for (scheme,), colour in zip(
            runs.select("scheme").unique(maintain_order=True).iter_rows(), HUES, strict=False
        ):
            scheme_runs = runs.filter(pl.col("scheme") == scheme)
            shares = [
                100
                * scheme_runs.filter(pl.col("settled_s").cast(pl.Float64) <= second).height
                / scheme_runs.height
                for second in range(seconds + 1)
            ]
            ax.step(range(seconds + 1), shares, where="post", color=colour, label=NAMES[scheme])
        ax.set_xlabel("time in s")
        ax.set_ylabel("runs that have settled in %")
        ax.set_ylim(0, 105)
        ax.legend(loc="center right")
        return save_plot(ax, plots, "schemes-settled")


def _plot_gaps(plots: Path, points: pl.DataFrame) -> Plot:
    gaps = [units.time_ns(gap) / 1e6 for gap in points["gap"]]
    with axes() as ax:
        (slowest,) = ax.plot(
            gaps, points["slowest_mbps"].to_list(), color=HUES[0], marker="o", label="slowest flow"
        )
        ax.set_xscale("log")
        ax.set_xticks(gaps, [f"{gap:g}" for gap in gaps])
        ax.set_xlabel("gap in ms")
        ax.set_ylabel("slowest flow in Mbit/s")
        ax.set_ylim(0, 11)
        right = ax.twinx()
        (late,) = right.plot(gaps, points["late"].to_list(), color=HUES[1], marker="s", label="late packets")
        right.set_ylabel("late packets of a run")
        right.set_ylim(bottom=0)
        right.grid(visible=False)
        ax.legend(handles=[slowest, late], loc="upper right")
        return save_plot(ax, plots, "flowlet-gaps")


def _plot_tree(plots: Path, points: pl.DataFrame) -> Plot:
    counts = points["senders"].unique(maintain_order=True).to_list()
    names = points["scheme"].unique(maintain_order=True).to_list()
    width = 0.8 / len(names)
    with axes(WIDE, 3.6) as ax:
        for place, (name, colour) in enumerate(zip(names, HUES, strict=False)):
            scheme_points = points.filter(pl.col("scheme") == name)
            positions = [
                counts.index(count) + (place - (len(names) - 1) / 2) * width
                for count in scheme_points["senders"]
            ]
            ax.bar(
                positions,
                scheme_points["mean_mbps"].to_list(),
                width * 0.9,
                yerr=scheme_points["mean_mbps_half"].fill_null(0).to_list(),
                color=colour,
                label=NAMES[name],
                error_kw={"linewidth": 1},
            )
        ax.set_xticks(range(len(counts)), [count_noun(count, "sender") for count in counts])
        ax.set_ylabel("mean rate in Mbit/s")
        ax.set_ylim(0, 13)
        ax.legend(ncols=2, loc="upper right")
        return save_plot(ax, plots, "fat-tree")

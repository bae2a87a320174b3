"""The report on four flows with and without load balancing, compared with the slides' numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from weir.lab import Findings, Tables
from weir.report import (
    COLOURS,
    Curve,
    Figure,
    Panel,
    Plot,
    Section,
    Table,
    decimal,
    draw_curves,
    draw_panels,
)

from ..measure import END_S, GOOD_MBPS
from ..slides import AFTER_MBPS, AFTER_MS, BEFORE_MBPS, BEFORE_MS
from .latency import latency
from .names import NAMES, good_runs


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports rates and latency with and without load balancing, and collisions by the hash."""
    points = tables.points("queues", "threshold", "timeout", "percent", "congestion", "rate", "seconds")
    rows = points.to_dicts()
    worst = _slowest_run(tables.runs)
    rates = tables.frame("rates").filter(pl.col("repetition") == worst)
    flows = tables.frame("flows")
    modes = tables.values("queues")
    return Findings(
        _answer(rows),
        [
            Section(
                "Four flows, four paths",
                [
                    "Four flows, from h1 to h5, h2 to h6, h3 to h7 and h4 to h8, take the paths that "
                    "a hash of their addresses and ports selects, so some flows collide. With load "
                    "balancing, the last switch sends feedback about packets that met a queue above "
                    "the threshold, and the first switch moves the flow to a random path.",
                    "In the slides, all queues above the threshold count. But after a flow remains "
                    "alone on its path, the queue there stays, because its host sends exactly as "
                    "fast as the path. The flow is moved again, and disturbs other flows. If only "
                    "queues with packets of several flows count, the flow stays on its path.",
                ],
                [_comparison_table(rows), _table(rows), *_collisions(flows)],
                [
                    Figure(
                        _plot_over_time(plots, rates, modes),
                        "The rates of the four flows over time, in one run of each rule.",
                        wide=True,
                    ),
                    Figure(
                        _plot_slowest(plots, tables.runs, modes),
                        f"The slowest of the four flows in the last {END_S} s, with all runs in order. The "
                        f"further right a curve reaches the dotted line at {GOOD_MBPS:g} Mbit/s, the "
                        "fewer runs end well.",
                        wide=True,
                    ),
                ],
                notes=[
                    "Goodput is the mean of whole runs, as iperf3 reports it. Rates at the end are "
                    "in Mbit/s of frames, which is the arrived payload times 9014/8948, and are "
                    f"means of the last {END_S} s.",
                    "The slides give neither the time-out nor the probability.",
                    "A packet is late if a packet that the same flow sent later arrived before it.",
                ],
            ),
            latency(tables, plots),
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    by_queues = {row["queues"]: row for row in rows}
    texts = [
        f"{good_runs(row)} {condition}"
        for name, condition in (
            ("off", "without load balancing"),
            ("all", "if all queues count"),
            ("shared", "if only shared queues count"),
        )
        if (row := by_queues.get(name)) is not None
    ]
    return f"All four flows end above {GOOD_MBPS:g} Mbit/s in " + ", ".join(texts) + "."


def _slowest_run(runs: pl.DataFrame) -> int:
    """Chooses the repetition to show: the run without load balancing that has the slowest flow."""
    unbalanced = runs.filter(pl.col("queues") == "off")
    some = unbalanced if unbalanced.height else runs
    return int(some.sort("slowest_mbps", "repetition")["repetition"][0])


def _comparison_table(rows: list[dict[str, Any]]) -> Table:
    by_queues = {row["queues"]: row for row in rows}

    def cells(name: str, column: str, digits: int = 2) -> str:
        return decimal(by_queues[name][column], digits) if name in by_queues else "–"

    table = [
        [
            f"goodput of h{number} (Mbit/s)",
            f"{BEFORE_MBPS[number - 1]:.2f}",
            f"{AFTER_MBPS[number - 1]:.2f}",
            *(cells(mode, f"run_mbps_{number}") for mode in NAMES),
        ]
        for number in range(1, 5)
    ]
    latencies = [f"{BEFORE_MS:g}?", f"{AFTER_MS:g}?"]
    table += [
        ["latency: TCP's round trip (ms)", *latencies, *(cells(mode, "run_rtt_ms", 1) for mode in NAMES)],
        ["latency: ping (ms)", *latencies, *(cells(mode, "run_ping_ms", 1) for mode in NAMES)],
    ]
    return Table(
        ["", "slides, before", "slides, after", *(f"here, {name}" for name in NAMES.values())],
        table,
        "“Before” and “after” are the slides' words for without and with load balancing. The slides show one run of "
        "BMv2 in Mininet, and do not say which latency they measured (hence “?”); the lab's values are means of all runs.",
        words=(0,),
        marked=(2, 4),
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("queues that count", lambda row: NAMES[row["queues"]]),
            ("runs", "n"),
            (f"all above {GOOD_MBPS:g} Mbit/s (%)", lambda row: decimal(100 * row["good"], 0)),
            ("slowest flow (Mbit/s)", "slowest_mbps", 2),
            ("± 95 %", "slowest_mbps_half", 2),
            ("slowest of all runs", "slowest_mbps_min", 2),
            ("paths used at the end", "paths_at_end", 2),
            ("settled after (s)", lambda row: decimal(row.get("settled_s"), 1)),
            ("queues of all paths (packets)", "queue", 1),
            ("round trip of TCP (ms)", "rtt_ms", 1),
            ("ping (ms)", "ping_ms", 1),
            ("feedback", "notices", "count"),
            ("late packets", "late", "count"),
            ("late packets of flows not moved", "overtaken_without_move", "count"),
        ],
        f"Means of the last {END_S} s of all runs. “Settled after” is the time from which on all "
        f"flows have more than {GOOD_MBPS:g} Mbit/s, in the runs in which they do at the end.",
        words=(0,),
        marked=(2,),
    )


def _collisions(flows: pl.DataFrame) -> list[Table]:
    """Builds a table of runs without load balancing: the collisions that the hash predicts, and the
    results."""
    unbalanced = flows.filter(pl.col("queues") == "off")
    if not unbalanced.height:
        return []
    groups = unbalanced.group_by("sharing").agg(
        pl.len().alias("flows"),
        (pl.col("first_path") == pl.col("hashed_path")).sum().alias("as_hashed"),
        pl.col("mbps").mean(),
        pl.col("rtt_ms").mean(),
    )
    return [
        Table.from_rows(
            groups.sort("sharing").iter_rows(named=True),
            [
                ("flows on the path by the hash", "sharing"),
                ("flows", "flows"),
                ("on that path", "as_hashed"),
                ("its share (Mbit/s)", lambda row: decimal(10 / row["sharing"], 2)),
                ("rate (Mbit/s)", "mbps", 2),
                ("round trip (ms)", "rtt_ms", 0),
            ],
            "Collisions without load balancing. The hash, computed in Python from addresses and "
            "ports, is compared with the paths on which packets were seen.",
            marked=(4,),
        )
    ]


def _plot_over_time(plots: Path, rates: pl.DataFrame, modes: list[str]) -> Plot:
    panels = []
    for mode in modes:
        flows = rates.filter(pl.col("queues") == mode).partition_by("flow", maintain_order=True, as_dict=True)
        curves = [
            Curve(f"h{number}", cells["second"] + 0.5, cells["mbps"]) for (number,), cells in flows.items()
        ]
        panels.append(Panel(NAMES[mode], curves))
    return draw_panels(plots, "rates", panels, x="time in s", y="rate in Mbit/s", style={"marker": ""})


def _plot_slowest(plots: Path, runs: pl.DataFrame, modes: list[str]) -> Plot:
    curves = []
    for mode in modes:
        values = runs.filter(pl.col("queues") == mode)["slowest_mbps"].sort().to_list()
        shares = [100 * (place + 0.5) / len(values) for place in range(len(values))]
        curves.append(Curve(NAMES[mode], shares, values))
    return draw_curves(
        plots,
        "slowest",
        curves,
        x="runs in %",
        y="slowest flow in Mbit/s",
        wide=True,
        decorate=_draw_good_rate,
    )


def _draw_good_rate(ax: Axes) -> None:
    ax.axhline(GOOD_MBPS, color=COLOURS["ink"], linewidth=0.8, linestyle=":")

"""The report on thresholds: the tail of the latency with and without them, and the cost for other
traffic."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

import polars as pl
from matplotlib.axes import Axes

from weir.lab import Findings, Tables
from weir.report import COLOURS, Curve, Figure, Panel, Plot, Section, Table, decimal, draw_panels, logarithmic

_POINTS: Final = 400
"""The number of points with which a curve is drawn."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares the latency distributions with no threshold, one threshold and both thresholds."""
    profile, loads = tables.values("profile")[0], tables.values("load")
    load = loads[len(loads) // 2]
    tails = latency_tail(tables)
    limited = _threshold_flows(tables.runs)
    return Findings(
        "The 99th percentile of the latency, and the packets that arrive in time, at a mean load of "
        f"{load:g} ({profile}), for each setting of the thresholds. "
        f"{'. '.join(_answer(tails, profile, load, flow) for flow in limited)}.",
        [
            Section(
                "Thresholds: tail latency in a service chain",
                [
                    "Three switches are in a row. A service function between each two adds 1 ms and an "
                    "exponentially distributed time of 1 ms on average. Each link carries bursts of "
                    "cross traffic, too. A flow has two thresholds: a packet older than the first "
                    "threshold goes to a queue with priority, and a packet older than the second is "
                    "dropped as out of date.",
                    "The first switch writes the time into a header, so each switch knows how old a "
                    "packet is. For the first threshold it adds the time that the packet would wait "
                    "in the queue of all other traffic.",
                    "“In time” is the share of all sent packets that arrive at the host with an age "
                    "below the second threshold. This measure is fair, because dropping late packets "
                    "shortens the tail of the arriving packets without making any packet earlier.",
                ],
                [_tail_table(tails).fold("Latency by profile, load, flow and thresholds.")],
                [
                    Figure(
                        _distributions(tables, plots, profile, limited),
                        f"The share of all sent packets that have arrived by a given time ({profile}). "
                        "The further left a curve, the earlier packets arrive; if a curve ends below 100 %, the rest "
                        "was lost. Dotted lines are the flow's two thresholds.",
                        wide=True,
                    )
                ],
                notes=[
                    "The receiver measures the time from host to host. The age in the switches begins "
                    "at the first switch and ends when the packet leaves the last queue, so packets "
                    "just below the second threshold arrive up to a pass and a transmission time later.",
                    "Priority helps only where packets wait in a port's queue. In the bursts of an "
                    "overloaded chain, bmv2-vm gets more than its 3200 packets per second, and all "
                    "packets wait in its input queue, before the P4 program sees them. modern has no "
                    "such limit.",
                ],
            ),
            Section(
                "Thresholds: the cost for other traffic",
                [
                    "The flow bulk takes the same path without thresholds; cross traffic takes one "
                    "link. Priority makes both wait longer. A packet dropped in ingress takes no place "
                    "in the queue. A packet dropped in egress has already waited and used its time of "
                    "the queue's rate, so only the next switches have less load.",
                    "A packet with priority overtakes packets of its own flow in the other queue, so "
                    "the flow is reordered.",
                ],
                [_price_table(tables)],
                folded=True,
            ),
        ],
    )


def latency_tail(tables: Tables) -> pl.DataFrame:
    """Builds a table with a row for each flow at each point: numbers of arrived and dropped
    packets, and quantiles of the latency in ms.

    The quantiles are over the packets that arrived. ``in_time`` is the number of packets that
    arrived before the flow's second threshold; it is null for flows without thresholds.
    """
    keys = ["profile", "load", "policy"]
    runs = tables.runs
    limited = _threshold_flows(runs)
    counts = pl.concat(
        runs.group_by(keys, maintain_order=True).agg(
            pl.lit(flow).alias("flow"),
            pl.len().alias("runs"),
            pl.sum(f"{flow}_sent").alias("sent"),
            pl.sum(f"{flow}_received").alias("received"),
            pl.sum(f"{flow}_reordered").alias("reordered"),
            (pl.first(f"{flow}_drop_ms") if flow in limited else pl.lit(None, pl.Float64)).alias("drop_ms"),
        )
        for flow in _flow_names(runs)
    )
    times = (
        tables.frame("delays")
        .join(counts.select(*keys, "flow", "drop_ms"), on=[*keys, "flow"], how="left")
        .group_by(*keys, "flow", maintain_order=True)
        .agg(
            *(
                pl.col("delay_ms").quantile(share, "higher").alias(name)
                for name, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1.0))
            ),
            (pl.col("delay_ms") <= pl.col("drop_ms")).sum().alias("in_time"),
        )
    )
    return counts.join(times, on=[*keys, "flow"], how="left", maintain_order="left").with_columns(
        pl.when(pl.col("drop_ms").is_null())
        .then(None)
        .otherwise(pl.col("in_time").fill_null(0))
        .alias("in_time")
    )


def _flow_names(runs: pl.DataFrame) -> list[str]:
    return [name.removesuffix("_reordered") for name in runs.columns if name.endswith("_reordered")]


def _threshold_flows(runs: pl.DataFrame) -> list[str]:
    """Returns the names of the flows whose packets are dropped after a threshold."""
    return [name.removesuffix("_drop_ms") for name in runs.columns if name.endswith("_drop_ms")]


def _answer(tails: pl.DataFrame, profile: str, load: float, flow: str) -> str:
    rows = tails.filter(profile=profile, load=load, flow=flow)
    parts = [
        f"{row['policy']} {decimal(row['p99'], 1)} ms, {_format_share(row['in_time'], row['sent'])}"
        for row in rows.iter_rows(named=True)
    ]
    return f"{flow.capitalize()}: {'; '.join(parts)}"


def _format_share(part: int | None, whole: int) -> str:
    return "–" if part is None or not whole else f"{100 * part / whole:.1f} %"


def _tail_table(tails: pl.DataFrame) -> Table:
    head = [
        "profile", "load", "flow", "thresholds", "runs", "sent", "in time", "p50 (ms)", "p99 (ms)", "p99.9 (ms)", "largest (ms)",
        "not arrived",
    ]  # fmt: skip
    rows = [
        [
            row["profile"],
            f"{row['load']:g}",
            row["flow"],
            row["policy"],
            f"{row['runs']}",
            f"{row['sent']:,}",
            _format_share(row["in_time"], row["sent"]),
            *(decimal(row[name], 1) for name in ("p50", "p99", "p999", "max")),
            _format_share(row["sent"] - row["received"], row["sent"]),
        ]
        for row in tails.filter(pl.col("in_time").is_not_null())
        .sort("profile", "load", "flow", maintain_order=True)
        .iter_rows(named=True)
    ]
    return Table(head, rows, words=(0, 2, 3), marked=(6, 8))


def _price_table(tables: Tables) -> Table:
    keys = ["profile", "load", "policy"]
    tails = latency_tail(tables)
    limited = _threshold_flows(tables.runs)
    free = [flow for flow in _flow_names(tables.runs) if flow not in limited]
    head = ["profile", "load", "thresholds"]
    for flow in free:
        head += [f"{flow}: p50 (ms)", "p99 (ms)", "lost"]
    head += ["cross: mean (ms)", "lost", "prioritized", "dropped before a queue", "after it", "overtaken"]
    runs = tables.runs.group_by(keys, maintain_order=True).agg(
        pl.sum("cross_sent", "cross_received", "prioritized", "old_before_queue", "old_after_queue"),
        pl.mean("cross_delay_ms"),
        pl.sum_horizontal(f"{flow}_reordered" for flow in limited).sum().alias("reordered"),
        pl.sum_horizontal(f"{flow}_received" for flow in limited).sum().alias("received"),
    )
    rows = []
    for row in runs.iter_rows(named=True):
        cells: list[Any] = [row["profile"], f"{row['load']:g}", row["policy"]]
        for flow in free:
            (tail,) = tails.filter(flow=flow, **{name: row[name] for name in keys}).to_dicts()
            cells += [decimal(tail["p50"], 1), decimal(tail["p99"], 1)]
            cells += [_format_share(tail["sent"] - tail["received"], tail["sent"])]
        cells += [
            decimal(row["cross_delay_ms"], 1),
            _format_share(row["cross_sent"] - row["cross_received"], row["cross_sent"]),
            *(f"{row[name]:,}" for name in ("prioritized", "old_before_queue", "old_after_queue")),
            _format_share(row["reordered"], row["received"]),
        ]
        rows.append(cells)
    return Table(head, rows, words=(0, 2))


def _distributions(tables: Tables, plots: Path, profile: str, flows: list[str]) -> Plot:
    """Plots latency distributions, with a panel for each flow and load and a line for each
    policy."""
    loads = tables.values("load")
    return draw_panels(
        plots,
        "thresholds",
        [
            Panel(
                f"{flow}, load {load:g}",
                _distribution(tables, profile, load, flow),
                partial(_mark_thresholds, tables.runs.filter(profile=profile, load=load), flow),
            )
            for flow in flows
            for load in loads
        ],
        x="time from host to host, in ms",
        y="arrived, in %",
        columns=len(loads),
        decorate=logarithmic("x"),
    )


def _mark_thresholds(runs: pl.DataFrame, flow: str, ax: Axes) -> None:
    for name in ("priority_ms", "drop_ms"):
        ax.axvline(runs[f"{flow}_{name}"][0], color=COLOURS["soft"], linestyle=":", linewidth=1)
    ax.set_ylim(0, 102)


def _distribution(tables: Tables, profile: str, load: float, flow: str) -> list[Curve]:
    """Computes for each policy the curve of the share of sent packets that have arrived by a given
    time."""
    point = {"profile": profile, "load": load}
    runs = tables.runs.filter(**point)
    delays = tables.frame("delays").filter(flow=flow, **point)
    curves = []
    for dashes, policy in enumerate(tables.values("policy")):
        sent = sum(runs.filter(policy=policy)[f"{flow}_sent"].to_list())
        times = sorted(delays.filter(policy=policy)["delay_ms"].to_list())
        steps = range(_POINTS + 1) if times else ()
        indices = sorted({round(step * (len(times) - 1) / _POINTS) for step in steps})
        # Narrower lines are on top, so that equal lines are all visible.
        style = {"linestyle": (0, (4, dashes)) if dashes else "-", "marker": ""}
        ys = [100 * (index + 1) / sent for index in indices]
        curves.append(Curve(policy, [times[index] for index in indices], ys, style))
    return curves

"""Computes the findings about both stacks on one shared computer, compared with the thesis's
latency and jitter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from weir.lab import Findings, Tables, span
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves, logarithmic

from ..published import JITTER_SAVED_PERCENT, LATENCY_SAVED_PERCENT


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows the savings of Shorternet, by the speed of the computer and the cost of a longer
    header."""
    points = tables.points("slower", "extra", "stack")
    rows = _rows(points)
    return Findings(
        _answer(rows),
        [
            Section(
                "One computer for everything",
                [
                    "Hosts, switches and kernel share a computer with two processors, as in the thesis's "
                    "Mininet. The computer is slower than the one fitted to BMv2's simple_switch by a "
                    "factor; with Ethernet and IPv4, a pass and a host's work for a packet take longer by "
                    "another factor. Both factors are free, since the thesis gives neither; so numbers that "
                    "agree show what is possible, and prove nothing."
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            (
                                "computer",
                                lambda row: (
                                    "as fitted" if row["slower"] == 1 else f"{row['slower']:g} times slower"
                                ),
                            ),
                            ("longer header costs", lambda row: f"{row['extra']:g} times as much"),
                            ("latency, Shorternet (ms)", lambda row: decimal(row["short_ms"], 2)),
                            ("latency, IPv4 (ms)", lambda row: decimal(row["standard_ms"], 2)),
                            ("saved (%)", lambda row: decimal(row["latency_saved"], 0)),
                            ("jitter, Shorternet (ms)", lambda row: decimal(row["short_jitter_ms"], 2)),
                            ("jitter, IPv4 (ms)", lambda row: decimal(row["standard_jitter_ms"], 2)),
                            ("saved (%)", lambda row: decimal(row["jitter_saved"], 0)),
                            (
                                "lost (%), Shorternet, IPv4",
                                lambda row: f"{row['short_lost']:.2g}, {row['standard_lost']:.2g}",
                            ),
                        ],
                        marked=(4, 7),
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "shared-computer",
                            [
                                Curve(
                                    f"IPv4, {extra:g} times" if stack == "standard" else "Shorternet",
                                    cells["slower"],
                                    cells["latency_ms"],
                                    {"marker": "o" if stack == "standard" else "s"},
                                )
                                for (extra, stack), cells in points.partition_by(
                                    "extra", "stack", maintain_order=True, as_dict=True
                                ).items()
                                if stack == "standard" or extra == points["extra"][0]
                            ],
                            x="slowness of the computer (factor)",
                            y="mean latency in ms",
                            decorate=logarithmic("y"),
                        ),
                        "Mean latency by the slowness of the computer, for both stacks and each cost of the longer header.",
                    )
                ],
            )
        ],
    )


def _rows(points: pl.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for (slower, extra), points_of_header in points.partition_by(
        "slower", "extra", maintain_order=True, as_dict=True
    ).items():
        stacks = {row["stack"]: row for row in points_of_header.iter_rows(named=True)}
        if len(stacks) < 2:
            continue
        short, standard = stacks["shorternet"], stacks["standard"]
        rows.append(
            {
                "slower": slower,
                "extra": extra,
                "short_ms": short["latency_ms"],
                "standard_ms": standard["latency_ms"],
                "latency_saved": 100 * (1 - short["latency_ms"] / standard["latency_ms"]),
                "short_jitter_ms": short["jitter_ms"],
                "standard_jitter_ms": standard["jitter_ms"],
                "jitter_saved": 100 * (1 - short["jitter_ms"] / max(standard["jitter_ms"], 1e-9)),
                "short_lost": 100 * short["lost"] / short["sent"],
                "standard_lost": 100 * standard["lost"] / standard["sent"],
            }
        )
    return rows


def _answer(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "Not run: what Shorternet saves on one computer, which needs both stacks."
    thesis = f"{LATENCY_SAVED_PERCENT:g} % of latency and {JITTER_SAVED_PERCENT:g} % of jitter"
    closest = min(
        rows,
        key=lambda row: (
            abs(row["latency_saved"] - LATENCY_SAVED_PERCENT)
            + abs(row["jitter_saved"] - JITTER_SAVED_PERCENT)
        ),
    )
    fitted_rows = [row for row in rows if row["slower"] == 1]
    if not fitted_rows:
        text = "Not run: what Shorternet saves on bmv2-two-processors, which needs a factor of 1."
    else:
        latency, jitter = (
            _range([row[name] for row in fitted_rows]) for name in ("latency_saved", "jitter_saved")
        )
        latencies, jitters = (
            span(min(times), max(times), 2)
            for times in (
                [row[name] for row in fitted_rows] for name in ("standard_ms", "standard_jitter_ms")
            )
        )
        text = (
            f"On bmv2-two-processors, Shorternet saves {latency} of latency and {jitter} of jitter; the thesis has "
            f"{thesis}. With IPv4, latency is {latencies} ms there, and jitter {jitters} ms."
        )
    if closest in fitted_rows:
        slower = len(rows) > len(fitted_rows)
        return f"{text} No slower computer of this run comes nearer." if slower else text
    return (
        f"{text} The nearest to the thesis are {_percent(closest['latency_saved'])} and {_percent(closest['jitter_saved'])}, on a computer "
        f"{closest['slower']:g} times slower, if the longer header costs {closest['extra']:g} times as much; both factors are fitted."
    )


def _range(percents: list[float]) -> str:
    """Formats the least and the largest of some numbers, such as ``2 to 8 %``."""
    return f"{span(min(percents), max(percents))} %"


def _percent(value: float) -> str:
    return f"{value:.0f} %".replace("-", "−")

"""Computes the findings about chains of switches: measured, fitted and predicted figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import Curve, Figure, Section, Table, draw_curves, signed

TITLES: Final = {
    "rtt_min_ms": "shortest round trip in ms",
    "rtt_avg_ms": "mean round trip in ms",
    "udp_mbps": "UDP in Mbit/s",
    "tcp_mbps": "TCP in Mbit/s",
}
"""The titles of a chain's figures, with their units."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows how far the simulated figures are from the measured ones."""
    runs = tables.runs
    rows = [
        {
            "switches": run["switches"],
            "figure": title,
            "measured": run[f"{name}_measured"],
            "simulated": run[name],
            "percent": 100 * (run[name] / run[f"{name}_measured"] - 1),
            # The fit does not use the measurements of UDP.
            "how": "fitted" if run["fitted"] and name != "udp_mbps" else "predicted",
        }
        for run in runs.iter_rows(named=True)
        for name, title in TITLES.items()
        if run[f"{name}_measured"] is not None
    ]
    return Findings(
        _answer(rows),
        [
            Section(
                "Chains of switches on one computer",
                [
                    "The measured figures are those of chains of BMv2's simple_switch between network namespaces of one "
                    "computer with two processors. The virtual computer was fitted by "
                    "weir lab fit to round trips and TCP over chains of one, two and three switches. All figures of UDP and of longer "
                    "chains are predictions: the fit does not use them. However, all measured figures were known when the model "
                    "was made, so these predictions are weaker than predictions made before measurements. Each simulated figure "
                    "comes from one run; runs with other seeds give other figures.",
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            ("switches", "switches"),
                            ("figure", "figure"),
                            ("measured", lambda row: f"{row['measured']:.3g}"),
                            ("simulated", lambda row: f"{row['simulated']:.3g}"),
                            ("differs (%)", lambda row: signed(row["percent"])),
                            ("simulated is", "how"),
                        ],
                        words=(1, 5),
                        marked=(4,),
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            f"chains-{name.replace('_', '-')}",
                            _build_curves(runs, name),
                            x="switches",
                            y=title,
                        ),
                        f"{title[0].upper()}{title[1:].partition(' in ')[0]}: simulated (line) and measured (dots).",
                    )
                    for name, title in TITLES.items()
                ],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    longest = max((row["switches"] for row in rows), default=0)
    predicted = [row for row in rows if row["how"] == "predicted" and row["switches"] == longest]
    if not predicted:
        return "No chain of these lengths was measured without being used for the fit."
    parts = [
        f"{row['figure'].partition(' in ')[0]} {row['simulated']:.3g} {row['figure'].partition(' in ')[2]} "
        f"({signed(row['percent'])} %)"
        for row in predicted
    ]
    text = f"Predicted for {count_noun(longest, 'switch')}, with the difference from the measurement: {', '.join(parts)}."
    fitted = [row for row in rows if row["how"] == "fitted"]
    if fitted:
        worst = max(fitted, key=lambda row: abs(row["percent"]))
        text += (
            f" The fit itself is off by up to {signed(worst['percent'])} % ({worst['figure'].partition(' in ')[0]}, "
            f"{count_noun(worst['switches'], 'switch')})."
        )
    return text


def _build_curves(runs: pl.DataFrame, name: str) -> list[Curve]:
    measured = runs.filter(pl.col(f"{name}_measured").is_not_null())
    return [
        Curve("simulated", runs["switches"], runs[name]),
        Curve(
            "measured", measured["switches"], measured[f"{name}_measured"], {"marker": "o", "linestyle": ""}
        ),
    ]

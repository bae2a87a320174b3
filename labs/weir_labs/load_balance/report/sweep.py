"""The report on the slowest flow by threshold, time-out and probability, with heat maps."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir import units
from weir.lab import Findings, Tables, count_noun, part_of
from weir.report import ON_DARK, ON_LIGHT, WIDE, Figure, Plot, Section, Table, axes_grid, decimal, save_plot

from ..measure import END_S, GOOD_MBPS
from .names import NAMES

KEYS = ("queues", "threshold", "timeout", "percent")
_FULL_MBPS = 10.0


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the best and worst settings, with heat maps for each threshold and rule."""
    points = tables.points(*KEYS)
    return Findings(
        _answer(points),
        [
            Section(
                "Threshold, time-out, probability",
                [
                    "The slides propose this study. A low threshold reacts early, but also to queues "
                    "that would drain by themselves. A short time-out moves a flow again before the "
                    "queue on its old path has drained (0.46 s if it was full), so packets sent "
                    "before the move cause another move. The probability applies to each packet "
                    "above the threshold, so at 140 packets/s even 20 % delays feedback by only a "
                    "few packets; 1 % spreads the moves of colliding flows over time.",
                ],
                [_table(points)],
                [
                    Figure(
                        _maps(plots, points),
                        "The rate of the slowest flow in Mbit/s, as a mean of the runs. Bright cells "
                        "are good settings.",
                        wide=True,
                    )
                ],
                notes=[f"Rates are means of the last {END_S} s of a run."],
            )
        ],
    )


def _answer(points: pl.DataFrame) -> str:
    best = points.sort("slowest_mbps", descending=True, maintain_order=True).row(0, named=True)
    texts = [
        f"{part_of(cells.filter(pl.col('slowest_mbps') > GOOD_MBPS).height, cells.height, 'setting')} if {NAMES[queues]}"
        for (queues,), cells in points.partition_by("queues", maintain_order=True, as_dict=True).items()
    ]
    return (
        f"The slowest flow has more than {GOOD_MBPS:g} Mbit/s on average with "
        + " and ".join(texts)
        + ". "
        + ("The best one is" if points.height > 1 else "The setting is")
        + f" threshold {count_noun(best['threshold'], 'packet')}, time-out {best['timeout']}, probability "
        f"{best['percent']} % ({NAMES[best['queues']]}): {best['slowest_mbps']:.2f} Mbit/s."
    )


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("queues that count", lambda row: NAMES[row["queues"]]),
            ("threshold (packets)", "threshold"),
            ("time-out", "timeout"),
            ("probability (%)", "percent"),
            ("runs", "n"),
            ("slowest flow (Mbit/s)", "slowest_mbps", 2),
            (f"all above {GOOD_MBPS:g} Mbit/s (%)", lambda row: decimal(100 * row["good"], 0)),
            ("settled after (s)", lambda row: decimal(row.get("settled_s"), 1)),
            ("round trip (ms)", "rtt_ms", 0),
            ("feedback", "notices", "count"),
            ("late packets", "late", 0),
        ],
        "All settings; means of the runs.",
        words=(0, 2),
        marked=(5,),
    )


def _maps(plots: Path, points: pl.DataFrame) -> Plot:
    """Draws a heat map for each rule (row) and threshold (column)."""
    rules, thresholds = (
        points[name].unique(maintain_order=True).to_list() for name in ("queues", "threshold")
    )
    timeouts = sorted(points["timeout"].unique().to_list(), key=units.time_ns)
    percents = sorted(points["percent"].unique().to_list())
    values = {tuple(row[key] for key in KEYS): row["slowest_mbps"] for row in points.iter_rows(named=True)}
    with axes_grid(len(rules), len(thresholds), WIDE, 0.8 + 2.3 * len(rules)) as grid:
        cells = [(queues, threshold) for queues in rules for threshold in thresholds]
        for place, ((queues, threshold), ax) in enumerate(zip(cells, grid, strict=True)):
            heights = [
                [values.get((queues, threshold, timeout, percent), float("nan")) for timeout in timeouts]
                for percent in percents
            ]
            mesh = ax.pcolormesh(
                heights, cmap="viridis", vmin=0, vmax=_FULL_MBPS, edgecolors="white", linewidth=1
            )
            for y, row in enumerate(heights):
                for x, value in enumerate(row):
                    colour = ON_DARK if value < 0.7 * _FULL_MBPS else ON_LIGHT
                    text = "" if value != value else f"{value:.1f}"
                    ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", color=colour, fontsize=9)
            ax.set_title(f"{queues}, threshold {threshold}", fontsize=9)
            ax.set_xticks([x + 0.5 for x in range(len(timeouts))], timeouts, fontsize=8)
            ax.set_yticks([y + 0.5 for y in range(len(percents))], [f"{percent}" for percent in percents])
            ax.set_xlabel("time-out" if place >= len(cells) - len(thresholds) else "")
            ax.set_ylabel("" if place % len(thresholds) else "probability in %")
            ax.grid(visible=False)
        grid[0].figure.colorbar(mesh, ax=grid, label="slowest flow in Mbit/s")
        return save_plot(grid[0], plots, "sweep")

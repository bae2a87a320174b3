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
_SAME_MBPS = 0.1
"""Settings whose slowest flows differ by less count as equally good."""


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
                notes=[
                    f"Rates are means of the last {END_S} s of a run. A run can settle within this time "
                    f"although its slowest flow has less than {GOOD_MBPS:g} Mbit/s on average in it.",
                    *_equal_rules(points),
                ],
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
        f"{best['percent']} % ({NAMES[best['queues']]}): {best['slowest_mbps']:.2f} Mbit/s"
        + (_as_good(points, best["slowest_mbps"]) if points.height > 1 else "")
        + "."
    )


def _as_good(points: pl.DataFrame, best_mbps: float) -> str:
    """Says how many other settings are so close to the best one that few runs cannot tell them
    apart."""
    close = points.filter(pl.col("slowest_mbps") > best_mbps - _SAME_MBPS).height - 1
    return f"; {count_noun(close, 'other setting')} {'is' if close == 1 else 'are'} less than {_SAME_MBPS:g} Mbit/s below it"


def _equal_rules(points: pl.DataFrame) -> list[str]:
    """Names the thresholds at which the rules give the same results, so that nobody takes their
    rows for a mistake."""
    if points["queues"].n_unique() < 2:
        return []
    texts = []
    for (threshold,), cells in points.partition_by("threshold", maintain_order=True, as_dict=True).items():
        rates = cells.group_by("timeout", "percent").agg(
            pl.col("slowest_mbps").n_unique() == 1, pl.col("notices").n_unique() == 1
        )
        equal = rates.filter("slowest_mbps", "notices").height
        if 2 * equal > rates.height:
            texts.append(
                f"At threshold {threshold}, the rules have the same results with {equal} of {rates.height} settings: "
                "there, the queue of a flow that is alone on its path hardly ever counts."
            )
    return texts


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

"""The report on the times at which a new host can send to others."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import COLOURS, WIDE, Figure, Plot, Section, Table, axes, save_plot

from ..contacts import SECONDS, SPEAKS_S, TRUSTED_S


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports and draws the packets of the new host that pass."""
    run, passed = tables.runs.row(0, named=True), tables.frame("passed")
    rows = []
    for target in passed["target"].unique(maintain_order=True):
        for first, last in _spans(passed.filter(pl.col("target") == target, "passed")["time_s"].to_list()):
            rows.append([target, f"{first:g}", f"{last:g}"])
    return Findings(
        f"Before the controller trusts the new host h4, {count_noun(run['to_contact'], 'packet')} of h4 reach h1, "
        f"which has contacted it, and {run['to_other']} reach h2, which has not. Switches refuse {run['refused']}.",
        [
            Section(
                "A new host may only answer",
                [
                    f"h4 sends to h1 and h2 every half second. h1 sends to h4 after {SPEAKS_S[0]} s "
                    f"and {SPEAKS_S[1]} s, which opens the return path for 30 s; h2 never sends to "
                    f"h4. After {TRUSTED_S} s the controller trusts h4.",
                ],
                [Table(["h4 reaches", "from (s)", "to (s)"], rows, words=(0,))],
                [
                    Figure(
                        _draw(passed, plots),
                        "The packets from h4 that pass and that are refused, over time; dotted lines "
                        "are the times at which h1 sends to h4.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _spans(times: list[float]) -> list[tuple[float, float]]:
    """Finds series of times that are at most half a second apart; returns the first and the last
    time of each series."""
    spans: list[tuple[float, float]] = []
    for time in times:
        if spans and time - spans[-1][1] <= 0.5:
            spans[-1] = (spans[-1][0], time)
        else:
            spans.append((time, time))
    return spans


def _draw(passed: pl.DataFrame, plots: Path) -> Plot:
    targets = passed["target"].unique(maintain_order=True).to_list()
    with axes(WIDE, 2.6) as ax:
        for height, target in enumerate(reversed(targets)):
            for good, colour in ((True, "green"), (False, "red")):
                times = passed.filter(pl.col("target") == target, pl.col("passed") == good)[
                    "time_s"
                ].to_list()
                label = None if height else ("passes" if good else "is refused")
                ax.plot(times, [height] * len(times), "|", color=COLOURS[colour], markersize=14, label=label)
        for number, second in enumerate(SPEAKS_S):
            ax.axvline(
                second, color=COLOURS["ink"], linestyle=":", label=None if number else "h1 speaks to h4"
            )
        ax.set_yticks(range(len(targets)), [f"to {target}" for target in reversed(targets)])
        ax.set_ylim(-0.6, 2.2)
        ax.set_xlim(0, SECONDS)
        ax.set_xlabel("time in s")
        ax.legend(loc="upper center", ncols=3)
        return save_plot(ax, plots, "contacts")

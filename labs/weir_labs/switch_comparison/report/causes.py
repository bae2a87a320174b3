"""The report on causes, which compares pairs of switches that differ in one property."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Section, Table, with_interval

from ..causes import CAUSES
from .claims import Ratio, ratio, sentence
from .points import Row, busy_note, means, missing_switches, names, not_measured, title


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the ratios of processor time and packets for each cause."""
    runs = tables.runs.filter(pl.col("available"))
    rows = runs.to_dicts()
    compared = [
        (
            cause,
            ratio(rows, cause.one, cause.other, "cpu_us_per_frame", ("size",)),
            ratio(rows, cause.one, cause.other, "frames_per_s", ("size",)),
        )
        for cause in CAUSES
    ]
    clear = [
        f"{cause.name}: {cost.average}"
        for cause, cost, _ in compared
        if cost and cost.above in (0, cost.count)
    ]
    unclear = [cause.name for cause, cost, _ in compared if cost and 0 < cost.above < cost.count]
    missing = missing_switches(tables)
    return Findings(
        sentence(
            "ratios of the processor time per frame if one property changes, which were on the same "
            f"side of 1 in all runs: {'; '.join(clear)}"
            if clear
            else "no ratio was on the same side of 1 in all runs"
            if unclear
            else "no pair was measured: both switches of a pair are needed",
            f"undecided here, because the ratio was not on the same side of 1 in all runs: {'; '.join(unclear)}" if unclear else "",
            not_measured(tables),
        ),
        [
            Section(
                "One change at a time",
                [
                    "The two switches of a pair differ in one property, and forward datagrams that "
                    "are sent as fast as possible. Bare loops forward without a program; all of them "
                    "have the same number of buffers, used in turn. Processor time is that of the "
                    "switch's processes, including the kernel's work in their system calls.",
                    "These pairs do not include T4P4S and BMv2, and the product of the ratios is not "
                    "their ratio: they differ in all of these properties at once, and in their own "
                    "code.",
                ],
                [
                    Table(
                        [
                            "what changes", "compared", "the same in both", "processor time of a frame: mean (range)",
                            "frames/s: mean (range)", "not answered by this",
                        ],
                        [
                            [
                                cause.name,
                                f"{title(cause.one)} : {title(cause.other)}",
                                cause.same,
                                _ratio_or_dash(cost),
                                _ratio_or_dash(rate),
                                cause.unanswered,
                            ]
                            for cause, cost, rate in compared
                            if cost or rate
                        ],
                        "Ratios are of the same repetition and size. Below 1, the first switch needs "
                        "less or forwards less. Means are geometric.",
                        words=(0, 1, 2, 3, 4, 5),
                        prose=True,
                    ),
                    _table(means(runs, "switch", "size")),
                ],
                notes=busy_note(runs),
            ),
            *([missing] if missing else []),
        ],
    )  # fmt: skip


def _ratio_or_dash(ratio: Ratio | None) -> str:
    return "–" if ratio is None else str(ratio)


def _table(rows: list[Row]) -> Table:
    order = [row for switch in names(rows) for row in rows if row["switch"] == switch]
    return Table.from_rows(
        order,
        [
            ("switch", lambda row: title(row["switch"])),
            ("size (bytes)", "size", 0),
            (
                "frames/s that it sent",
                lambda row: with_interval(row["frames_per_s"], row["frames_per_s_half"], 0),
            ),
            ("lost (%)", "loss_percent", 1),
            (
                "processor time (µs a frame)",
                lambda row: with_interval(row["cpu_us_per_frame"], row["cpu_us_per_frame_half"], 2),
            ),
            ("CPU (%)", "cpu_percent", 1),
            ("context switches/s", "switches_per_s", 0),
        ],
        "Means of the runs ± half of the 95 % interval; 100 % is one processor.",
        words=(0,),
    )

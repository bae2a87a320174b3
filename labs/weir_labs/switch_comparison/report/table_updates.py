"""The report on table updates while packets pass."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Curve, Figure, Section, Table, draw_curves, with_interval

from .points import Row, means, missing_switches, title


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the effect of table updates on packets."""
    rows = means(tables.runs.filter(pl.col("available")), "switch", "updates_per_s")
    missing = missing_switches(tables)
    return Findings(
        answer(rows),
        [
            Section(
                "Tables that change while packets pass",
                [
                    "Twice a second, entries for addresses that no packet has are changed, as many "
                    "at once as the rate requires. For each change the switch's file of entries is "
                    "written, and SIGHUP makes the switch read the file. Packets read a snapshot of "
                    "the table without a lock; a new snapshot replaces the old one when it is "
                    "complete. Processor time includes reading the file.",
                ],
                [_table(rows)],
                _memory(tables, plots) if rows else [],
            ),
            *([missing] if missing else []),
        ],
    )


def answer(rows: list[Row]) -> str:
    """Formulates a sentence that compares the highest rate of updates with no updates.

    Args:
        rows: the means by switch and rate of updates.
    """
    sentences = []
    for switch in dict.fromkeys(row["switch"] for row in rows):
        by_updates = sorted(
            (row for row in rows if row["switch"] == switch), key=lambda row: float(row["updates_made_per_s"])
        )
        still, busy = by_updates[0], by_updates[-1]
        if len(by_updates) < 2 or still["updates_per_s"]:
            continue
        sentences.append(
            f"{title(switch)} loses {busy['loss_percent']:.2f} % of the packets with "
            f"{busy['updates_made_per_s']:,.0f} updates a second, and {still['loss_percent']:.2f} % "
            f"without; a round trip takes {_round_trip(busy)}, and {_round_trip(still)} without "
            "(median)"
        )
    return f"{'; '.join(sentences) or 'There is nothing to compare'}."


def _round_trip(row: Row) -> str:
    rtt_us = row["loaded_rtt_us"]
    return "an unknown time, because all pings were lost" if rtt_us is None else f"{rtt_us:.0f} µs"


def _table(rows: list[Row]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("switch", lambda row: title(row["switch"])),
            ("updates/s asked for", "updates_per_s", ","),
            ("made", "updates_made_per_s", ",.0f"),
            (
                "goodput (Mbit/s)",
                lambda row: with_interval(row["goodput_mbps"], row["goodput_mbps_half"], 1),
            ),
            ("lost (%)", lambda row: with_interval(row["loss_percent"], row["loss_percent_half"], 2)),
            ("round trip (µs)", "loaded_rtt_us", 0),
            ("99 % (µs)", "loaded_rtt_p99_us", 0),
            ("CPU (%)", lambda row: with_interval(row["cpu_percent"], row["cpu_percent_half"], 1)),
            ("memory (MB)", "rss_max_mb", 1),
            ("its growth (MB)", "rss_growth_mb", 2),
        ],
        "UDP at a fixed rate: means of the runs ± half of the 95 % interval.",
        words=(0,),
    )


def _memory(tables: Tables, plots: Path) -> list[Figure]:
    usage = tables.frame("usage")
    first = usage.filter(usage["repetition"] == 0, usage["switch"] == usage["switch"][0])
    curves = [
        Curve(f"{rate:,} updates/s", samples["time_s"], samples["rss_mb"])
        for (rate,), samples in first.group_by("updates_per_s", maintain_order=True)
    ]
    plot = draw_curves(plots, "updates-memory", curves, x="time in s", y="resident memory in MB", wide=True)
    return [
        Figure(
            plot,
            "If curves coincide, updates do not change the memory (one run of each).",
            wide=True,
        )
    ]

"""The report on threads, locks and pools in memory, without the kernel."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, draw_bars, with_interval

from ..mechanisms.benchmark import PAIRS
from .claims import ratio, verdict
from .points import Row, means

_FEWER_UPDATES_SHARE = 0.9
"""The share of the updates below which the report says that a way made fewer."""

_CLAIMS = {
    "threads": "one thread costs less than four that hand over 64 packets at once",
    "handovers": "handing over 64 packets at once costs less than handing over each",
    "tables": "reading a snapshot costs less than a lock, under updates",
    "memory": "a pool costs less than an allocator",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the effect of each mechanism that the thesis names, without the kernel and without a
    real switch."""
    runs = tables.runs.filter(pl.col("available"))
    rows = means(runs, "way")
    if not rows:
        missing = tables.runs["missing"][0]
        return Findings(
            f"The mechanisms were not measured: {missing}.",
            [
                Section(
                    "The mechanisms",
                    [f"Not measured: {missing}. Install a C compiler: apt install gcc libc6-dev."],
                )
            ],
        )
    claims, answer = _claims(runs.rename({"way": "switch"}).to_dicts())
    plot = draw_bars(
        plots,
        "mechanisms",
        [row["way"] for row in rows],
        [row["ns_per_packet"] for row in rows],
        "processor time for a packet in ns",
    )
    return Findings(
        answer,
        [
            Section(
                "The mechanisms",
                [
                    "The same work in memory is done in two ways that differ in one property. "
                    "Packets have a header of 64 bytes and one of 1024 addresses, and take four "
                    "steps (receive, look up, rewrite, transmit). With threads, each step has its "
                    "own thread, and queues with a mutex and conditions connect them. A table has "
                    "two readers and a writer with the given number of updates per second; there are "
                    "two copies that are exchanged, or one copy with a readers-writer lock. Memory "
                    "is measured for packets of 64 to 9014 bytes, 1024 of which wait, in buffers of "
                    "one size from a list or from malloc.",
                ],
                [claims, _table(rows)],
                [
                    Figure(
                        plot,
                        "The shorter bar of each pair is the cheaper way (processor time of all "
                        "threads per packet, means of the runs).",
                    )
                ],
                notes=[
                    *(
                        f"The writer of {row['way']} made only {row['updates_made_per_s']:.0f} of {row['updates_per_s']:.0f} "
                        "updates a second."
                        for row in rows
                        if row["updates_made_per_s"] is not None
                        and row["updates_made_per_s"] < _FEWER_UPDATES_SHARE * row["updates_per_s"]
                    ),
                    "These figures do not include the kernel's part of forwarding, which is the "
                    "larger part between interfaces. These ratios therefore do not apply to switches; the "
                    "experiment causes has bare loops with real interfaces.",
                ],
            )
        ],
    )


def _claims(runs: list[Row]) -> tuple[Table, str]:
    lines, decisions = [], []
    for mechanism, (one, other) in PAIRS.items():
        claim = _CLAIMS[mechanism]
        measured = ratio(runs, one, other, "ns_per_packet", ())
        decided = verdict(measured, False)
        lines.append([claim, f"{one} : {other}", "–" if measured is None else f"{measured}", decided])
        decisions.append(
            f"{claim}: {decided}" + ("" if measured is None else f" ({one} : {other} = {measured.mean:.2f})")
        )
    head = ["the reason", "compared", "ratio of processor time: geometric mean (range)", "here"]
    answer = "; ".join(decisions)
    return Table(head, lines, words=(0, 1, 2, 3), prose=True), f"{answer[:1].upper()}{answer[1:]}."


def _table(rows: list[Row]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("way", "way"),
            (
                "processor time (ns a packet)",
                lambda row: with_interval(row["ns_per_packet"], row["ns_per_packet_half"], 1),
            ),
            ("million packets/s", "million_per_s", 2),
            ("context switches a million", "switches_per_million", 0),
            ("updates/s", "updates_made_per_s", 0),
            ("memory (kB)", "rss_kb", 0),
            ("its growth in the second half (kB)", "rss_growth_kb", 0),
        ],
        "Means of the runs ± half of the 95 % interval.",
        words=(0,),
    )

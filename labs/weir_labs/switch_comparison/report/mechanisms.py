"""Threads, locks and pools, without a kernel in between."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, draw_bars, with_interval

from ..mechanisms.benchmark import PAIRS
from .claims import ratio, verdict
from .points import Row, means

_CLAIMS = {
    "threads": "one thread costs less than four that hand over 64 packets at once",
    "handovers": "handing over 64 packets at once costs less than handing over each",
    "tables": "reading a snapshot costs less than a lock, under updates",
    "memory": "a pool costs less than an allocator",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """The thesis's reasons: each is one change, without a kernel and without a real switch."""
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
                    "The same work in memory, done in two ways that differ in one thing. Packets have a header of 64 bytes, four "
                    "steps (receive, look up, rewrite, transmit) and 1024 addresses. With threads, each step has one, and queues "
                    "with a mutex and conditions between them. Tables have two readers, and a writer with so many "
                    "updates a second: two copies that are exchanged, or one copy behind a lock of readers and writers. Memory is of "
                    "packets of 64 to 9014 bytes, 1024 of which wait: buffers of one size from a list, or malloc.",
                ],
                [claims, _table(rows)],
                [
                    Figure(
                        plot,
                        "The shorter bar of each pair is the cheaper way (processor time of all threads for a packet, means of the runs).",
                    )
                ],
                notes=[
                    "The kernel's part of forwarding is not in these figures: between interfaces it is the larger one. So a ratio here is "
                    "not one of switches; the part causes has bare loops with real interfaces.",
                ],
            )
        ],
    )


def _claims(runs: list[Row]) -> tuple[Table, str]:
    lines, said = [], []
    for mechanism, (one, other) in PAIRS.items():
        claim = _CLAIMS[mechanism]
        found = ratio(runs, one, other, "ns_per_packet", ())
        decided = verdict(found, False)
        lines.append([claim, f"{one} : {other}", "–" if found is None else f"{found}", decided])
        said.append(
            f"{claim}: {decided}" + ("" if found is None else f" ({one} : {other} = {found.mean:.2f})")
        )
    head = ["the reason", "compared", "ratio of processor time: geometric mean (range)", "here"]
    answer = "; ".join(said)
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

"""Computes the findings about reports of planted events, and about the reports without event
detection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from weir.lab import Findings, Tables, count_noun
from weir.report import COLOURS, HUES, WIDE, Figure, Plot, Section, Table, axes, decimal, save_plot

from ..events import LENGTH_S, PLANTED, PlantedEvent

KINDS = ("start", "end", "path", "latency", "queue", "reset", "drop")
NAMES = {"off": "all packets", "on": "events", "reset": "events, periodic reset"}


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows whether all events were reported, and nothing else."""
    runs, reports = tables.runs, tables.frame("told")
    mode = tables.values("mode")[0]
    by_detection = {
        row["detection"]: row for row in runs.filter(pl.col("mode") == mode).iter_rows(named=True)
    }
    matching = reports.filter(pl.col("mode") == mode, pl.col("detection") == "on")
    first = [_first(matching, planted) for planted in PLANTED]
    missing, unexpected = (
        sum(int(runs[f"{name}_{kind}"].fill_null(0).to_numpy().sum()) for name in ("news", "drop"))
        for kind in ("missing", "unexpected")
    )
    answer = f"{len(PLANTED) - first.count(None)} of {len(PLANTED)} planted events were reported"
    if "on" not in by_detection:
        answer = "Not run: whether planted events are reported, which needs detection=on"
    elif "off" in by_detection:
        answer += (
            f", with INT-{mode} in {_reports(by_detection['on'])} instead of {_reports(by_detection['off'])}"
        )
    return Findings(
        f"{answer}."
        + (
            f" Against what follows from the record, {missing} reports are missing and {unexpected} are too many."
            if set(by_detection) - {"off"}
            else ""
        ),
        [
            Section(
                "Reports of changes only",
                [
                    "For each flow, switches store the path, hop latencies and queues that they reported "
                    "last. A packet causes a report only if it is the first or the last of its flow, if its "
                    "path differs, or if a latency or a queue on its way has moved by more than the "
                    "threshold in the table. With INT-MD the sink judges the whole path; with INT-MX and "
                    "INT-XD each switch judges its own hop. If a switch drops packets of a flow, it reports "
                    "the first, and then one per second.",
                    "Which packets should be reported follows from the simulator's record, by the same rules in Python. Both sets of "
                    "packets are compared.",
                ],
                [_events(first), _runs(runs)],
                [
                    Figure(
                        _time_line(plots, matching),
                        "Reports come soon after the planted events (grey lines), and rarely at other times "
                        f"(INT-{mode}, without reset).",
                        wide=True,
                    ),
                ],
                notes=[
                    "The first report of a full queue comes late, because the report waits in that queue, too.",
                    "A program does not see that v1model's queue is full. The lab's program therefore counts packets in ingress, and "
                    "drops packets before the queue is full; no packet was lost in a queue of a switch."
                    if runs["silent_drops"].to_numpy().sum() == 0
                    else f"{runs['silent_drops'].sum()} packets were lost in queues of switches, which no program sees.",
                ],
            )
        ],
    )


def _reports(run: dict[str, Any]) -> str:
    """Formats the numbers of both kinds of reports of a run."""
    return f"{count_noun(run['reports'], 'report')} of packets and {run['drop_reports']} of drops"


def _first(reports: pl.DataFrame, planted: PlantedEvent) -> dict[str, Any] | None:
    """Finds the first report about an event."""
    matching = reports.filter(
        pl.col("time_s") >= planted.at_s,
        pl.col("kind").is_in(planted.kinds),
        pl.col("protocol") == planted.protocol,
    ).sort("time_s")
    return matching.row(0, named=True) if matching.height else None


def _events(first: list[dict[str, Any] | None]) -> Table:
    rows = [
        [planted.what, f"{planted.at_s:g}", *(["–"] * 5)]
        if row is None
        else [
            planted.what,
            f"{planted.at_s:g}",
            row["kind"],
            f"s{row['node']}",
            decimal(row["time_s"], 4),
            decimal(row["arrived_s"], 4),
            decimal(1e3 * (row["arrived_s"] - row["time_s"]), 2),
        ]
        for planted, row in zip(PLANTED, first, strict=True)
    ]
    return Table(
        ["event", "planted (s)", "report", "by", "packet (s)", "collector (s)", "later (ms)"],
        rows,
        "Packet is when the first packet that shows the event left the switch, or was dropped there; collector, when the collector had the "
        "report.",
        words=(0, 2, 3),
    )


def _runs(runs: pl.DataFrame) -> Table:
    rows = [
        [
            f"INT-{row['mode']}",
            NAMES[row["detection"]],
            f"{row['packets']}",
            f"{row['reports']}",
            *(
                "–" if row[f"news_{name}"] is None else f"{row[f'news_{name}']}"
                for name in ("missing", "unexpected")
            ),
            f"{row['dropped']}",
            f"{row['drop_reports']}",
            f"{row['drop_missing'] + row['drop_unexpected']}",
        ]
        for row in runs.iter_rows(named=True)
    ]
    return Table(
        [
            "mode", "reported are", "packets that arrived", "reports of packets", "missing", "too many", "packets dropped",
            "reports of drops", "missing or too many",
        ],
        rows,
        "With INT-MD, a packet has one report of the whole path; with INT-MX and INT-XD, one report of each hop.",
        words=(0, 1),
        marked=(4, 5, 8),
    )  # fmt: skip


def _time_line(plots: Path, told: pl.DataFrame) -> Plot:
    kinds = [kind for kind in KINDS if told.filter(pl.col("kind") == kind).height]
    with axes(WIDE, 3.2) as ax:
        for planted in PLANTED:
            ax.axvline(planted.at_s, color=COLOURS["soft"], linewidth=1)
        for place, kind in enumerate(kinds):
            times = told.filter(pl.col("kind") == kind)["arrived_s"].to_list()
            ax.plot(
                times,
                [place] * len(times),
                linestyle="none",
                marker="o",
                markersize=5,
                color=HUES[place % len(HUES)],
            )
        ax.set_yticks(range(len(kinds)), kinds)
        ax.set_ylim(-0.6, len(kinds) - 0.4)
        ax.set_xlim(0, LENGTH_S)
        ax.set_xlabel("time in s")
        return save_plot(ax, plots, "events")

"""Computes the findings about values in reports, compared with the simulator's record."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, claim
from weir.report import COLOURS, HUES, WIDE, Figure, Plot, Section, Table, axes, decimal, save_plot

NAMES = {
    "node": "node id",
    "ingress_port": "ingress interface, level 1",
    "egress_port": "egress interface, level 1",
    "latency_us": "hop latency",
    "queue": "queue id",
    "queue_packets": "queue occupancy",
    "ingress_time_us": "ingress timestamp",
    "egress_time_us": "egress timestamp",
    "logical_ingress": "ingress interface, level 2",
    "logical_egress": "egress interface, level 2",
    "utilization_ppm": "egress TX utilization",
    "buffer": "buffer id",
    "buffer_packets": "buffer occupancy",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows how many values were compared, and how many of them were wrong."""
    runs = tables.runs
    fields = tables.frame("fields")
    hops = tables.frame("hops_over_time")
    mode = tables.values("mode")[0]
    hops_of_run = hops.filter(
        pl.col("mode") == mode,
        pl.col("transport") == tables.values("transport")[0],
        pl.col("repetition") == 0,
    )
    values, wrong = runs["values"].sum(), runs["wrong"].sum()
    return Findings(
        claim(
            "all reports give the true path, and the true time and queue at each hop",
            None if values == 0 else wrong == 0,
            f"of {values} values that nodes reported about {runs['packets'].sum()} packets, {wrong} differ from the simulator's record",
            needs="packets with telemetry",
        )
        + f" {runs['lost_reports'].sum()} reports were lost, and {runs['wrong_checksums'].sum()} frames on any link had a wrong checksum.",
        [
            Section(
                "Every value of every hop",
                [
                    "h1 sends to h2, and all instructions are on: bits 0 to 8, and 15. In the middle of the "
                    "chain the flow shares links with bursts from h4 to h5, so queues come and go. The "
                    "simulator records when each frame passed each end of each link. These times alone "
                    "determine what each node should have written into each packet."
                ],
                [_runs_table(runs), _fields_table(fields)],
                [
                    Figure(
                        _plot_over_time(
                            plots,
                            "metadata-latency",
                            hops_of_run,
                            "latency_us",
                            "recorded_us",
                            1e3,
                            "hop latency in ms",
                        ),
                        f"Hop latencies in reports (dots, by node) and in the simulator's record (grey lines), in one run of INT-{mode}.",
                        wide=True,
                    ),
                    Figure(
                        _plot_over_time(
                            plots,
                            "metadata-queue",
                            hops_of_run,
                            "queue",
                            "recorded_queue",
                            1,
                            "queue in packets",
                        ),
                        "Queue occupancies of the same packets, in reports and in the record.",
                        wide=True,
                    ),
                ],
                notes=[
                    "v1model has no buffer that several queues share, so switches cannot follow instruction bit 8. In embedded metadata "
                    "they set the reserved value, all bits one. In reports they omit the metadata, and do not set the bit in RepMdBits.",
                    "Checksum complement (bit 15) has no value of its own. It is right if the UDP or TCP checksum that the sender computed "
                    "still fits the longer packet, which is checked at every frame on every link.",
                    "Two things can happen in the same nanosecond: a packet joins a queue, and another one leaves it. In this case, the "
                    "record allows two lengths. The table counts these packets as open.",
                ],
            )
        ],
    )


def _runs_table(runs: pl.DataFrame) -> Table:
    rows = [
        [
            f"INT-{row['mode']}",
            row["transport"].upper(),
            *(
                f"{row[name]}"
                for name in (
                    "packets",
                    "reports",
                    "lost_reports",
                    "hops",
                    "values",
                    "wrong",
                    "uncertain",
                    "longest_queue",
                )
            ),
            decimal(row["largest_latency_ms"], 1),
        ]
        for row in runs.group_by("mode", "transport", maintain_order=True)
        .agg(
            pl.sum("packets", "reports", "lost_reports", "hops", "values", "wrong", "uncertain"),
            pl.max("longest_queue", "largest_latency_ms"),
        )
        .iter_rows(named=True)
    ]
    head = [
        "mode",
        "flow",
        "packets",
        "reports",
        "lost",
        "hops",
        "values",
        "wrong",
        "open",
        "longest queue (packets)",
        "largest hop latency (ms)",
    ]
    return Table(head, rows, "All runs of each mode.", words=(0, 1), marked=(7,))


def _fields_table(fields: pl.DataFrame) -> Table:
    sums = fields.group_by("field", "instruction", maintain_order=True).agg(
        pl.sum("values", "wrong", "unavailable")
    )
    return Table.from_rows(
        sums.iter_rows(named=True),
        [
            ("bit", "instruction"),
            ("metadata", lambda row: NAMES[row["field"]]),
            ("values", "values"),
            ("wrong", "wrong"),
            ("not available", "unavailable"),
        ],
        "By instruction, all runs.",
        words=(1,),
        marked=(3,),
    )


def _plot_over_time(
    plots: Path, name: str, hops: pl.DataFrame, column: str, recorded: str, unit: float, label: str
) -> Plot:
    with axes(WIDE, 3.8) as ax:
        groups = hops.partition_by("node", maintain_order=True, as_dict=True)
        for ((node,), cells), colour in zip(groups.items(), HUES * len(groups), strict=False):
            times = cells["time_s"].to_list()
            ax.plot(times, (cells[recorded] / unit).to_list(), color=COLOURS["soft"], linewidth=1, zorder=1)
            ax.plot(
                times,
                (cells[column] / unit).to_list(),
                linestyle="none",
                marker=".",
                markersize=3,
                color=colour,
                label=f"s{node}",
            )
        ax.set_xlabel("time in s")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
        ax.legend(ncols=5, loc="lower right", bbox_to_anchor=(1, 1))
        return save_plot(ax, plots, name)

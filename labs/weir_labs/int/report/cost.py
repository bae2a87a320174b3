"""Computes the findings about the bytes that telemetry adds, by mode, link and number of
switches."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, count_noun, part_of
from weir.report import HUES, WIDE, Curve, Figure, Plot, Section, Table, axes, draw_curves, save_plot


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows which mode adds how many bytes to which links."""
    runs, links = tables.runs, tables.frame("links")
    switches = 5 if 5 in tables.values("switches") else tables.values("switches")[-1]
    some = {row["mode"]: row for row in runs.filter(pl.col("switches") == switches).iter_rows(named=True)}
    return Findings(
        f"Over {count_noun(switches, 'switch')}, telemetry of a packet is "
        + ", ".join(
            f"at most {row['int_bytes']:.0f} bytes in the packet and "
            f"{count_noun(round(row['reports_per_packet']), 'report')} with INT-{mode}"
            for mode, row in some.items()
        )
        + f"; {part_of(int(runs['differs'].sum()), links.height, 'link')} carry other than the computed number of bytes.",
        [
            Section(
                "The cost of each mode",
                [
                    "One flow is watched. The instructions are node id, interfaces, hop latency and queue "
                    "occupancy, and reports have no payload. With INT-MD, packets grow at each hop, and the "
                    "sink sends one report. With INT-MX and INT-XD, each switch sends a report to the "
                    "collector over the same links; MX adds a header of constant length, XD nothing. On the "
                    "other hand, XD needs the watchlist at each switch, MX and MD at the source only."
                ],
                [_table(runs)],
                [
                    Figure(
                        _plot_by_link(
                            plots, links.filter(pl.col("switches") == switches), tables.values("mode")
                        ),
                        f"Bytes of telemetry on each link, in packets and in reports ({count_noun(switches, 'switch')}).",
                        wide=True,
                    ),
                    Figure(
                        _plot_by_length(plots, runs, tables.values("mode")),
                        "Bytes of each mode on all links together, those to the collector included, by the number of switches.",
                    ),
                ],
            )
        ],
    )


def _table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("mode", lambda row: f"INT-{row['mode']}"),
            ("switches", "switches"),
            ("reports", "reports_per_packet", 0),
            ("bytes in the packet, at most", "int_bytes", 0),
            ("bytes to the collector", "collector_bytes", 0),
            ("bytes between switches", "network_bytes", 0),
            ("links that differ from the computed bytes", "differs"),
        ],
        "For one packet; bytes between switches are summed over the links.",
        words=(0,),
        marked=(6,),
    )


def _plot_by_link(plots: Path, links: pl.DataFrame, modes: list[str]) -> Plot:
    with axes(WIDE, 3.8) as ax:
        names = links["link"].unique(maintain_order=True).to_list()
        width = 0.8 / len(modes)
        for place, mode in enumerate(modes):
            cells = links.filter(pl.col("mode") == mode)
            xs = [number + (place - (len(modes) - 1) / 2) * width for number in range(len(names))]
            packet, reports = cells["int_bytes"].to_list(), cells["report_bytes"].to_list()
            colour = HUES[place]
            ax.bar(xs, packet, width, color=colour, label=f"INT-{mode}: in the packet")
            ax.bar(xs, reports, width, bottom=packet, color=colour, alpha=0.45, label=f"INT-{mode}: reports")
        ax.set_xticks(range(len(names)), ["to " + name if "-" not in name else name for name in names])
        ax.set_ylabel("bytes per packet")
        ax.legend(ncols=len(modes), fontsize="small", loc="lower left", bbox_to_anchor=(0, 1))
        return save_plot(ax, plots, "cost-links")


def _plot_by_length(plots: Path, runs: pl.DataFrame, modes: list[str]) -> Plot:
    curves = []
    for mode in modes:
        cells = runs.filter(pl.col("mode") == mode).sort("switches")
        curves.append(Curve(f"INT-{mode}", cells["switches"], cells["total_bytes"]))
    return draw_curves(plots, "cost-switches", curves, x="switches", y="bytes on all links, per packet")

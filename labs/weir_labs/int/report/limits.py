"""Computes the findings about the nodes that report a packet at the limits of hops and MTU."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, part_of
from weir.report import ON_LIGHT, WIDE, Figure, Plot, Section, Table, axes, save_plot


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares the number of reported hops, and the flags, with the specification."""
    runs = tables.runs
    wrong = runs.filter(
        (pl.col("hops") != pl.col("predicted_hops"))
        | (pl.col("hops_exceeded") != pl.col("predicted_hops_exceeded"))
        | (pl.col("mtu_exceeded") != pl.col("predicted_mtu_exceeded"))
        | (pl.col("longest") > pl.col("mtu"))
    ).height
    switches = tables.values("switches")[0]
    longest_path = runs.filter(pl.col("switches") == switches)
    return Findings(
        f"In {part_of(runs.height - wrong, runs.height, 'combination')} the nodes that report a packet, the E flag "
        f"and the M flag follow the rules; "
        f"{part_of(int((runs['packets'] - runs['received']).sum()), int(runs['packets'].sum()), 'packet')} "
        f"were lost, and a packet was longer than the MTU in {runs.filter(pl.col('longest') > pl.col('mtu')).height}.",
        [
            Section(
                "Where INT-MD stops",
                [
                    "The header counts down the hops that may still add metadata. A switch that finds 0 adds none and sets E. A switch "
                    "whose metadata do not fit the MTU of the next link adds none and sets M; the count stays as it is. The packet is "
                    "forwarded in both cases. The sink's metadata are in the report, so only the count of hops limits them.",
                ],
                [_table(longest_path)],
                [
                    Figure(
                        _heat_map(plots, longest_path),
                        f"The numbers say how many of the {switches} nodes report a packet (darker is more), "
                        "by the allowed hops and metadata; E and M are the flags.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _format_flags(row: dict[str, int]) -> str:
    return "E" * row["hops_exceeded"] + "M" * row["mtu_exceeded"]


def _heat_map(plots: Path, runs: pl.DataFrame) -> Plot:
    hops, rooms = (sorted(runs[name].unique().to_list()) for name in ("max_hops", "room"))
    cells = {(row["max_hops"], row["room"]): row for row in runs.iter_rows(named=True)}
    with axes(WIDE, 3.6) as ax:
        values = [[cells[allowed, room]["hops"] for allowed in hops] for room in rooms]
        ax.imshow(
            values,
            origin="lower",
            aspect="auto",
            cmap="Blues",
            vmin=0,
            vmax=runs["switches"].to_numpy().max() * 1.6,
        )
        for x, allowed in enumerate(hops):
            for y, room in enumerate(rooms):
                row = cells[allowed, room]
                ax.text(
                    x,
                    y,
                    f"{row['hops']} {_format_flags(row)}".strip(),
                    ha="center",
                    va="center",
                    color=ON_LIGHT,
                )
        ax.set_xticks(range(len(hops)), [f"{value}" for value in hops])
        ax.set_yticks(range(len(rooms)), [f"{value}" for value in rooms])
        ax.set_xlabel("hops that may add metadata (count)")
        ax.set_ylabel("metadata that fit the MTU (count)")
        ax.grid(visible=False)
        return save_plot(ax, plots, "limits")


def _table(runs: pl.DataFrame) -> Table:
    return Table.from_rows(
        runs.iter_rows(named=True),
        [
            ("hops allowed", "max_hops"),
            ("metadata that fit", "room"),
            ("MTU", "mtu"),
            ("longest packet", "longest"),
            ("nodes told", "hops"),
            ("by the rules", "predicted_hops"),
            ("flags", lambda row: _format_flags(row) or "–"),
        ],
        "Lengths in bytes, from the IPv4 header on.",
        words=(6,),
        marked=(4,),
    )

"""The report on the thesis's test of its firewall."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, claim
from weir.report import COLOURS, ON_LIGHT, WIDE, Figure, Plot, Section, Table, axes, save_plot

from .common import words


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports which hosts reach each other, and whether spoofed frames pass."""
    runs = tables.runs
    sums = {name: runs[name].sum() for name in runs.columns if runs[name].dtype.is_numeric()}
    reached, refused = tables.frame("reached"), tables.frame("refused")
    stages = reached["stage"].unique(maintain_order=True).to_list()
    hosts = reached["source"].unique(maintain_order=True).to_list()
    grids = [
        Table(
            ["from", *(f"to {host}" for host in hosts)],
            [[source, *(_cell(reached, stage, source, target) for target in hosts)] for source in hosts],
            f"Answered pings while h4 is {stage}.",
            words=(0,),
        )
        for stage in stages
    ]
    return Findings(
        claim(
            "spoofed frames and hosts without entries are kept out",
            not (sums["spoofed_leaked"] or sums["late_before"])
            if sums["spoofed_sent"] and sums["pings"]
            else None,
            f"{sums['spoofed_leaked']} of {sums['spoofed_sent']:,} spoofed frames leave a switch, and "
            f"{sums['late_before']} pings from or to h4 pass before its entries are written",
            needs="spoofed frames and pings",
        )
        + f" {sums['late_lost']} pings of h4 are lost afterwards; the other hosts lose {sums['members_lost']}.",
        [
            Section(
                "Ports and MAC addresses, as in the thesis",
                [
                    "Each switch has two entries for each host: one for its MAC address as source "
                    "and port, and one for its MAC address as destination and port. Entries are "
                    "written once, without a controller; those of h4 come later. x1 sends frames "
                    "with MAC and IP addresses of the four hosts.",
                ],
                [
                    *grids,
                    Table.from_rows(
                        refused.iter_rows(named=True),
                        [
                            ("h4 is", "stage"),
                            ("of", "of"),
                            ("refused because", lambda row: words(row["reason"])),
                            ("packets", "packets", ","),
                        ],
                        "The frames that the switches refused.",
                        words=(0, 1, 2),
                    ),
                ],
                [
                    Figure(
                        _draw(reached, plots),
                        "The hosts that reach each other. Green pairs answer all pings, orange "
                        "pairs miss some.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _draw(reached: pl.DataFrame, plots: Path) -> Plot:
    """Draws a matrix of sources and destinations for each stage."""
    hosts = reached["source"].unique(maintain_order=True).to_list()
    stages = reached["stage"].unique(maintain_order=True).to_list()
    step = len(hosts) + 1
    with axes(WIDE, 3.2) as ax:
        for column, stage in enumerate(stages):
            for y, source in enumerate(hosts):
                for x, target in enumerate(hosts):
                    cell = reached.filter(
                        pl.col("stage") == stage, pl.col("source") == source, pl.col("target") == target
                    )
                    share = (
                        sum(cell["received"].to_list()) / sum(cell["sent"].to_list()) if cell.height else None
                    )
                    name = "grid" if share is None else "green" if share == 1 else "red"
                    ax.bar(column * step + x, 0.94, 0.94, y - 0.47, color=COLOURS[name])
                    if share is not None:
                        ax.text(
                            column * step + x,
                            y,
                            f"{100 * share:.0f} %",
                            ha="center",
                            va="center",
                            color=ON_LIGHT,
                        )
            ax.text(column * step - 0.47, -0.75, f"h4 is {stage}", fontweight="bold")
        places = [column * step + x for column in range(len(stages)) for x in range(len(hosts))]
        ax.set_xticks(places, [f"to {host}" for host in hosts] * len(stages))
        ax.set_yticks(range(len(hosts)), [f"from {host}" for host in hosts])
        ax.set_ylim(len(hosts) - 0.5, -1.1)
        ax.grid(visible=False)
        return save_plot(ax, plots, "binding")


def _cell(reached: pl.DataFrame, stage: str, source: str, target: str) -> str:
    rows = reached.filter(pl.col("stage") == stage, pl.col("source") == source, pl.col("target") == target)
    return f"{rows['received'].sum()} of {rows['sent'].sum()}" if rows.height else "–"

"""Computes the report that compares the lab's results in the virtual world with those on Linux
hosts (``--world linux``)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.lab.worlds import by_switch, named
from weir.report import Figure, Section

from .common import NAMES, over_time

_COLUMNS = [
    ("total_mbps", "all hosts (Mbit/s)", 2),
    ("fairness", "fairness", 4),
    ("variation_percent", "largest variation (%)", 1),
    ("rtt_ms", "round trip (ms)", 1),
    ("retransmits", "retransmitted", 1),
    ("settled_ms", "settled after (ms)", 0),
]


def joining(tables: Tables, plots: Path) -> Findings:
    """Compares shares and fairness of the last period in both worlds."""
    texts, absent = [], []
    points = {
        (row["world"], row["switch"], row["mode"]): row["fairness"]
        for row in tables.points("world", "switch", "mode").to_dicts()
    }
    for mode in tables.values("mode"):
        real = tables.runs.filter((pl.col("world") == "linux") & (pl.col("mode") == mode))
        absent += [f"{mode}: {reason}" for reason in real.filter(~pl.col("available"))["missing"].unique()]
        values = [(name, points.get((*place, mode))) for name, place in named(tables).items()]
        text = ", ".join(f"{name} {value:.4f}" for name, value in values if value is not None)
        texts.append(f"{mode}: {text or 'no runs'}")
    rates_by_mode = {
        NAMES[mode]: rates
        for mode in tables.values("mode")
        if (rates := _first(tables, mode, tables.values("switch")[0])) is not None
    }
    answer = f"Fairness of the last period by mode, {'; '.join(texts)}."
    if absent:
        answer += f" Not possible on this computer: {'; '.join(absent)}."
    return Findings(
        answer,
        [
            Section(
                "Hosts that join, in both worlds",
                [
                    "On real hosts the agents set classes of the kernel's HTB with tc, or the rate "
                    "of its FQ. Linux does not return IPv4 options that it does not know, so a "
                    "program on the server sends a second SYN-ACK with the option. Agents and this "
                    "program need some milliseconds, which the virtual world does not count. "
                    "“Settled after” is the time from the last join until every host has the right "
                    "rate."
                ],
                by_switch(tables, "mode", "mode", _COLUMNS),
                [
                    Figure(
                        over_time(plots, "worlds", rates_by_mode),
                        "Goodput of each host on Linux, over time.",
                        wide=True,
                    )
                ]
                if rates_by_mode
                else [],
            )
        ],
    )


def _first(tables: Tables, mode: str, switch: str) -> pl.DataFrame | None:
    """Returns the rates in the first run of a mode and a switch on real hosts; ``None`` if
    that run is missing."""
    rates = tables.frame("rates").filter(
        pl.col("repetition") == 0,
        pl.col("world") == "linux",
        pl.col("mode") == mode,
        pl.col("switch") == switch,
    )
    return None if rates.is_empty() else rates.select("host", "time_s", "mbps")

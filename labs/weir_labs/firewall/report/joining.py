"""The report on the times to join, to move and to be excluded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl
from matplotlib.axes import Axes

from weir import units
from weir.lab import Findings, Tables
from weir.report import COLOURS, Curve, Figure, Section, Table, draw_curves

_MAX_MS: Final = 50.0
"""The maximum time of a join in milliseconds."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the times by the delay to the controller."""
    runs, events = tables.runs, tables.frame("events")
    delays = tables.values("control_delay")
    leaves = events.filter(pl.col("event") == "leave")
    ways_ms = [units.time_ns(delay, "control_delay") / 1e6 for delay in delays]
    worst = (runs["first_ms"] - runs["first_predicted_ms"]).abs().to_numpy().max()
    return Findings(
        f"A host joins or moves in {runs['join_max_ms'].to_numpy().max():.2f} ms at most, with "
        f"{max(ways_ms):g} ms to the controller; the first join takes {_difference_from_theory(worst)}. From its "
        f"old port, {runs['from_old_port'].sum()} of {runs['probes'].sum()} packets of a host that has "
        f"moved pass, from the new one {runs['from_new_port'].sum()}.",
        [
            Section(
                "Joining, moving, leaving",
                [
                    "Four messages admit a host: HELLO with its nonce, CHALLENGE with the "
                    "controller's nonce, JOIN, ACCEPT. All messages except the first have a token, "
                    "which is an HMAC-SHA256 with the host's key over kind, addresses and both "
                    "nonces. The controller writes the rules into all switches on a path to another "
                    "member before it sends ACCEPT.",
                    "In theory the first join takes four messages (a link, a pass, the path to the "
                    "controller), two requests of 100 µs, and three writes of 50 µs. A host has left "
                    "after the last write. A host that is silent for 2 s is excluded.",
                ],
                [
                    Table.from_rows(
                        events.iter_rows(named=True),
                        [
                            ("path to the controller (ms)", _delay_label),
                            ("what", "event"),
                            ("host", "host"),
                            ("time (ms)", "ms", 3),
                            ("entries written and removed", "writes"),
                        ],
                        words=(1, 2),
                        marked=(3,),
                    ),
                    Table.from_rows(
                        runs.iter_rows(named=True),
                        [
                            ("path to the controller (ms)", _delay_label),
                            ("first join (ms)", "first_ms", 3),
                            ("in theory (ms)", "first_predicted_ms", 3),
                        ],
                        marked=(1, 2),
                    ),
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "joining",
                            [
                                Curve("first join, in theory", ways_ms, runs["first_predicted_ms"]),
                                Curve("longest join or move", ways_ms, runs["join_max_ms"]),
                                Curve("leave", ways_ms, leaves["ms"]),
                            ],
                            x="delay to the controller in ms",
                            y="time in ms",
                            decorate=_mark_limit,
                        ),
                        "Times by the delay to the controller, next to the 50 ms that a join may take "
                        "(dotted).",
                    )
                ],
            )
        ],
    )


def _delay_label(row: Mapping[str, Any]) -> str:
    """Formats the delay to the controller in milliseconds, for tables."""
    return f"{units.time_ns(row['control_delay'], 'control_delay') / 1e6:g}"


def _difference_from_theory(difference_ms: float) -> str:
    """Describes the difference between join times and theory."""
    if difference_ms < 1e-6:
        return "exactly as long as theory says"
    return f"as long as theory says, to {difference_ms:.2g} ms"


def _mark_limit(ax: Axes) -> None:
    ax.axhline(_MAX_MS, linestyle=":", color=COLOURS["soft"])
    ax.set_ylim(0, max(1.1 * _MAX_MS, ax.get_ylim()[1]))

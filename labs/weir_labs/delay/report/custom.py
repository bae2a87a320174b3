"""The report on strategy 2, which delays only custom packets."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, by_at_most
from weir.report import Figure, Section, Table, decimal, draw_curves

from ..thesis import PUBLISHED
from .common import TRANSMISSIONS, curves, fit_line, transmissions_axis

_SAME_MS = 1e-6


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the one-way delay of custom packets, and round trips of pings in the same network."""
    runs = tables.runs
    xs = tables.values("x")
    one_switch = runs.filter(pl.col("switches") == tables.values("switches")[0])
    lines = []
    for (profile,), cells in one_switch.partition_by("profile", maintain_order=True, as_dict=True).items():
        fit = fit_line(cells["x"].to_list(), cells["delay_min_ms"].to_list())
        if fit is not None:
            lines.append(fit.text(profile))
    return Findings(
        f"{_pings_by_x(runs)} {_delays_by_x(lines, tables.values('profile'))}",
        [
            Section(
                "Strategy 2: only custom packets recirculate",
                [
                    "h1 sends packets of EtherType 0x1313 with content id 102, h2 answers with "
                    "content id 101, and h1 pings h2 in between. The header counts the passes "
                    "through ingress and egress of all switches on the path."
                ],
                [
                    _table(runs).fold(
                        "Delays of custom packets and round trips of pings, by profile, switches and X."
                    )
                ],
                [
                    Figure(
                        draw_curves(
                            plots,
                            "custom",
                            curves(
                                {
                                    f"{label}, {profile}": (
                                        [x + 1 for x in cells["x"]],
                                        cells[column].to_list(),
                                    )
                                    for (profile,), cells in one_switch.partition_by(
                                        "profile", maintain_order=True, as_dict=True
                                    ).items()
                                    for label, column in (
                                        ("custom, one way", "delay_min_ms"),
                                        ("ping, round trip", "ping_rtt_min_ms"),
                                    )
                                }
                            ),
                            x=TRANSMISSIONS,
                            y="least time in ms",
                            decorate=lambda ax: transmissions_axis(ax, xs, logarithmic=True),
                            wide=True,
                        ),
                        "The least delay of custom packets and the least round trip of pings, by "
                        "transmissions (one switch).",
                        wide=True,
                    )
                ],
                notes=[
                    "The thesis gives no numbers for this strategy. The thesis's program sets the egress port "
                    "in egress, where BMv2 does not read it; the lab's program looks up the content id "
                    "in ingress."
                ],
            )
        ],
    )


def _delays_by_x(lines: list[str], profiles: list[str]) -> str:
    """Says how long custom packets are delayed by X, and which of these times are fitted."""
    if not lines:
        return "The delay of custom packets by X was not run: it needs two or more values of X."
    fitted = [profile for profile in profiles if profile in PUBLISHED]
    text = f"Custom packets are delayed by {'; '.join(lines)} in each direction"
    return f"{text}; the times of {' and '.join(fitted)} are fitted to the thesis." if fitted else f"{text}."


def _pings_by_x(runs: pl.DataFrame) -> str:
    """Says how far the round trips of normal pings depend on X."""
    if runs["x"].n_unique() < 2:
        return "The effect of X on normal pings was not run: it needs two or more values of X."
    parts = []
    for name, column in (("shortest", "ping_rtt_min_ms"), ("longest", "ping_rtt_max_ms")):
        groups = runs.drop_nulls(column).partition_by("profile", "switches")
        most = max(float(cells[column].to_numpy().max() - cells[column].to_numpy().min()) for cells in groups)
        depends = (
            "is the same for all X"
            if most < _SAME_MS
            else f"varies with X {by_at_most(most, len(groups), 3, 'ms')}"
        )
        parts.append(f"the {name} round trip {depends}")
    return f"Of normal pings in the same network, {' and '.join(parts)} (for each profile and chain)."


def _table(runs: pl.DataFrame) -> Table:
    head = [
        "profile", "switches", "X", "sent", "received", "answered", "passes counted", "delay min (ms)", "max (ms)", "ping min (ms)",
        "ping max (ms)", "ping TTL",
    ]  # fmt: skip
    rows = [
        [
            row["profile"],
            *(f"{row[name]}" for name in ("switches", "x", "sent", "received", "answered", "egress_num")),
            *(
                decimal(row[name])
                for name in ("delay_min_ms", "delay_max_ms", "ping_rtt_min_ms", "ping_rtt_max_ms")
            ),
            f"{row['ping_ttl']}",
        ]
        for row in runs.iter_rows(named=True)
    ]
    return Table(head, rows, words=(0,), marked=(7, 9)).by_repetition(runs["repetition"])

"""Computes the findings of test 1 on one shared computer, compared with the thesis's fall at 5
Mbit/s."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, claim, count_noun
from weir.report import Figure, Panel, Section, Table, decimal, draw_panels

from ..published import FIVE_SWITCHES_MBPS
from .common import BANDWIDTH, MEASURES, telemetry_lines

_CARRIED_SHARE: Final = 0.99
"""The share of the load that must arrive for a chain to carry the load."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Finds the load from which on each chain delivers less than it receives."""
    points = tables.points("slower", "switches", "telemetry", "mbps")
    rows = [
        {
            "slower": slower,
            "switches": switches,
            "telemetry": telemetry,
            "falls": _first_falling_load(cells),
            **_numbers_at_largest_load(cells),
        }
        for (slower, switches, telemetry), cells in points.partition_by(
            "slower", "switches", "telemetry", maintain_order=True, as_dict=True
        ).items()
    ]
    title, axis = MEASURES[BANDWIDTH]
    return Findings(
        _answer(pl.DataFrame(rows), tables.values("mbps")),
        [
            Section(
                "Test 1 on one computer",
                [
                    "All switches, hosts and the kernel share a computer with two processors. It is slower "
                    "than the computer fitted to BMv2's simple_switch by a free factor, because the thesis "
                    "does not say how fast its computer was, and other programs on it took time, too. The "
                    "factor is therefore fitted to the fall of five switches; which other chains fall with "
                    "that factor is a prediction."
                ],
                [
                    Table.from_rows(
                        rows,
                        [
                            (
                                "computer",
                                lambda row: (
                                    "as fitted" if row["slower"] == 1 else f"{row['slower']:g} times slower"
                                ),
                            ),
                            ("switches", "switches"),
                            ("INT", "telemetry"),
                            (
                                "falls from (Mbit/s)",
                                lambda row: "–" if row["falls"] is None else f"{row['falls']:g}",
                            ),
                            (
                                "bandwidth at the highest load (Mbit/s)",
                                lambda row: decimal(row["goodput_mbps"], 2),
                            ),
                            ("lost (%)", lambda row: decimal(row["loss_percent"], 1)),
                            ("round trip (ms)", lambda row: decimal(row["rtt_ms"], 1)),
                        ],
                        f"A chain falls from the lowest load at which its bandwidth is less than {100 * _CARRIED_SHARE:.0f} % of "
                        "the load. Bandwidth is the payload over the time from the first arrival to the last one, so it can "
                        "be below the load although nothing is lost: datagrams then wait in the computer's buffers, and "
                        "arrive late.",
                        words=(2,),
                        marked=(3,),
                    )
                ],
                [
                    Figure(
                        draw_panels(
                            plots,
                            "shared-bandwidth",
                            [
                                Panel(
                                    f"{slower:g} times slower",
                                    telemetry_lines(points.filter(pl.col("slower") == slower), BANDWIDTH),
                                )
                                for slower in tables.values("slower")
                            ],
                            x="load in Mbit/s of payload",
                            y=axis,
                        ),
                        f"{title.capitalize()} by load, for each speed of the computer; solid with telemetry.",
                        wide=True,
                    )
                ],
            )
        ],
    )


def _computer(slower: float) -> str:
    return "the fitted computer" if slower == 1 else f"a computer {slower:g} times slower than the fitted one"


def _carried(loads: list[float]) -> str:
    return f"carry {'all loads up to' if len(loads) > 1 else 'the load of'} {max(loads):g} Mbit/s"


def _first_falling_load(own: pl.DataFrame) -> float | None:
    low = own.filter(pl.col(BANDWIDTH) < _CARRIED_SHARE * pl.col("mbps"))
    return None if low.is_empty() else float(low["mbps"][0])


def _numbers_at_largest_load(own: pl.DataFrame) -> dict[str, float]:
    last = own.row(-1, named=True)
    return {name: last[name] for name in ("goodput_mbps", "loss_percent", "rtt_ms")}


def _answer(rows: pl.DataFrame, loads: list[float]) -> str:
    """Says which other chains fall on the computer that is fitted to the fall of the longest chain,
    and then how that computer was fitted."""
    longest = rows["switches"].to_numpy().max()
    hits = rows.filter(
        pl.col("telemetry") == "on", pl.col("switches") == longest, pl.col("falls") == FIVE_SWITCHES_MBPS
    )
    least = min(loads)
    if hits.is_empty() or least == FIVE_SWITCHES_MBPS:
        with_int = rows.filter(pl.col("telemetry") == "on", pl.col("switches") == longest)
        if with_int.is_empty():
            return "Not run: from which load chains with INT fall, which needs telemetry=on."
        falls = [
            f"{'at or below' if load == least else 'from'} {load:g} Mbit/s on {_computer(slower)}"
            for slower, load in with_int.select("slower", "falls").drop_nulls().iter_rows()
        ]
        found = f"fall {', '.join(falls)}" if falls else _carried(loads)
        return f"With INT, {count_noun(longest, 'switch')} {found}; the thesis's fall from {FIVE_SWITCHES_MBPS:g} Mbit/s."
    slower = hits["slower"][0]
    other_rows = rows.filter(
        (pl.col("slower") == slower) & ((pl.col("telemetry") == "off") | (pl.col("switches") < longest))
    )
    fall = [
        f"{count_noun(row['switches'], 'switch')}, INT {row['telemetry']}, fall "
        f"{'at or below' if row['falls'] == least else 'from'} {row['falls']:g} Mbit/s"
        for row in other_rows.iter_rows(named=True)
        if row["falls"] is not None
    ]
    text = claim(
        f"on {_computer(slower)}, chains with fewer switches or without INT {_carried(loads)}",
        None if other_rows.is_empty() else not fall,
        "; ".join(fall) or f"predicted for {count_noun(other_rows.height, 'chain')}",
        needs="chains with fewer switches or without INT",
    )
    return (
        f"{text} The factor {slower:g} is fitted: with it, {count_noun(longest, 'switch')} with INT fall from "
        f"{FIVE_SWITCHES_MBPS:g} Mbit/s, as in the thesis."
    )

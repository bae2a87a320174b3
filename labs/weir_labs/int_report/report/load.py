"""Computes the findings of test 1: what telemetry costs by load and number of switches (figures 4.6
to 4.9)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, by_at_most
from weir.report import Figure, Section, Table, decimal, draw_curves, interval, measured

from ..chain import QUEUE_PACKETS
from ..published import FIVE_SWITCHES_MBPS
from .common import BANDWIDTH, JITTER, LATENCY, LOSS, MEASURES, first_losses, telemetry_lines

_HOW_TO_READ: Final = {
    BANDWIDTH: "solid with telemetry; a curve bends where the links are full",
    LATENCY: "solid with telemetry",
    JITTER: "it grows where datagrams have to wait",
    LOSS: "solid with telemetry",
}
"""The note that explains each figure."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares bandwidth, latency, jitter and loss with and without telemetry."""
    points = tables.points("switches", "telemetry", "mbps")
    onsets = first_losses(points, "lost")
    return Findings(
        (_compare_with_thesis(onsets, points) + _uncongested_effect(points)).strip()
        or "Not run: what telemetry costs, which needs the same chains and loads with and without telemetry.",
        [
            Section(
                "Test 1: the price of telemetry by number of switches",
                [
                    "h1 sends datagrams to h2, and pings it ten times a second. Every datagram carries "
                    "telemetry, which grows by 12 bytes at each switch but the last, and every datagram "
                    "makes a report to h1. Reports go the other way, where links are idle, so they cost "
                    "nothing; only the longer datagrams take bandwidth.",
                    "The link before the last switch has the longest frames: 42 bytes of headers, 3 + 12 · (switches − 1) of "
                    "telemetry, and the payload. A load fits if that link can send it next to the pings. A longer chain adds a "
                    "transmission to each round trip, with or without telemetry.",
                ],
                [_onset_table(onsets)],
                [
                    Figure(
                        draw_curves(
                            plots,
                            f"load-{name}",
                            telemetry_lines(points, column),
                            x="load in Mbit/s of payload",
                            y=axis,
                        ),
                        f"{name.capitalize()} by load (thesis, figure 4.{figure}): {_HOW_TO_READ[column]}.",
                    )
                    for figure, (column, (name, axis)) in zip("6798", MEASURES.items(), strict=True)
                ],
                notes=[
                    f"The thesis's bandwidth over five switches falls from {FIVE_SWITCHES_MBPS:g} Mbit/s on, "
                    "before the lengths of the frames explain it. The thesis's switches shared one "
                    "computer, so a longer program on more switches was slower, as the thesis itself says. "
                    "Without --computer, each switch here has a processor of its own and takes 1 µs for "
                    "each packet, so only the links are limits.",
                    f"The thesis saw losses of 0 to 2 % without congestion. {_uncongested_effect(points)}",
                    f"A queue holds {QUEUE_PACKETS} packets, and a flow lasts {tables.values('seconds')[0]} s: a load that "
                    f"exceeds what fits by less than {QUEUE_PACKETS} datagrams in this time loses nothing, its queue only grows.",
                    "Latency is the round-trip time of answered pings. During congestion, many pings are "
                    "lost, like datagrams. Lost pings leave room for datagrams, so a little less is lost than computed.",
                ],
            ),
            Section("Test 1: all points", tables=[_table(points)]),
        ],
    )


def _compare_with_thesis(
    onsets: list[tuple[int, str, float, float | None, float | None]], points: pl.DataFrame
) -> str:
    """Says from which load on five switches lose datagrams, and how much arrives then, in the
    thesis and in the lab."""
    for switches, telemetry, fits, below, first in onsets:
        if (switches, telemetry) == (5, "on"):
            beyond = points.filter(
                pl.col("switches") == switches, pl.col("telemetry") == telemetry, pl.col("mbps") > fits
            )
            arrives = (
                ""
                if beyond.is_empty()
                else f"; at {beyond['mbps'][-1]:g} Mbit/s, {beyond[BANDWIDTH][-1]:.2f} Mbit/s arrive, and {fits:.2f} fit by the lengths"
            )
            if first is None:
                return f"With telemetry over five switches, nothing is lost at any load of this run, up to {below:g} Mbit/s. "
            return (
                f"With telemetry over five switches, loss begins {_onset_text(below, first)} Mbit/s{arrives}; the thesis's bandwidth "
                f"falls from {FIVE_SWITCHES_MBPS:g} Mbit/s on, which the thesis attributes to one computer for all switches. "
            )
    return ""


def _uncongested_effect(points: pl.DataFrame) -> str:
    """Describes the effect of telemetry without congestion, if there are points to compare."""
    fitting = points.filter(pl.col("mbps") <= points["fitting_mbps"].min())
    on, off = (fitting.filter(pl.col("telemetry") == state) for state in ("on", "off"))
    joined = on.join(off, on=["switches", "mbps"], suffix="_off")
    if joined.is_empty():
        return ""
    difference = (joined[BANDWIDTH] / joined[f"{BANDWIDTH}_off"] - 1).abs().to_numpy().max()
    lost = joined.select("lost", "lost_off").to_numpy().sum()
    equal = "are equal" if difference == 0 else f"differ {by_at_most(100 * difference, joined.height)}"
    loads = f"{'Up to' if joined['mbps'].n_unique() > 1 else 'At'} {joined['mbps'].to_numpy().max():g} Mbit/s"
    return (
        f"{loads}, {'nothing is' if lost == 0 else 'some datagrams are'} lost with or without telemetry, and "
        f"bandwidths {equal}. "
    )


def _onset_text(below: float | None, first: float) -> str:
    return f"at or below {first:g}" if below is None else f"between {below:g} and {first:g}"


def _onset_table(
    onsets: list[tuple[int, str, float, float | None, float | None]],
) -> Table:
    rows = [
        [f"{switches}", telemetry, decimal(fits), decimal(below, 2), decimal(first, 2)]
        for switches, telemetry, fits, below, first in onsets
    ]
    head = ["switches", "INT", "fits (Mbit/s)", "largest load without loss", "smallest load with loss"]
    return Table(
        head, rows, "Where loss begins: computed from lengths, and measured.", words=(1,), marked=(2, 4)
    )


def _table(points: pl.DataFrame) -> Table:
    rows = [
        [
            f"{row['switches']}",
            row["telemetry"],
            f"{row['mbps']:g}",
            f"{row['n']}",
            measured(row[BANDWIDTH], row[f"{BANDWIDTH}_half"]),
            interval(row[f"{BANDWIDTH}_half"]),
            *(
                measured(row[name], row[f"{name}_half"], digits)
                for name, digits in ((LATENCY, 2), (JITTER, 3), (LOSS, 2))
            ),
            decimal(row["predicted_loss_percent"], 2),
            decimal(row.get("longest_queue_max"), 0),
        ]
        for row in points.iter_rows(named=True)
    ]
    head = [
        "switches", "INT", "load (Mbit/s)", "runs", "bandwidth (Mbit/s)", "± 95 %", "latency (ms)", "jitter (ms)", "loss (%)",
        "computed (%)", "longest queue in reports",
    ]  # fmt: skip
    return Table(head, rows, words=(1,), marked=(4, 8))

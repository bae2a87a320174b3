"""Numbers, names and plots that several parts of the report share."""

from __future__ import annotations

from typing import Final

import polars as pl

from weir.lab import count_noun
from weir.report import HUES, MARKERS, Curve

BANDWIDTH, LATENCY, JITTER, LOSS = "goodput_mbps", "rtt_ms", "jitter_ms", "loss_percent"

MEASURES: Final = {
    BANDWIDTH: ("bandwidth", "payload received in Mbit/s"),
    LATENCY: ("latency", "mean round trip of pings in ms"),
    JITTER: ("jitter", "jitter (RFC 3550) in ms"),
    LOSS: ("loss", "datagrams lost in %"),
}
"""The thesis's measurements by column: the name, and the label of a plot's y axis."""


def telemetry_lines(points: pl.DataFrame, measure: str) -> list[Curve]:
    """Builds the lines of a measurement against the load: dashed without telemetry, with a colour
    for each chain."""
    groups = points.partition_by("switches", maintain_order=True, as_dict=True)
    return [
        Curve(
            f"{count_noun(switches, 'switch')}, INT {telemetry}",
            cells["mbps"],
            cells[measure],
            {
                "color": HUES[place],
                "marker": MARKERS[place],
                "linestyle": "-" if telemetry == "on" else "--",
                "markerfacecolor": HUES[place] if telemetry == "on" else "none",
            },
        )
        for place, ((switches,), points_of_switches) in enumerate(groups.items())
        for (telemetry,), cells in points_of_switches.partition_by(
            "telemetry", maintain_order=True, as_dict=True
        ).items()
    ]


def loss_begins(points: pl.DataFrame, lost: str) -> float | None:
    """Finds the smallest load at which any run lost something; returns ``None`` if no run did."""
    with_loss = points.filter(pl.col(f"{lost}_max") > 0)["mbps"].sort().to_list()
    return with_loss[0] if with_loss else None


def first_losses(points: pl.DataFrame, lost: str) -> list[tuple[int, str, float, float | None, float | None]]:
    """Finds the load that fits, the last load without loss and the first load with loss, by chain
    and telemetry.

    Args:
        points: means by switches, telemetry and load.
        lost: the column that counts lost datagrams.
    """
    losses = []
    for (switches, telemetry), cells in points.partition_by(
        "switches", "telemetry", maintain_order=True, as_dict=True
    ).items():
        first = loss_begins(cells, lost)
        below = [load for load in cells["mbps"].sort().to_list() if first is None or load < first]
        losses.append((switches, telemetry, cells["fitting_mbps"][0], below[-1] if below else None, first))
    return losses

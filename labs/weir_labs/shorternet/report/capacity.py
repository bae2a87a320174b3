"""Computes the findings about packet rates up to the limit of links and switches."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, by_at_most, count_noun
from weir.network import profiles
from weir.report import HUES, Curve, Figure, Panel, Plot, Section, Table, decimal, draw_panels

from ..capacity import SLOW_SWITCH
from ..frames import HEADERS_BYTES
from ..theory import gain_in_capacity
from .common import STACK_NAMES

_PARAMETERS: Final = ["limit", "equal", "length", "flows", "percent", "seconds", "stack"]
_LIMITS: Final = {
    "link": "links of 5 Mbit/s",
    "switch": f"switches of {profiles()[SLOW_SWITCH].capacity} passes a second",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows loss, payload, latency and jitter by load, by number of flows, and at equal length and
    equal payload."""
    points = tables.points(*_PARAMETERS)
    worst = (points["lost"] - points["predicted_lost"]).abs().to_numpy().max()
    return Findings(
        _answer(points) + f" Losses differ from theory {by_at_most(worst, points.height, 1, 'packets')}.",
        [
            Section(
                "Packet rates up to the capacity",
                [
                    "The load is a share of the packets per second that fit with Ethernet and IPv4: by the rate of the links, or by the "
                    "passes that a switch can start. Flows start at random times and keep their rate. At equal payload, "
                    "packets of Shorternet are 30 bytes shorter.",
                    "In theory, a link or switch forwards as many packets as fit, its queue fills, and the rest is lost.",
                ],
                [_table(points)],
                [
                    Figure(
                        _plot(points, plots, "lost_percent", "packets lost in %"),
                        "Loss at equal payload by load, where links and where switches are the limit.",
                        wide=True,
                    ),
                    Figure(
                        _plot(points, plots, "jitter_ms", "jitter in ms"),
                        "Jitter at equal payload by load, where links and where switches are the limit.",
                        wide=True,
                    ),
                ],
                notes=[
                    "A link carries more packets of equal payload if they are shorter: (payload + 42) / (payload + 12). A switch starts "
                    "as many passes for short as for long packets, so a shorter header gains nothing there.",
                    "One flow at a constant rate has no jitter below the limit. Packets of several flows meet at the first switch, "
                    "and wait for each other.",
                ],
            )
        ],
    )


def _answer(points: pl.DataFrame) -> str:
    """Says at which load loss begins, at equal payload."""
    texts = []
    for (limit, length), limit_points in points.filter(pl.col("equal") == "payload").group_by(
        "limit", "length", maintain_order=True
    ):
        starts = {
            stack: limit_points.filter(pl.col("stack") == stack, pl.col("lost") > 0)["percent"]
            .sort()
            .to_list()
            for stack in STACK_NAMES
            if stack in limit_points["stack"]
        }
        gain = gain_in_capacity(length - HEADERS_BYTES["standard"]) if limit == "link" else 0.0
        least, *more = sorted(set(limit_points["percent"]))
        lossy = [
            f"{_first_loss([load for load in (least, *more) if load <= start[0]])} with {STACK_NAMES[stack]}"
            if more
            else f"at {least:g} % with {STACK_NAMES[stack]}"
            for stack, start in starts.items()
            if start
        ]
        others = [f"with {STACK_NAMES[stack]}" for stack, start in starts.items() if not start]
        text = " and ".join(
            f"{verb} {' and '.join(stacks)}"
            for verb, stacks in (
                ("first lose packets" if more else "lose packets", lossy),
                (f"lose no packets {'up to' if more else 'at'} {max([least, *more]):g} %", others),
            )
            if stacks
        )
        both = f" (theory: {decimal(100 * gain, 1)} % more fit)" if len(starts) == len(STACK_NAMES) else ""
        texts.append(f"{_LIMITS[limit]} {text}{both}")
    return f"Equal payload: {'; '.join(texts)}." if texts else "Not run: where loss begins at equal payload."


def _first_loss(loads: list[float]) -> str:
    """Says between which two loads loss begins, where only the last of some loads has loss."""
    *_, below, first = (None, *loads)
    return f"at or below {first:g} %" if below is None else f"between {below:g} and {first:g} %"


def _plot(points: pl.DataFrame, plots: Path, column: str, axis: str) -> Plot:
    """Draws a panel for each limit, with a line for each stack and number of flows."""
    payload_points = points.filter(pl.col("equal") == "payload").with_columns(
        (100 * pl.col("lost") / pl.col("sent")).alias("lost_percent")
    )
    panels = []
    for (limit,), points_of_limit in payload_points.partition_by(
        "limit", maintain_order=True, as_dict=True
    ).items():
        curves = [
            Curve(
                f"{STACK_NAMES[stack]}, {count_noun(flows, 'flow')}",
                cells["percent"],
                cells[column],
                {"color": HUES[0 if stack == "shorternet" else 1], "linestyle": "-" if flows == 1 else "--"},
            )
            for (stack, flows), cells in points_of_limit.group_by("stack", "flows", maintain_order=True)
        ]
        panels.append(Panel(_LIMITS[limit], curves))
    return draw_panels(
        plots, f"capacity-{column.split('_')[0]}", panels, x="load in % of the capacity with IPv4", y=axis
    )


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.sort("limit", "equal", "flows", "percent", maintain_order=True).iter_rows(named=True),
        [
            ("limit", "limit"),
            ("equal", "equal"),
            ("flows", "flows"),
            ("load (%)", "percent"),
            ("stack", lambda row: STACK_NAMES[row["stack"]]),
            ("bytes", "bytes", 0),
            ("packets/s", "packets_per_s", 0),
            ("fit", "fitting_per_s", 0),
            ("sent", "sent", 0),
            ("lost", "lost", 0),
            ("theory", "predicted_lost", 0),
            ("payload (Mbit/s)", "payload_mbps", 3),
            ("latency (ms)", "latency_ms", 3),
            ("jitter (ms)", "jitter_ms", 3),
        ],
        "All points.",
        words=(0, 1, 4),
        marked=(9, 10),
    )

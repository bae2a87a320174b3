"""The report on two latencies of the same runs, TCP's round trip and that of pings, compared with
the slides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from weir.lab import Tables
from weir.report import HUES, Curve, Figure, Plot, Section, Table, draw_curves

from ..fabric import PATHS
from ..slides import AFTER_MS, BEFORE_MS
from .names import NAMES

COLLIDE = "no balancing; flows collide"
APART = "no balancing; by chance, flows do not collide"


def latency(tables: Tables, plots: Path) -> Section:
    """Reports both latencies, where packets wait, and which latency the slides could have measured.

    Args:
        tables: the tables of the experiment ``balancing``.
        plots: the folder for plots.
    """
    cases = _cases(tables.runs)
    return Section(
        "Which latency?",
        [
            f"The slides' latency falls from {BEFORE_MS:g} to {AFTER_MS:g} ms, and they do not say "
            "how it was measured. In the lab, TCP's smoothed round trip and pings of the same runs "
            "differ, because their packets meet different queues. Packets of colliding flows wait in "
            "the queue that the flows share. A ping takes the path of a hash of its addresses, whatever "
            "its host's flow takes. This path is the same in all runs, so some pings share a queue with "
            "flows, and others take an idle path.",
            *_conclusions(cases),
        ],
        [_table(cases)],
        [
            Figure(
                _plot_over_time(plots, tables.frame("latency")),
                "TCP's round trip and that of pings over time, with and without balancing (means of all runs).",
                wide=True,
            )
        ],
        notes=["Round trips and queues are means of whole runs; least and largest are those of single runs."],
    )


def _cases(runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Selects the runs of each case; cases without runs are left out."""
    unbalanced = runs.filter(pl.col("queues") == "off")
    cases = {
        COLLIDE: unbalanced.filter(pl.col("paths_at_end") < PATHS),
        APART: unbalanced.filter(pl.col("paths_at_end") == PATHS),
        **{NAMES[queues]: runs.filter(pl.col("queues") == queues) for queues in ("all", "shared")},
    }
    return {name: runs_of_case for name, runs_of_case in cases.items() if runs_of_case.height}


def _table(cases: dict[str, pl.DataFrame]) -> Table:
    rows = [
        {
            "case": name,
            "n": runs_of_case.height,
            **{
                f"{quantity}_{how}": getattr(runs_of_case[f"run_{quantity}_ms"], how)()
                for quantity in ("rtt", "ping")
                for how in ("mean", "min", "max")
            },
            "queue": runs_of_case["run_queue"].to_numpy().mean() / PATHS,
            "host_queue": runs_of_case["run_host_queue"].to_numpy().mean() / PATHS,
        }
        for name, runs_of_case in cases.items()
    ]
    return Table.from_rows(
        rows,
        [
            ("runs", "case"),
            ("how many", "n"),
            ("TCP's round trip (ms)", "rtt_mean", 1),
            ("least", "rtt_min", 1),
            ("largest", "rtt_max", 1),
            ("ping (ms)", "ping_mean", 1),
            ("least", "ping_min", 1),
            ("largest", "ping_max", 1),
            ("queue of a path (packets)", "queue", 1),
            ("queue of a host (packets)", "host_queue", 1),
        ],
        f"The slides have {BEFORE_MS:g} ms without load balancing and {AFTER_MS:g} ms with it.",
        words=(0,),
        marked=(2, 5),
    )


def _conclusions(cases: dict[str, pl.DataFrame]) -> list[str]:
    """Formulates the conclusions about the slides' latency."""
    texts = []
    if COLLIDE in cases:
        case = cases[COLLIDE]
        least = float(case["run_rtt_ms"].to_numpy().min())
        ping = case["run_ping_ms"].to_numpy()
        if case.height == 1:
            return [
                f"In the only run without balancing in which flows collide, TCP's round trip is {least:.0f} ms, and pings take "
                f"{ping[0]:.0f} ms. To compare the slides' {BEFORE_MS:g} ms with them, repeat the run with --seeds."
            ]
        if least > BEFORE_MS:
            texts.append(
                f"In all {case.height} runs without balancing in which flows collide, TCP's round trip "
                f"is {least:.0f} ms or more. The slides' {BEFORE_MS:g} ms are therefore not TCP's round trip "
                f"over queues like these. Pings of these runs take {ping.mean():.0f} ms, from "
                f"{ping.min():.0f} to {ping.max():.0f} ms: the slides' number is {_position(ping)} this range."
            )
    if NAMES["all"] in cases and texts:
        case = cases[NAMES["all"]]
        ping = case["run_ping_ms"].to_numpy()
        paths = case["paths_at_end"].to_numpy().mean()
        text = f"With balancing, pings take {ping.mean():.0f} ms; {paths:.1f} of {PATHS} paths then have a flow at the end, on average."
        if APART in cases:
            apart = cases[APART]
            apart_ms = apart["run_ping_ms"].to_numpy().mean()
            runs = "the run" if apart.height == 1 else f"the {apart.height} runs"
            text += f" In {runs} without balancing in which flows never shared a path, pings take {apart_ms:.0f} ms."
        texts.append(
            f"{text} If queues drain after a move, as with slower senders (the experiment hosts), pings are "
            "faster. The slides do not say whether they measured pings."
        )
    return texts


def _position(ping: np.ndarray) -> str:
    return "in" if ping.min() <= BEFORE_MS <= ping.max() else "outside"


def _plot_over_time(plots: Path, seconds: pl.DataFrame) -> Plot:
    means = seconds.group_by("queues", "second", maintain_order=True).agg(
        pl.col("rtt_ms").mean(), pl.col("ping_ms").mean()
    )
    curves = []
    for place, ((queues,), cells) in enumerate(
        means.partition_by("queues", maintain_order=True, as_dict=True).items()
    ):
        for column, line, name in (("rtt_ms", "-", "TCP"), ("ping_ms", ":", "ping")):
            style = {"color": HUES[place], "linestyle": line, "marker": ""}
            curves.append(Curve(f"{name}: {NAMES[queues]}", cells["second"] + 0.5, cells[column], style))
    return draw_curves(
        plots,
        "latency",
        curves,
        x="time in s",
        y="round trip in ms",
        wide=True,
    )

"""Computes the findings about congestion control from INT: queues, latency and throughput with and
without it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from weir.lab import Findings, Tables
from weir.report import HUES, Curve, Figure, Panel, Section, Table, draw_panels

from ..control import CROSS_MBPS

SCENARIOS = {
    "together": "two senders all the time",
    "joining": "a second sender in the second and third quarter",
    "cross": f"Poisson traffic of {CROSS_MBPS:g} Mbit/s in the second and third quarter, without control",
}
"""The description of each scenario."""

_SCENARIO_NAMES = {
    "together": "two senders all the time",
    "joining": "a second sender for half of the time",
    "cross": "Poisson traffic for half of the time",
}
"""The same in a few words."""

_TCP_NAMES = {"cubic": "Cubic", "bbr": "BBR"}

KEYS = ("scenario", "switches", "eta")
"""The columns whose values a controlled point and its point without control have in common."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Compares mean queues and throughput with congestion control to those without it."""
    points = tables.points(*KEYS, "control")
    series = tables.frame("series").filter(
        *(pl.col(name) == tables.values(name)[0] for name in ("switches", "eta", "seed"))
    )
    compared = relative_to_no_control(points)
    return Findings(
        _answer(points, compared),
        [
            Section(
                "Congestion control from INT",
                [
                    "Like HPCC, a sender computes from two reports how much each port sent between them, "
                    "and reads how much waits in the port's queue. It sets its window so that the "
                    "utilization of the busiest link is 95 %. Without control, a sender sends at the rate "
                    "of its own link, so two of them overload the next link by a factor of two. Cubic and "
                    "BBR are TCP's.",
                    "Queues are the packets that wait at all ports of the path together, in each millisecond. Throughput is that of "
                    "both senders.",
                ],
                [_table(points), _comparison_table(compared)],
                [
                    Figure(
                        draw_panels(
                            plots,
                            "control-queue",
                            [
                                Panel(scenario, _queues(series, scenario))
                                for scenario in tables.values("scenario")
                            ],
                            x="time in s",
                            y="packets that wait",
                            style={"marker": ""},
                            decorate=_scale_linear_then_logarithmic,
                        ),
                        "Packets that wait, with and without control. "
                        + " ".join(
                            f"{scenario}: {SCENARIOS[scenario]}." for scenario in tables.values("scenario")
                        ),
                        wide=True,
                    ),
                    Figure(
                        draw_panels(
                            plots,
                            "control-rates",
                            [
                                Panel(scenario, _rates(series, scenario))
                                for scenario in tables.values("scenario")
                            ],
                            x="time in s",
                            y="payload received in Mbit/s",
                            style={"marker": ""},
                        ),
                        "Throughput of each sender in the same runs, with control (solid) and without (dotted).",
                        wide=True,
                    ),
                ],
                notes=[
                    "Without control, queues stay full, and the order in which datagrams of constant rates meet a full queue decides "
                    "who loses: one sender may get nearly nothing.",
                    "Bursts of Poisson traffic look like a busier link for a round trip. The sender slows "
                    "down at once, and speeds up in small steps, so next to such traffic it leaves more of "
                    "the link unused.",
                    "TCP carries the same telemetry and does not read it. TCP's segments have 24 bytes more of headers, so a TCP "
                    "sender can have 98.3 % of the others' throughput at most; in “cross”, h3 sends datagrams, which do not have "
                    "these headers. TCP's delays are those until the application gets the bytes.",
                    "The column eta has the utilization of the links that the sender aims at. The rest of the bandwidth is the price of "
                    "short queues; `--set eta=0.9,0.99` runs the experiment with other targets.",
                ],
            )
        ],
    )


def _answer(points: pl.DataFrame, compared: pl.DataFrame) -> str:
    """Formulates the answer for the first values of the other parameters."""
    first_scenario = compared.filter(*(pl.col(name) == pl.col(name).first() for name in KEYS[1:]))
    with_int = first_scenario.filter(pl.col("control") == "int").to_dicts()
    if not with_int:
        return "Not run: what congestion control from INT gains, which needs control=none and control=int."
    without_int = first_scenario.filter(
        pl.col("control") != "int", pl.col("scenario") == with_int[0]["scenario"]
    )
    lost = points.filter(pl.col("control") == "int")["dropped"].sum()
    return (
        "Congestion control from INT leaves "
        + ", ".join(
            f"{_percent(row['queue_percent'])} of the mean queue and {row['throughput_percent']:.1f} % of the throughput "
            f"({_situation(row['scenario'])})"
            for row in with_int
        )
        + f", compared with no control; {lost:g} {'packet is' if lost == 1 else 'packets are'} lost."
        + "".join(
            f" With TCP {_TCP_NAMES.get(row['control'], row['control'])}, {_percent(row['queue_percent'])} of the mean queue and "
            f"{row['throughput_percent']:.1f} % of the throughput are left ({_situation(row['scenario'])})."
            for row in without_int.iter_rows(named=True)
        )
    )


def _situation(scenario: str) -> str:
    """Describes a scenario in a few words, and gives its name in tables and figures."""
    return f"{_SCENARIO_NAMES[scenario]}, “{scenario}”" if scenario in _SCENARIO_NAMES else scenario


def _percent(value: float) -> str:
    """Formats a share of a queue; queues of less than a packet vary so much from run to run that
    digits of their share have no meaning."""
    return "less than 1 %" if value < 1 else f"{value:.0f} %"


def relative_to_no_control(points: pl.DataFrame) -> pl.DataFrame:
    """Computes mean queue, throughput and delay with each control, in per cent of the values
    without control."""
    none, controlled = (points.filter((pl.col("control") == "none") == without) for without in (True, False))
    joined = controlled.join(none, on=KEYS, suffix="_none", maintain_order="left")
    return joined.select(
        *KEYS,
        "control",
        (100 * pl.col("mean_queue") / pl.col("mean_queue_none")).alias("queue_percent"),
        (100 * pl.col("goodput_mbps") / pl.col("goodput_mbps_none")).alias("throughput_percent"),
        (100 * pl.col("delay_mean_ms") / pl.col("delay_mean_ms_none")).alias("delay_percent"),
    )


def _scale_linear_then_logarithmic(ax: Axes) -> None:
    """Makes a y axis linear up to 1 and logarithmic beyond, with plain numbers."""
    ax.set_yscale("symlog", linthresh=1)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _queues(series: pl.DataFrame, scenario: str) -> list[Curve]:
    return [
        Curve(f"control: {control}", cells["time_s"], cells["queue"])
        for (control,), cells in series.filter(
            pl.col("scenario") == scenario, pl.col("control").is_in(["none", "int"])
        )
        .partition_by("control", maintain_order=True, as_dict=True)
        .items()
    ]


def _rates(series: pl.DataFrame, scenario: str) -> list[Curve]:
    return [
        Curve(
            f"{host}, control: {control}",
            cells["time_s"],
            cells[f"{host}_mbps"],
            {"color": HUES[place], "linestyle": "-" if control == "int" else ":"},
        )
        for (control,), cells in series.filter(
            pl.col("scenario") == scenario, pl.col("control").is_in(["none", "int"])
        )
        .partition_by("control", maintain_order=True, as_dict=True)
        .items()
        for place, host in enumerate(("h1", "h3"))
    ]


def _comparison_table(compared: pl.DataFrame) -> Table:
    return Table.from_rows(
        compared.iter_rows(named=True),
        [
            ("scenario", "scenario"),
            ("switches", "switches"),
            ("eta", "eta", "g"),
            ("control", "control"),
            ("mean queue (%)", "queue_percent", 1),
            ("throughput (%)", "throughput_percent", 1),
            ("mean delay (%)", "delay_percent", 1),
        ],
        "With control, in per cent of the same without.",
        words=(0, 3),
        marked=(4, 5),
    )


def _table(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("scenario", "scenario"),
            ("switches", "switches"),
            ("eta", "eta", "g"),
            ("control", "control"),
            ("runs", "n"),
            ("mean queue (packets)", "mean_queue", 2),
            ("longest (packets)", "longest_queue_max", 0),
            ("delay (ms)", "delay_mean_ms", 2),
            ("99 % (ms)", "delay_p99_ms", 2),
            ("throughput (Mbit/s)", "goodput_mbps", 3),
            ("h1 (Mbit/s)", "h1_mbps", 3),
            ("h3 (Mbit/s)", "h3_mbps", 3),
            ("fairness", "fairness", 3),
            ("lost (packets)", "dropped", "count"),
        ],
        "Delays are one-way. Throughput is that of the whole run; h1, h3 and fairness (Jain's index) are of the time in "
        "which both send, so their sum can be lower or higher.",
        words=(0, 3),
        marked=(5, 9),
    )

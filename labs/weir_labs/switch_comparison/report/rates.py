"""The report on processor time, energy and memory by offered rate and packet size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import (
    Curve,
    Figure,
    Panel,
    Section,
    Table,
    decimal,
    draw_curves,
    draw_panels,
    logarithmic,
    with_interval,
)

from .claims import Claim, claims_table, comparison_sentence, comparison_table, sentence
from .points import (
    Row,
    busy_note,
    curves,
    flow_rows,
    means,
    missing_switches,
    names,
    not_measured,
    style,
    title,
)

_POINT_COLUMNS = ("protocol", "size", "rate_mbps")

_CLAIMS = [
    Claim("run to completion needs less energy", "watts", False, _POINT_COLUMNS),
    Claim("run to completion needs less processor time", "cpu_us_per_mbit", False, _POINT_COLUMNS),
    Claim("run to completion switches contexts less often", "switches_per_s", False, _POINT_COLUMNS),
    Claim("the switch with a pool of packets needs less memory", "rss_max_mb", False, _POINT_COLUMNS),
    Claim(
        "a pool keeps memory flat: it grows less with the load",
        "rss_growth_mb",
        False,
        ("protocol", "size"),
        unit="MB",
    ),
]

_PLOTTED_COLUMNS: Sequence[tuple[str, str, str, str]] = (
    ("watts", "energy", "power in W", "Figure 4.3: the lower a curve, the less power the switch needs"),
    (
        "cpu_percent",
        "cpu",
        "processor time in % of one",
        "Figure 4.4: the steeper a curve, the more time a packet takes",
    ),
    (
        "rss_max_mb",
        "memory",
        "resident memory in MB",
        "Figure 4.5: a level curve is a switch whose memory does not grow with the load",
    ),
)


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the figures 4.3 to 4.5 of the thesis."""
    flows = flow_rows(tables)
    rows = means(flows, "switch", *_POINT_COLUMNS)
    runs = tables.runs.filter(pl.col("available"))
    sources = sorted({row["energy_source"] for row in rows})
    modelled = any(source.startswith("modelled") for source in sources)
    # A model computes power from processor time, so it cannot test a finding about energy.
    claimed = [claim for claim in _CLAIMS if not (modelled and claim.column == "watts")]
    claims, answer = claims_table(claimed, [*flows.to_dicts(), *runs.to_dicts()])
    missing = missing_switches(tables)
    return Findings(
        sentence(
            comparison_sentence(
                flows.to_dicts(), "cpu_us_per_mbit", "processor time for a Mbit", _POINT_COLUMNS
            ),
            answer,
            not_measured(tables),
        ),
        [
            Section(
                "Processors, energy and memory by rate (the thesis's Figures 4.3 to 4.5)",
                [
                    "The client offers one rate after the other to the same running switch. "
                    "Processor time is that of the switch's processes; the kernel's work between "
                    "interfaces is counted in softirqs. For switches in the kernel, which have no "
                    "process, compare the busy time of all processors with that of the link without "
                    "a switch.",
                    f"Energy: {'; '.join(sources) or 'not known'}. A modelled figure is the model's "
                    "power at the load that the switch and softirqs put on this computer's "
                    "processors, so it has the same information as processor time, and does not test "
                    "the thesis's findings on energy.",
                ],
                [claims],
                _figures(rows, plots),
                notes=busy_note(runs),
            ),
            *(Section(_heading(point), tables=[_table(rows, point)]) for point in _points(rows)),
            Section(
                "Memory and processor time while the rate rises",
                figures=_figures_over_time(tables, plots),
            ),
            Section(
                "Weir compared with other switches: processor time and memory",
                tables=[
                    comparison_table(flows.to_dicts(), "cpu_us_per_mbit", False, _POINT_COLUMNS),
                    comparison_table(flows.to_dicts(), "rss_max_mb", False, _POINT_COLUMNS),
                ],
            ),
            *([missing] if missing else []),
        ],
    )


def _points(rows: Sequence[Row]) -> list[tuple[str, int]]:
    return list(dict.fromkeys((row["protocol"], row["size"]) for row in rows))


def _heading(point: tuple[str, int]) -> str:
    protocol, size = point
    return f"{protocol.upper()}, packets of {size} bytes"


def _figures(rows: Sequence[Row], plots: Path) -> list[Figure]:
    figures = []
    for column, name, label, see in _PLOTTED_COLUMNS:
        panels = [
            Panel(_heading(point), drawn)
            for point in _points(rows)
            if (
                drawn := curves(
                    [row for row in rows if (row["protocol"], row["size"]) == point], "rate_mbps", column
                )
            )
        ]
        if panels:
            plot = draw_panels(
                plots, name, panels, x="offered rate in Mbit/s", y=label, decorate=logarithmic("x")
            )
            figures.append(Figure(plot, f"{see}.", wide=True))
    return figures


def _table(rows: Sequence[Row], point: tuple[str, int]) -> Table:
    lines = []
    point_rows = [row for row in rows if (row["protocol"], row["size"]) == point]
    for rate in list(dict.fromkeys(row["rate_mbps"] for row in point_rows)):
        by_switch = {row["switch"]: row for row in point_rows if row["rate_mbps"] == rate}
        for switch in names(point_rows):
            if (row := by_switch.get(switch)) is None:
                continue
            lines.append(
                [
                    f"{rate:g}",
                    title(switch),
                    with_interval(row["goodput_mbps"], row["goodput_mbps_half"], 1),
                    decimal(row["loss_percent"], 2),
                    with_interval(row["cpu_percent"], row["cpu_percent_half"], 1),
                    decimal(row["cpu_us_per_mbit"], 0),
                    decimal(row["softirq_percent"], 1),
                    decimal(row["busy_percent"], 0),
                    decimal(row["switches_per_s"], 0),
                    decimal(row["rss_max_mb"], 1),
                    decimal(row["watts"], 3),
                    decimal(row["loaded_rtt_us"], 0),
                    decimal(row["loaded_rtt_p99_us"], 0),
                ]
            )
    head = [
        "offered (Mbit/s)", "switch", "goodput (Mbit/s)", "lost (%)", "CPU (%)", "CPU (µs per Mbit)", "softirqs (%)",
        "all busy (%)", "context switches/s", "memory (MB)", "power (W)", "round trip (µs)", "99 % (µs)",
    ]  # fmt: skip
    return Table(
        head,
        lines,
        "Means of the runs, ± half of the 95 % interval; 100 % is one processor. Round trips are of "
        "pings during the flow.",
        words=(1,),
    )


def _figures_over_time(tables: Tables, plots: Path) -> list[Figure]:
    if not (tables.folder / "frames" / "usage.parquet").is_file():
        return []
    usage = tables.frame("usage").filter(pl.col("repetition") == 0)
    point = {name: usage[name][-1] for name in ("protocol", "size")}
    usage = usage.filter(*(pl.col(name) == value for name, value in point.items()))
    rows = usage.to_dicts()
    figures = []
    for column, name, label, see in (
        (
            "rss_mb",
            "memory-over-time",
            "resident memory in MB",
            "A level curve is a switch that keeps its memory",
        ),
        ("cpu_s", "cpu-over-time", "processor time in s", "Curves bend where the offered rate rises"),
    ):
        drawn = []
        for switch in names(rows):
            switch_rows = [row for row in rows if row["switch"] == switch and row[column] is not None]
            if switch_rows:
                line = {**style(switch), "marker": ""}
                drawn.append(
                    Curve(
                        title(switch),
                        [row["time_s"] for row in switch_rows],
                        [row[column] for row in switch_rows],
                        line,
                    )
                )
        if drawn:
            plot = draw_curves(plots, name, drawn, x="time in s", y=label, wide=True)
            caption = f"{see} (one run, {_heading((point['protocol'], point['size']))}, the rates one after the other)."
            figures.append(Figure(plot, caption, wide=True))
    return figures

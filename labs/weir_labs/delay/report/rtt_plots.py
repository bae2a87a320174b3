"""The plots of round trips (figures 5.5 to 5.17)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.report import COLOURS, WIDE, Panel, Plot, axes, draw_panels, line_style, log_axis, save_plot

from ..theory import rate_name
from ..thesis import PUBLISHED
from .common import CROSSES, TRANSMISSIONS, curves, transmissions_axis


def round_trips_by_rate(runs: pl.DataFrame, plots: Path) -> Plot:
    """Plots round trips without recirculation by link rate, with theory and published numbers."""
    with axes(WIDE, 3.9) as ax:
        log_axis(ax, "y")
        rates: list[str] = []
        for place, ((profile,), cells) in enumerate(groups(runs.filter(pl.col("x") == 0), "profile")):
            style = line_style(place)
            rates = cells["rate"].to_list()
            places = list(range(len(rates)))
            ax.plot(places, cells["theory_ms"].to_list(), color=style["color"], linewidth=1, linestyle=":")
            points = {**style, "linestyle": "none", "label": f"{profile}, minimum"}
            ax.plot(places, cells["rtt_min_ms"].to_list(), **points)
            thesis = PUBLISHED.get(profile)
            if thesis:
                marks = [
                    (place, thesis.rtt_min_ms[rate, 0])
                    for place, rate in enumerate(rates)
                    if (rate, 0) in thesis.rtt_min_ms
                ]
                ax.plot(
                    *zip(*marks, strict=True), **CROSSES, color=style["color"], label=f"thesis, {thesis.name}"
                )
        ax.plot([], [], color=COLOURS["soft"], linewidth=1, linestyle=":", label="theory")
        ax.set_xticks(range(len(rates)), [rate_name(rate) for rate in rates])
        ax.set_xlabel("link rate")
        ax.set_ylabel("round trip in ms")
        ax.legend()
        return save_plot(ax, plots, "rtt-by-rate")


def all_rates(runs: pl.DataFrame, plots: Path) -> Plot:
    """Plots the first profile's round trips against transmissions, with a line for each link
    rate."""
    (((profile,), cells), *_) = groups(runs, "profile")
    thesis = PUBLISHED.get(profile)
    with axes(WIDE, 3.9) as ax:
        for place, ((rate,), row) in enumerate(groups(cells, "rate")):
            style = line_style(place)
            ends = [x + 1 for x in row["x"]]
            ax.plot(ends, row["rtt_min_ms"].to_list(), **style)
            # The lines of fast links almost coincide, so one label is above the lines and one is
            # below.
            ax.annotate(
                rate_name(rate),
                (ends[-1], row["rtt_min_ms"][-1]),
                xytext=(8, {"unlimited": -7, "1Gbit": 7}.get(rate, 0)),
                va="center",
                textcoords="offset points",
                color=style["color"],
                weight="bold",
                annotation_clip=False,
            )
        if thesis:
            marks = dict(CROSSES, color=COLOURS["ink"], zorder=3, label=f"thesis, {thesis.name}")
            ax.plot([x + 1 for _, x in thesis.rtt_min_ms], list(thesis.rtt_min_ms.values()), **marks)
            ax.legend(loc=(0.02, 0.58))
        transmissions_axis(ax, cells["x"].unique().sort().to_list(), logarithmic=True)
        ax.set_xlabel(TRANSMISSIONS)
        ax.set_ylabel("round trip in ms")
        return save_plot(ax, plots, "rtt-rates")


def each_rate(runs: pl.DataFrame, rates: list[str], plots: Path) -> Plot:
    """Plots round trips against transmissions, with a panel for each link rate and a line for each
    profile."""
    panels = []
    for rate in rates:
        lines, published = {}, {}
        for (profile,), cells in groups(runs.filter(pl.col("rate") == rate), "profile"):
            lines[profile] = ([x + 1 for x in cells["x"]], cells["rtt_min_ms"].to_list())
            thesis = PUBLISHED.get(profile)
            marks = (
                [(x + 1, rtt) for (measured, x), rtt in thesis.rtt_min_ms.items() if measured == rate]
                if thesis
                else []
            )
            if marks:
                published[profile] = ([x for x, _ in marks], [rtt for _, rtt in marks])
        name = rate_name(rate)
        panels.append(Panel(f"links {name}", curves(lines, published)))
    xs = runs["x"].unique().sort().to_list()
    return draw_panels(
        plots,
        "rtt-each-rate",
        panels,
        x=TRANSMISSIONS,
        y="round trip in ms",
        decorate=lambda ax: transmissions_axis(ax, xs),
        same_y=False,
    )


def groups(runs: pl.DataFrame, *names: str) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
    """Groups rows by these columns, and keeps the order of the rows."""
    return list(runs.partition_by(*names, maintain_order=True, as_dict=True).items())

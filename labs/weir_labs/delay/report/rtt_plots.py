"""The plots of round trips (figures 5.5 to 5.17)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.report import COLOURS, Plot, axes, log_axis, save_plot

from ..thesis import PUBLISHED
from .common import PUBLISHED as MARK, STYLES, rate_name, transmissions_axis


def round_trips_by_rate(runs: pl.DataFrame, plots: Path) -> Plot:
    """Round trips without recirculation by link rate, with theory and published numbers."""
    with axes(7.2, 4.2) as ax:
        log_axis(ax, "y")
        rates: list[str] = []
        for style, ((profile,), cells) in zip(
            STYLES, groups(runs.filter(pl.col("x") == 0), "profile"), strict=False
        ):
            rates = cells["rate"].to_list()
            places = list(range(len(rates)))
            ax.plot(places, cells["theory_ms"].to_list(), color=style["color"], linewidth=1, linestyle=":")
            ax.plot(
                places, cells["rtt_min_ms"].to_list(), linestyle="none", label=f"{profile}, minimum", **style
            )
            known = PUBLISHED.get(profile)
            if known:
                marks = [
                    (place, known.rtt_min_ms[rate, 0])
                    for place, rate in enumerate(rates)
                    if (rate, 0) in known.rtt_min_ms
                ]
                ax.plot(
                    *zip(*marks, strict=True), **MARK, color=style["color"], label=f"thesis, {known.name}"
                )
        ax.plot([], [], color="grey", linewidth=1, linestyle=":", label="theory")
        ax.set_xticks(range(len(rates)), [rate_name(rate) for rate in rates])
        ax.set_xlabel("link rate")
        ax.set_ylabel("round trip in ms")
        ax.legend()
        return save_plot(ax, plots, "rtt-by-rate")


def all_rates(runs: pl.DataFrame, plots: Path) -> Plot:
    """The first profile's round trips against transmissions, a line for each link rate."""
    (((profile,), cells), *_) = groups(runs, "profile")
    known = PUBLISHED.get(profile)
    with axes(7.2, 4.2) as ax:
        for style, ((rate,), row) in zip(STYLES, groups(cells, "rate"), strict=False):
            ends = [x + 1 for x in row["x"]]
            ax.plot(ends, row["rtt_min_ms"].to_list(), **style)
            # The lines of fast links almost coincide: one label is above and one below.
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
        if known:
            marks = dict(MARK, color=COLOURS["ink"], zorder=3, label=f"thesis, {known.name}")
            ax.plot([x + 1 for _, x in known.rtt_min_ms], list(known.rtt_min_ms.values()), **marks)
            ax.legend(loc=(0.02, 0.58))
        transmissions_axis(ax, cells["x"].unique().sort().to_list(), logarithmic=True)
        ax.set_ylabel("round trip in ms")
        return save_plot(ax, plots, "rtt-rates")


def one_rate(runs: pl.DataFrame, rate: str, plots: Path) -> Plot:
    """Round trips against transmissions at one link rate, a line for each profile."""
    with axes() as ax:
        xs: list[int] = []
        for style, ((profile,), cells) in zip(
            STYLES, groups(runs.filter(pl.col("rate") == rate), "profile"), strict=False
        ):
            xs = cells["x"].to_list()
            ax.plot([x + 1 for x in xs], cells["rtt_min_ms"].to_list(), label=f"{profile}, minimum", **style)
            known = PUBLISHED.get(profile)
            marks = [(x + 1, rtt) for (at, x), rtt in known.rtt_min_ms.items() if at == rate] if known else []
            if known and marks:
                ax.plot(
                    *zip(*marks, strict=True), **MARK, color=style["color"], label=f"thesis, {known.name}"
                )
        transmissions_axis(ax, xs)
        if rate == "unlimited":
            log_axis(ax, "y")
        ax.set_ylabel("round trip in ms")
        ax.legend()
        return save_plot(ax, plots, f"rtt-{rate}")


def groups(runs: pl.DataFrame, *names: str) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
    """The rows for each combination of values, in the order of the rows."""
    return list(runs.partition_by(*names, maintain_order=True, as_dict=True).items())

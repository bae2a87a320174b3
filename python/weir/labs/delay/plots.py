"""The lab's plots: the thesis' figures 5.5 to 5.17, from our measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from weir.labs.delay.analysis import CellResult, Fit
from weir.labs.delay.cells import RATES_BPS, RECIRCULATIONS
from weir.labs.delay.theory import Theory
from weir.labs.delay.thesis import SERVER, VIRTUAL_MACHINE, Machine
from weir.report.plot import COLOURS, Plot, axes, save_plot

TRANSMISSIONS: Final = tuple(x + 1 for x in RECIRCULATIONS)
_RATE_COLOURS: Final = ("blue", "sky", "green", "orange", "red")


@dataclass(frozen=True)
class Plots:
    """All plots of a run.

    One over link rates, one with all rates, one next to the published numbers, one for each rate.
    """

    by_rate: Plot
    overview: Plot
    published: Plot
    each_rate: dict[int | None, Plot]


def draw(
    folder: Path, cells: Sequence[CellResult], fits: Sequence[Fit], theory: Theory, machine: Machine | None
) -> Plots:
    """Draws all plots into the folder."""
    fit_of = {fit.rate_bps: fit for fit in fits}
    return Plots(
        by_rate=_by_rate(folder, cells, theory, machine),
        overview=_overview(folder, cells, theory),
        published=_published(folder, _of_rate(cells, None), fit_of.get(None)),
        each_rate={
            rate: _one_rate(folder, rate, cells, fit_of.get(rate), theory, machine) for rate in RATES_BPS
        },
    )


def rate_name(rate_bps: int | None) -> str:
    """A rate as text: ``10 kbit/s``, ``unlimited``."""
    if rate_bps is None:
        return "unlimited"
    for unit, name in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s")):
        if rate_bps >= unit:
            return f"{rate_bps / unit:g} {name}"
    return f"{rate_bps} bit/s"


def _by_rate(folder: Path, cells: Sequence[CellResult], theory: Theory, machine: Machine | None) -> Plot:
    """Theory, minimum and average without recirculation, by link rate (figures 5.5 to 5.7)."""
    chosen = [cell for cell in cells if cell.recirculations == 0]
    places = range(len(chosen))
    with axes(7.2, 4.2) as ax:
        expected = [theory.rtt_ms(0, cell.rate_bps) for cell in chosen]
        ax.set_yscale("log")
        # Dashes, because there are no values between two rates.
        dash: dict[str, Any] = {"linestyle": "none", "marker": "_", "markersize": 36, "markeredgewidth": 1.6}
        ax.plot(list(places), expected, **dash, color=COLOURS["soft"], zorder=2, label="_theory")
        ax.plot([], [], color=COLOURS["soft"], label="theory")
        _measured(ax, list(places), chosen)
        _thesis(ax, machine, [(place, cell.rate_bps, 0) for place, cell in zip(places, chosen, strict=True)])
        for place, cell in zip(places, chosen, strict=True):
            if cell.rtt_min_ms is not None:
                text = _milliseconds(cell.rtt_min_ms)
                ax.annotate(
                    text,
                    (place, cell.rtt_min_ms),
                    (0, 11),
                    textcoords="offset points",
                    ha="center",
                    fontsize=9,
                )
        ax.set_xticks(list(places), [rate_name(cell.rate_bps) for cell in chosen])
        ax.grid(visible=False, axis="x")
        ax.set_xlim(-0.5, len(chosen) - 0.5)
        ax.margins(y=0.16)
        _log_milliseconds(ax)
        ax.set_xlabel("link rate")
        ax.set_title("Round trip without recirculation, by link rate")
        ax.legend(loc="upper left")
        return save_plot(ax, folder, "rtt-by-rate")


def _overview(folder: Path, cells: Sequence[CellResult], theory: Theory) -> Plot:
    """Minimum and average of all rates against transmissions, on logarithmic axes."""
    with axes(7.2, 4.6) as ax:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        for rate, colour in zip(RATES_BPS, _RATE_COLOURS, strict=True):
            chosen = _of_rate(cells, rate)
            xs = [cell.recirculations + 1 for cell in chosen]
            expected = [theory.rtt_ms(cell.recirculations, rate) for cell in chosen]
            ax.plot(xs, expected, color=COLOURS[colour], linewidth=1.4, zorder=2)
            _measured(ax, xs, chosen, colour=COLOURS[colour], labels=False)
        ends = [theory.rtt_ms(RECIRCULATIONS[-1], rate) for rate in RATES_BPS]
        for rate, colour, height in zip(RATES_BPS, _RATE_COLOURS, _spread_labels(ends, 0.06), strict=True):
            ax.annotate(
                rate_name(rate),
                (TRANSMISSIONS[-1], height),
                (12, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                fontweight="bold",
                color=COLOURS[colour],
                annotation_clip=False,
            )
        ax.plot([], [], color=COLOURS["soft"], linewidth=1.4, label="theory")
        ax.plot([], [], **_MINIMUM, color=COLOURS["soft"], label="minimum")
        ax.plot([], [], **_AVERAGE, color=COLOURS["soft"], label="average")
        ax.set_xticks(TRANSMISSIONS, [str(t) for t in TRANSMISSIONS])
        ax.set_xlim(0.88, 16 * 1.12)
        ax.margins(y=0.08)
        _log_milliseconds(ax)
        ax.set_xlabel("transmissions (passes through the switch each way, X + 1)")
        ax.set_title("Round trip against transmissions, all link rates", pad=26)
        ax.legend(loc="lower left", bbox_to_anchor=(-0.015, 1.0), ncols=3, borderaxespad=0, columnspacing=1.6)
        return save_plot(ax, folder, "rtt-overview")


def _published(folder: Path, cells: Sequence[CellResult], fit: Fit | None) -> Plot:
    """This run and the thesis' machines over unlimited links, on logarithmic axes."""
    with axes(7.2, 4.2) as ax:
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        xs = [x + 1 for x in RECIRCULATIONS]
        for machine, colour, mark in ((SERVER, "purple", "s"), (VIRTUAL_MACHINE, "orange", "D")):
            line = [machine.a_ms + machine.b_ms * x for x in RECIRCULATIONS]
            ax.plot(xs, line, color=COLOURS[colour], linewidth=1.4, linestyle="--", zorder=2)
            points = [(x + 1, rtt) for (rate, x), rtt in machine.rtt_min_ms.items() if rate is None]
            style: dict[str, Any] = {"linestyle": "none", "marker": mark, "markersize": 7}
            text = f"published, {machine.name}: {machine.a_ms} ms + {machine.b_ms} ms · X"
            ax.plot(*zip(*points, strict=True), **style, color=COLOURS[colour], zorder=3, label=text)
        if fit is not None:
            line = [fit.a_ms + fit.b_ms * x for x in RECIRCULATIONS]
            ax.plot(xs, line, color=COLOURS["blue"], linewidth=1.4, zorder=2)
        answered = [
            (cell.recirculations + 1, cell.rtt_min_ms) for cell in cells if cell.rtt_min_ms is not None
        ]
        text = "this run" if fit is None else f"this run: {fit.a_ms:.4g} ms + {fit.b_ms:.4g} ms · X"
        ax.plot(
            [x for x, _ in answered],
            [rtt for _, rtt in answered],
            **_MINIMUM,
            color=COLOURS["blue"],
            zorder=4,
            label=text,
        )
        ax.set_xticks(TRANSMISSIONS, [str(t) for t in TRANSMISSIONS])
        ax.set_xlim(0.88, 16 * 1.12)
        ax.margins(y=0.1)
        _log_milliseconds(ax)
        ax.set_xlabel("transmissions (X + 1)")
        ax.set_title("Links unlimited: this run and the published numbers", pad=58)
        ax.legend(loc="lower left", bbox_to_anchor=(-0.015, 1.0), borderaxespad=0)
        return save_plot(ax, folder, "rtt-published")


def _one_rate(
    folder: Path,
    rate: int | None,
    cells: Sequence[CellResult],
    fit: Fit | None,
    theory: Theory,
    machine: Machine | None,
) -> Plot:
    """Minimum and average over transmissions at one rate (figures 5.8 to 5.17), with theory."""
    chosen = _of_rate(cells, rate)
    xs = [cell.recirculations + 1 for cell in chosen]
    with axes(5.6, 4.0) as ax:
        _theory(ax, xs, [theory.rtt_ms(cell.recirculations, rate) for cell in chosen])
        _measured(ax, xs, chosen)
        _thesis(ax, machine, [(x, rate, x - 1) for x in xs])
        if fit is not None:
            text = f"RTT = {fit.a_ms:.7g} ms + {fit.b_ms:.7g} ms · X\nR² = {fit.r2:.6f}"
            ax.text(
                0.98,
                0.05,
                text,
                transform=ax.transAxes,
                ha="right",
                va="bottom",
                color=COLOURS["ink"],
                fontsize=9,
            )
        ax.set_xticks(TRANSMISSIONS)
        ax.set_xlim(0.2, TRANSMISSIONS[-1] + 0.8)
        ax.margins(y=0.1)
        ax.set_xlabel("transmissions (X + 1)")
        ax.set_ylabel("round-trip time (ms)")
        ax.set_title(f"Links {rate_name(rate)}" if rate is None else f"Links at {rate_name(rate)}")
        ax.legend(loc="upper left")
        return save_plot(ax, folder, f"rtt-{_file_name(rate)}")


_MINIMUM: Final[dict[str, Any]] = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 9,
    "markerfacecolor": "none",
    "markeredgewidth": 1.6,
}
_AVERAGE: Final[dict[str, Any]] = {
    "linestyle": "none",
    "marker": "+",
    "markersize": 8,
    "markeredgewidth": 1.6,
}


def _theory(ax: Axes, xs: Sequence[float], ys: Sequence[float]) -> None:
    ax.plot(xs, ys, color=COLOURS["soft"], linewidth=1.4, zorder=2, label="theory")


def _measured(
    ax: Axes, xs: Sequence[float], cells: Sequence[CellResult], colour: str | None = None, labels: bool = True
) -> None:
    """Draws a ring for the minimum and a cross for the average.

    If they are equal, the cross is in the ring.
    """
    answered = [
        (x, cell.rtt_min_ms, cell.rtt_avg_ms)
        for x, cell in zip(xs, cells, strict=True)
        if cell.rtt_min_ms is not None and cell.rtt_avg_ms is not None
    ]
    at, low, mean = ([row[column] for row in answered] for column in range(3))
    ax.plot(
        at, low, **_MINIMUM, color=colour or COLOURS["blue"], zorder=3, label="minimum" if labels else None
    )
    ax.plot(
        at, mean, **_AVERAGE, color=colour or COLOURS["red"], zorder=4, label="average" if labels else None
    )


def _thesis(ax: Axes, machine: Machine | None, places: Sequence[tuple[float, int | None, int]]) -> None:
    """Draws the thesis's measurements at these places, as far as its text has them."""
    if machine is None:
        return
    points = [
        (place, machine.rtt_min_ms[rate, x]) for place, rate, x in places if (rate, x) in machine.rtt_min_ms
    ]
    if points:
        style: dict[str, Any] = {"linestyle": "none", "marker": "D", "markersize": 5, "markeredgewidth": 0}
        label = f"thesis, {machine.name} (minimum)"
        ax.plot(*zip(*points, strict=True), **style, color=COLOURS["orange"], zorder=5, label=label)


def _spread_labels(heights: Sequence[float], minimum: float) -> list[float]:
    """Ascending heights of labels on a logarithmic axis, moved apart until none overlap.

    Args:
        heights: the original heights.
        minimum: the minimum distance between two, as a share of the axis.
    """
    logs = [math.log(height) for height in heights]
    gap = minimum * (logs[-1] - logs[0])
    for lower in range(len(logs) - 1):
        missing = gap - (logs[lower + 1] - logs[lower])
        if missing > 0:
            logs[lower] -= missing / 2
            logs[lower + 1] += missing / 2
    return [math.exp(log) for log in logs]


def _of_rate(cells: Sequence[CellResult], rate: int | None) -> list[CellResult]:
    return [cell for cell in cells if cell.rate_bps == rate]


def _log_milliseconds(ax: Axes) -> None:
    ax.yaxis.set_major_locator(LogLocator(base=10))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel("round-trip time (ms)")


def _milliseconds(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 1000 else f"{value:.3g} ms"


def _file_name(rate: int | None) -> str:
    return "unlimited" if rate is None else rate_name(rate).replace("/s", "").replace(" ", "")

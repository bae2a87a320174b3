"""The plots of an experiment's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from weir.experiments.parameters import as_text
from weir.experiments.plots import plot, varied_parameters
from weir.experiments.runs import Runs
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir.report import Plot

    Plots: TypeAlias = tuple[list[tuple[Plot, str]], list[str]]
    """A list of plots with their captions, and a list of notes on measurements that are not
    shown."""

_MAX_BYTES: Final = 600_000
"""The maximum bytes of SVG for all plots of one kind, so that a report stays below 3 MB."""
_MAX_PLOTS: Final = 12
_MAX_SERIES: Final = 4
_MAX_LINES: Final = 12
"""The maximum number of lines in a plot of series over time."""
_PARTS: Final = 200
"""The number of parts into which a long series is divided; two values of each part are drawn."""


def plots_of_means(result: Runs, folder: Path, most: int = _MAX_PLOTS) -> Plots:
    """Draws the means of all measurements over the parameter with the most values."""
    from weir.report.plot import Plot, axes, save_as

    order = _varied_parameters(result)
    if not order:
        return [], []
    # The parameter with the most values is the axis; the parameter with the second most selects the
    # colours.
    x, hue = order[0], order[1] if len(order) > 1 else None
    averaged = f", averaged over {listing(order[2:])}" if order[2:] else ""
    plots: list[tuple[Plot, str]] = []
    size = 0
    for number, measure in enumerate(result.measures[:most]):
        with axes() as ax:
            plot(result, x, measure, hue, ax=ax)
            drawing = Plot(save_as(ax, folder / f"plot-{number}.svg"))
        size += drawing.svg.stat().st_size
        if plots and size > _MAX_BYTES:
            break
        spread = any(not estimate.is_exact for estimate in result.estimates(measure).values())
        quantity = "mean and 95 % interval" if spread else "mean"
        plots.append((drawing, f"{measure} against {x}{averaged}: {quantity} over seeds."))
    hidden_count = len(result.measures) - len(plots)
    return plots, [f"{hidden_count} more measurements are in the table only."] if hidden_count else []


def plots_of_series(result: Runs, folder: Path) -> Plots:
    """Draws series over time.

    The plots show runs of the first repetition, in which one parameter varies and other parameters
    have their first value.
    """
    from weir.report.plot import Plot, axes, save_as

    finished = [run for run in result.records if run["repetition"] == 0 and run["error"] is None]
    names = list(dict.fromkeys(name for record in finished for name in record["series"]))
    if not names:
        return [], []
    order = _varied_parameters(result)
    hue = order[0] if order else None
    fixed = {name: finished[0]["parameters"][name] for name in order[1:]}
    chosen = [run for run in finished if all(run["parameters"][name] == fixed[name] for name in fixed)]
    drawn = [run | {"series": _thinned_series(run["series"])} for run in chosen[:_MAX_LINES]]
    part = Runs(result.declaration, drawn)
    fixed_text = "".join(f", {key}={as_text(value)}" for key, value in fixed.items() if value is not None)
    plots: list[tuple[Plot, str]] = []
    size = 0
    for number, name in enumerate(names[:_MAX_SERIES]):
        with axes() as ax:
            plot(part, None, name, hue, kind="time", ax=ax)
            drawing = Plot(save_as(ax, folder / f"series-{number}.svg"))
        size += drawing.svg.stat().st_size
        if plots and size > _MAX_BYTES:
            break
        plots.append((drawing, f"{name} over virtual time: first repetition{fixed_text}."))
    hidden_count = len(names) - len(plots)
    notes = [f"{hidden_count} more series are in series.parquet."] if hidden_count else []
    if any(len(values) > 2 * _PARTS for run in chosen for _, _, values in run["series"].values()):
        notes.append(
            f"For a long series, the smallest and the largest value of each of {_PARTS} parts are drawn."
        )
    if len(chosen) > _MAX_LINES:
        notes.append(f"Series of {len(chosen) - _MAX_LINES} more values of {hue} are in series.parquet.")
    return plots, notes


def _thinned_series(series: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Converts series to the form of records; of long series, only two values of each part
    remain."""
    thinned: dict[str, Sequence[Any]] = {}
    for name, (unit, times, values) in series.items():
        indices: Sequence[int] = range(len(values))
        if len(values) > 2 * _PARTS:
            bounds = [part * len(values) // _PARTS for part in range(_PARTS + 1)]
            parts = [range(first, end) for first, end in pairwise(bounds)]
            indices = sorted({most(part, key=values.__getitem__) for part in parts for most in (min, max)})
        thinned[name] = (unit, [times[place] for place in indices], [values[place] for place in indices])
    return thinned


def _varied_parameters(result: Runs) -> list[str]:
    """Lists the parameters that have several values, ordered by the number of their values, largest
    first."""
    return sorted(varied_parameters(result), key=lambda name: -len(result.declaration["values"][name]))

"""Plots results in the style of all of Weir's plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weir.errors import ExperimentError
from weir.experiments.parameters import as_text
from weir.measure.table import plot_figure
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from weir.experiments.runs import Runs

_MAX_LEGEND: Final = 12
"""The maximum number of lines for which the legend is inside the plot."""


def plot(
    result: Runs,
    x: str | None,
    y: str | None,
    hue: str | None,
    *,
    kind: str = "line",
    path: str | Path | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Figure:
    """Plots a result; see :meth:`Result.plot`."""
    if kind not in _KINDS:
        raise ExperimentError(
            f'there is no kind of plot "{kind}": there are {listing(_KINDS)}',
            suggestion=nearest(kind, _KINDS),
        )
    draw = _KINDS[kind]
    return plot_figure(lambda into: draw(result, into, x, y, hue), path, title, ax)


def _line(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws means over a parameter, with 95 % confidence bands."""
    x, y = _x_parameter(result, x, hue), _y_measurement(result, y)
    places = _places(result, x)
    for number, (label, chosen) in enumerate(_hues(result, hue)):
        by_value = {
            key[0]: estimate for key, estimate in chosen.estimates(y, [x]).items() if key[0] is not None
        }
        xs = [places[value] for value in places if value in by_value]
        estimates = [by_value[value] for value in places if value in by_value]
        style = _style(number)
        ax.plot(xs, [estimate.mean for estimate in estimates], **style, label=label)
        if any(not estimate.is_exact for estimate in estimates):
            low, high = [estimate.low for estimate in estimates], [estimate.high for estimate in estimates]
            ax.fill_between(xs, low, high, color=style["color"], alpha=0.18, linewidth=0)
    _finish(ax, x, places, y, hue)


def _box(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws medians, quartiles and extremes over a parameter."""
    x, y = _x_parameter(result, x, hue), _y_measurement(result, y)
    groups = list(_hues(result, hue))
    values = _values(result, x)
    for number, (label, chosen) in enumerate(groups):
        width = 0.7 / len(groups)
        data = [_scalars(chosen, y, {x: value}) for value in values]
        positions = [place + (number - (len(groups) - 1) / 2) * width for place in range(len(values))]
        drawn = ax.boxplot(
            data,
            positions=positions,
            widths=width * 0.85,
            patch_artist=True,
            manage_ticks=False,
            whis=(0, 100),
        )
        for box in drawn["boxes"]:
            box.set(facecolor=_colour(number), alpha=0.35, edgecolor=_colour(number))
        for part in ("whiskers", "caps", "medians"):
            for line in drawn[part]:
                line.set_color(_colour(number))
        ax.plot([], [], color=_colour(number), linewidth=6, alpha=0.5, label=label)
    _finish(ax, x, dict(zip(values, range(len(values)), strict=True)), y, hue, categories=True)


def _cdf(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws the cumulative distribution of a series, or of a scalar over runs."""
    names = [*_series_names(result), *result.measures] or _some_series(result)
    y = _name(y, names, "measurement")
    for number, (label, chosen) in enumerate(_hues(result, hue or x)):
        values = sorted(_series_values(chosen, y) if y in _series_names(result) else _scalars(chosen, y, {}))
        if values:
            shares = [(place + 1) / len(values) for place in range(len(values))]
            ax.step(
                [values[0], *values],
                [0.0, *shares],
                where="post",
                **{**_style(number), "marker": ""},
                label=label,
            )
    unit = next((record["series"][y][0] for record in result.records if y in record["series"]), "")
    ax.set_xlabel(_label(y) + (f" in {unit}" if unit else ""))
    ax.set_ylabel("share of values at or below")
    ax.set_ylim(0, 1.01)
    _legend(ax, hue or x)


def _heatmap(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws a heat map of means by two parameters."""
    from weir.report.plot import ON_DARK, ON_LIGHT

    several = varied_parameters(result)
    x = _x_parameter(result, x, None)
    y = y if y is not None else next((name for name in several if name != x), None)
    if y is None:
        raise ExperimentError("a heat map needs two parameters with several values")
    result.check_parameter(y)
    measure = _y_measurement(result, hue)
    estimates = result.estimates(measure, [x, y])
    columns, rows = _values(result, x), _values(result, y)
    grid = [[estimates[c, r].mean if (c, r) in estimates else float("nan") for c in columns] for r in rows]
    image = ax.imshow(grid, cmap="cividis", aspect="auto", origin="lower")
    ax.grid(visible=False)
    low, high = image.get_clim()
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            if value == value:
                dark = value < (low + high) / 2
                ax.text(
                    column,
                    row,
                    f"{value:.3g}",
                    ha="center",
                    va="center",
                    fontsize=9,
                    color=ON_DARK if dark else ON_LIGHT,
                )
    ax.set_xticks(range(len(columns)), [as_text(value) for value in columns])
    ax.set_yticks(range(len(rows)), [as_text(value) for value in rows])
    ax.set_xlabel(_label(x))
    ax.set_ylabel(_label(y))
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.colorbar(image, ax=ax, label=_label(measure))


def _time(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws a series over virtual time, with a line for each run."""
    y = _name(y, _some_series(result), "series")
    unit = ""
    for number, (label, chosen) in enumerate(_hues(result, hue or x)):
        for record in chosen.records:
            if y in record["series"]:
                unit, times, values = record["series"][y]
                ax.plot(times, values, color=_colour(number), linewidth=1.0, alpha=0.8, label=label)
                label = "_"
    ax.set_xlabel("virtual time in s")
    ax.set_ylabel(_label(y) + (f" in {unit}" if unit else ""))
    _legend(ax, hue or x, outside=True)  # Lines fill the whole plot, so the legend is outside.


def _gantt(result: Runs, ax: Axes, x: str | None, y: str | None, hue: str | None) -> None:
    """Draws a bar for each series in the first run of each group, from its first to its last
    time."""
    names = _some_series(result)
    if y is not None:
        _name(y, names, "series")
    labels: list[str] = []
    for number, (label, chosen) in enumerate(_hues(result, hue or x)):
        for record in chosen.records[:1]:
            for name, (_, times, _) in record["series"].items():
                if times and (y is None or name == y):
                    ax.barh(
                        len(labels), times[-1] - times[0], left=times[0], height=0.7, color=_colour(number)
                    )
                    labels.append(f"{name}, {label}" if label else name)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set_xlabel("virtual time in s")


_Draw = Callable[["Runs", "Axes", str | None, str | None, str | None], None]
_KINDS: Final[Mapping[str, _Draw]] = {
    "line": _line,
    "box": _box,
    "cdf": _cdf,
    "heatmap": _heatmap,
    "time": _time,
    "gantt": _gantt,
}


def varied_parameters(result: Runs) -> list[str]:
    """Lists the parameters that have several values in a result."""
    return [name for name in result.parameters if len(_values(result, name)) > 1]


def _hues(result: Runs, hue: str | None) -> list[tuple[str, Runs]]:
    """Splits a result by a parameter; returns each part with its label."""
    if hue is None:
        return [("", result)]
    result.check_parameter(hue)
    return [(as_text(value) or "none", result.only({hue: value})) for value in _values(result, hue)]


def _values(result: Runs, name: str) -> list[Any]:
    """Lists the values of a parameter that occur in the runs, in the declared order."""
    used = {record["parameters"][name] for record in result.records}
    return [value for value in (*result.declaration["values"][name], None) if value in used]


def _places(result: Runs, x: str) -> dict[Any, float]:
    """Computes the place of each value of a parameter on the axis: numbers are at their value,
    other values at equal distances."""
    values = [value for value in _values(result, x) if value is not None]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return {value: float(value) for value in sorted(values)}
    return {value: float(place) for place, value in enumerate(values)}


def _scalars(result: Runs, name: str, where: Mapping[str, Any]) -> list[float]:
    return [
        float(record["scalars"][name])
        for record in result.records
        if record["scalars"].get(name) is not None
        and all(record["parameters"][key] == value for key, value in where.items())
    ]


def _series_names(result: Runs) -> list[str]:
    return list(dict.fromkeys(name for record in result.records for name in record["series"]))


def _some_series(result: Runs) -> list[str]:
    names = _series_names(result)
    if not names:
        raise _nothing_to_plot(result, "series", '{"throughput": flow.throughput}')
    return names


def _nothing_to_plot(result: Runs, what: str, example: str) -> ExperimentError:
    """Creates the error for a result without data to plot, which names what the function must
    return."""
    if len(result.failures) == len(result.records) > 0:
        return ExperimentError(f"there are no {what}: all runs failed: {result.failures[0]['error']}")
    return ExperimentError(f"there are no {what}: return some from the function, such as {example}")


def _series_values(result: Runs, name: str) -> list[float]:
    return [value for record in result.records for value in record["series"].get(name, ("", [], []))[2]]


def _x_parameter(result: Runs, x: str | None, hue: str | None) -> str:
    if x is not None:
        result.check_parameter(x)
        return x
    several = [name for name in varied_parameters(result) if name != hue]
    if not several:
        raise ExperimentError("no other parameter has several values, so there is nothing to plot over")
    return several[0]


def _y_measurement(result: Runs, y: str | None) -> str:
    if y is None:
        if not result.measures:
            raise _nothing_to_plot(result, "measurements with numbers", '{"rtt_ms": ping.rtt_avg_ms}')
        return result.measures[0]
    result.check_measure(y)
    return y


def _name(name: str | None, known: Sequence[str], what: str) -> str:
    if name is None and known:
        return known[0]
    if name not in known:
        raise ExperimentError(
            f'there is no {what} "{name}": there are {listing(known)}', suggestion=nearest(str(name), known)
        )
    return str(name)


def _colour(number: int) -> str:
    return str(_style(number)["color"])


def _style(number: int) -> dict[str, Any]:
    """Returns the colour, marker and line style for the part of a plot with this number."""
    from weir.report.plot import line_style

    return line_style(number)


def _label(name: str) -> str:
    """Formats the label of a measurement with its unit, such as ``rtt p99 in ms`` for
    ``rtt_p99_ms``."""
    units = {
        "ns": "ns",
        "us": "µs",
        "ms": "ms",
        "s": "s",
        "mbps": "Mbit/s",
        "bps": "bit/s",
        "bytes": "bytes",
        "packets": "packets",
        "percent": "%",
    }
    words, _, unit = name.rpartition("_")
    return (
        f"{words.replace('_', ' ')} in {units[unit]}" if words and unit in units else name.replace("_", " ")
    )


def _finish(
    ax: Axes, x: str, places: Mapping[Any, float], y: str, hue: str | None, *, categories: bool = False
) -> None:
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in places)
    if categories or not numbers:
        ax.set_xticks(list(places.values()), [as_text(value) for value in places])
        ax.margins(x=0.08)
    ax.set_xlabel(_label(x))
    ax.set_ylabel(_label(y))
    bottom, _ = ax.get_ylim()
    if bottom > 0:
        ax.set_ylim(bottom=0)
    _legend(ax, hue)


def _legend(ax: Axes, hue: str | None, *, outside: bool = False) -> None:
    if hue is None:
        return
    from weir.report.plot import KINDS_OF_LINES

    handles, labels = ax.get_legend_handles_labels()
    few = len(labels) <= _MAX_LEGEND
    if len(labels) > KINDS_OF_LINES:  # The other kinds have no markers or line styles.
        ax.legend([], [], title=f"{len(labels)} values of {_label(hue)}")
    elif outside or not few:
        size = None if few else 7
        ax.legend(
            handles,
            labels,
            title=_label(hue),
            fontsize=size,
            ncols=1 if few else 2,
            loc="upper left",
            bbox_to_anchor=(1, 1),
        )
    else:
        ax.legend(title=_label(hue))

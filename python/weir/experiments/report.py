"""The report of an experiment: one HTML file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir.experiments.parameters import as_text
from weir.experiments.plots import varied
from weir.extras import lab_extra
from weir.suggest import listing

if TYPE_CHECKING:
    from weir.experiments.result import Result
    from weir.report import Section

_MAX_PLOTS: Final = 12
_MAX_ROWS: Final = 500


def write_report(result: Result, path: Path) -> Path:
    """Writes the report of a result.

    Raises:
        FileError: the file cannot be written.
        MissingExtraError: a library for plots and reports is not installed.
    """
    with lab_extra("reports"):
        from weir.report import Page

    question, _, details = str(result.declaration["question"]).partition("\n")
    with tempfile.TemporaryDirectory(prefix="weir-report-") as folder:
        sections = [
            _parameters(result, details.strip()),
            *_plots(result, Path(folder)),
            _table(result),
            *_failures(result),
        ]
        Page(
            title=question or result.name.replace("_", " "),
            answer=_answer(result),
            facts=_facts(result),
            sections=[*sections, _method(result)],
            network=next((one["drawing"] for one in result.records if one.get("drawing")), None),
            footer=_command(result),
        ).write(path)
    return path


def _answer(result: Result) -> str:
    done = len(result.records) - len(result.failures)
    failed = f", {len(result.failures)} failed" if result.failures else ""
    text = f"{done} runs of {len(result.records)} are done{failed}."
    for measure in result.measures[:3]:
        found = {point: one.mean for point, one in result.estimates(measure).items()}
        low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
        if found[low] != found[high]:
            text += (
                f" {measure} is smallest, {found[low]:.4g}, at {_point(result, low)}, "
                f"and largest, {found[high]:.4g}, at {_point(result, high)}."
            )
    return text


def _point(result: Result, values: tuple[object, ...]) -> str:
    shown = zip(result.parameters, values, strict=True)
    return ", ".join(f"{name}={as_text(value)}" for name, value in shown if name in varied(result))  # type: ignore[arg-type]


def _facts(result: Result) -> list[tuple[str, str]]:
    programs = {one for record in result.records for one in record["programs"]}
    topologies = {one for record in result.records for one in record["topologies"]}
    return [
        ("experiment", result.name),
        ("runs", f"{len(result.records)}"),
        ("seeds for each point", f"{result.declaration['repetitions']}"),
        ("master seed", f"{result.declaration['master_seed']}"),
        ("Weir", result.declaration["version"]),
        ("programs", listing(sorted(programs), 1)),
        ("topologies", listing(sorted(topologies), 1)),
    ]


def _parameters(result: Result, details: str) -> Section:
    from weir.report import Section, Table

    rows = [
        [name, ", ".join(as_text(value) for value in result.declaration["values"][name])]
        for name in result.parameters
    ]
    table = Table(["parameter", "values"], rows, words=(0, 1))
    return Section("Parameters", [details] if details else (), [table] if rows else ())


def _plots(result: Result, folder: Path) -> list[Section]:
    from weir.report import Figure, Section
    from weir.report.plot import Plot, axes, save_as

    several = varied(result)
    if not several or not result.measures:
        return []
    # The parameter with the most values is the axis, the next one has the colours.
    order = sorted(several, key=lambda name: -len(result.declaration["values"][name]))
    x, hue = order[0], order[1] if len(order) > 1 else None
    figures = []
    for number, measure in enumerate(result.measures[:_MAX_PLOTS]):
        with axes() as ax:
            result.plot(x=x, y=measure, hue=hue, ax=ax)
            plot = Plot(save_as(ax, folder / f"plot-{number}.svg"))
        others = [name for name in several if name not in (x, hue)]
        averaged = f", averaged over {listing(others)}" if others else ""
        figures.append(Figure(plot, f"{measure} against {x}{averaged}: mean and 95 % interval over seeds."))
    more = len(result.measures) - len(figures)
    notes = [f"{more} more measurements are in the table only."] if more else []
    return [Section("Results", figures=figures, notes=notes)]


def _table(result: Result) -> Section:
    from weir.report import Section, Table

    measures = result.measures
    found = {measure: result.estimates(measure) for measure in measures}
    points = list(dict.fromkeys(tuple(record["parameters"].values()) for record in result.records))
    rows = []
    for point in points[:_MAX_ROWS]:
        cells = [found[measure].get(point) for measure in measures]
        rows.append(
            [
                *(as_text(value) for value in point),
                *("–" if one is None else _with_interval(one.mean, one.high - one.mean) for one in cells),
            ]
        )
    table = Table(
        [*result.parameters, *measures],
        rows,
        "Mean over seeds, ± half of the 95 % interval (Student).",
        words=tuple(range(len(result.parameters))),
    )
    notes = []
    if result.is_noiseless:
        notes.append(
            "All seeds gave the same: the networks have no randomness, so repetitions say nothing about spread."
        )
    if len(points) > _MAX_ROWS:
        notes.append(f"{len(points) - _MAX_ROWS} more points are in runs.parquet.")
    return Section("All points", tables=[table], notes=notes)


def _failures(result: Result) -> list[Section]:
    from weir.report import Section, Table

    if not result.failures:
        return []
    rows = [
        [
            " ".join(f"{k}={as_text(v)}" for k, v in record["parameters"].items()),
            f"{record['seed']}",
            record["error"],
        ]
        for record in result.failures[:_MAX_ROWS]
    ]
    return [Section("Runs that failed", tables=[Table(["parameters", "seed", "error"], rows, words=(0, 2))])]


def _method(result: Result) -> Section:
    from weir.report import Section

    return Section(
        "How it was measured",
        [
            "Each run is a virtual network on a virtual clock: its result depends on the program, the topology, the "
            "parameters and the seed, and not on the computer. Runs of one repetition have the same seed, so that "
            "points can be compared in pairs.",
        ],
    )


def _command(result: Result) -> str:
    values = [f"--only {name}={','.join(values)}" for name, values in result.declaration["only"].items()]
    options = " ".join(
        [
            f"--seed {result.declaration['master_seed']}",
            f"--seeds {result.declaration['repetitions']}",
            *values,
        ]
    )
    return (
        f"Made by Weir {result.declaration['version']}. Repeat it with: weir experiment run FILE.py:{result.name} {options}. "
        "The same command gives the same tables, byte for byte."
    )


def _with_interval(mean: float, half: float) -> str:
    return f"{mean:.6g}" if half == 0 else f"{mean:.6g} ± {half:.2g}"

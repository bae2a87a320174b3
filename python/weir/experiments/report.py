"""Writes the report of an experiment as an HTML file."""

from __future__ import annotations

import shlex
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir.errors.extras import lab_extra
from weir.experiments.network import drawing_of
from weir.experiments.parameters import as_text
from weir.experiments.plots import varied_parameters
from weir.experiments.report_plots import plots_of_means, plots_of_series
from weir.experiments.runs import Runs
from weir.text.counted import count_noun
from weir.text.measured import measured, with_interval
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir.report import Section

_MAX_ROWS: Final = 500
_MAX_CELLS: Final = 20_000
_MAX_ERROR: Final = 300
"""The maximum characters of an error in the table of failed runs."""


def write_report(result: Runs, path: Path, *, follow: bool = False) -> Path:
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
            *_results(result, Path(folder)),
            _table(result),
            *_failures(result),
        ]
        Page(
            title=question or result.name.replace("_", " "),
            answer=_answer(result),
            facts=_facts(result),
            sections=[*sections, _method(result)],
            network=next(
                (drawing_of(record["drawing"]) for record in result.records if record["drawing"]), None
            ),
            network_note=_network_note(result),
            footer=_command(result),
        ).write(path, follow=follow)
    return path


def _answer(result: Runs) -> str:
    finished = len(result.records) - len(result.failures)
    failed = f", {len(result.failures)} failed" if result.failures else ""
    text = f"{finished} runs of {len(result.records)} are done{failed}."
    for measure in result.measures[:3]:
        estimates = result.estimates(measure)
        means = {point: estimate.mean for point, estimate in estimates.items()}
        low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        if means[low] != means[high]:
            least, most = (
                measured(means[extreme], estimates[extreme].high - means[extreme], None)
                for extreme in (low, high)
            )
            text += (
                f" {measure} is smallest, {least}, at {_point(result, low)}, "
                f"and largest, {most}, at {_point(result, high)}."
            )
    return text


def _point(result: Runs, values: tuple[object, ...]) -> str:
    pairs = zip(result.parameters, values, strict=True)
    return ", ".join(f"{name}={as_text(value)}" for name, value in pairs if name in varied_parameters(result))  # type: ignore[arg-type]


def _facts(result: Runs) -> list[tuple[str, str]]:
    programs = {digest for record in result.records for digest in record["programs"]}
    topologies = {digest for record in result.records for digest in record["topologies"]}
    return [
        ("experiment", result.name),
        ("runs", f"{len(result.records)}"),
        ("seeds for each point", f"{result.declaration['repetitions']}"),
        ("master seed", f"{result.declaration['master_seed']}"),
        ("Weir", result.declaration["version"]),
        ("programs", listing(sorted(programs), 1)),
        ("topologies", listing(sorted(topologies), 1)),
    ]


def _parameters(result: Runs, details: str) -> Section:
    from weir.report import Section, Table

    rows = [
        [name, ", ".join(as_text(value) for value in result.declaration["values"][name])]
        for name in result.parameters
    ]
    table = Table(["parameter", "values"], rows, words=(0, 1))
    return Section("Parameters", [details] if details else (), [table] if rows else ())


def _results(result: Runs, folder: Path) -> list[Section]:
    """Builds the section with the plots of means and of series; returns no section if there are no
    plots."""
    from weir.report import Figure, Section

    (means, some_notes), (series, more_notes) = (
        plots_of_means(result, folder),
        plots_of_series(result, folder),
    )
    plots = [*means, *series]
    if not plots:
        return []
    is_single = sum(not plot.empty for plot, _ in plots) == 1
    figures = [Figure(plot, caption, wide=is_single) for plot, caption in plots]
    return [Section("Results", figures=figures, notes=[*some_notes, *more_notes])]


def table_of_points(result: Runs, most: int) -> tuple[list[str], list[list[str]], int]:
    """Computes the means of all measurements at each point, as text for a table.

    Returns:
        The names of the columns, parameters first; the rows, at most ``most``; and the number of
        points.
    """
    estimates = {measure: result.estimates(measure) for measure in result.measures}
    points = list(dict.fromkeys(tuple(record["parameters"].values()) for record in result.records))
    rows = []
    for point in points[:most]:
        cells = [estimates[measure].get(point) for measure in estimates]
        means = [
            "–" if estimate is None else with_interval(estimate.mean, estimate.high - estimate.mean, None)
            for estimate in cells
        ]
        rows.append([*(as_text(value) for value in point), *means])
    return [*result.parameters, *estimates], rows, len(points)


def _table(result: Runs) -> Section:
    from weir.report import Section, Table

    columns = len(result.parameters) + len(result.measures)
    head, rows, total = table_of_points(result, min(_MAX_ROWS, _MAX_CELLS // max(1, columns)))
    spread = any(
        not estimate.is_exact for name in result.measures for estimate in result.estimates(name).values()
    )
    interval = ", ± half of the 95 % interval (Student) where seeds differ" if spread else ""
    is_repeated = result.declaration["repetitions"] > 1
    caption = f"Mean over seeds{interval}." if is_repeated else "One run for each point."
    table = Table(head, rows, caption, words=tuple(range(len(result.parameters))))
    notes = []
    if result.is_noiseless:
        notes.append("All seeds gave the same results, so repetitions do not show any variation here.")
    if total > len(rows):
        notes.append(f"{total - len(rows)} more points are in runs.parquet.")
    return Section("All points", tables=[table], notes=notes)


def _failures(result: Runs) -> list[Section]:
    from weir.report import Section, Table

    if not result.failures:
        return []
    rows = [
        [
            " ".join(f"{k}={as_text(v)}" for k, v in record["parameters"].items()),
            f"{record['seed']}",
            textwrap.shorten(record["error"], _MAX_ERROR, placeholder=" …"),
        ]
        for record in result.failures[:_MAX_ROWS]
    ]
    hidden_count = len(result.failures) - len(rows)
    notes = [f"{count_noun(hidden_count, 'more run')} failed."] if hidden_count else []
    notes += ["The output of each failed run is in runs/*.log."] if result.folder is not None else []
    table = Table(["parameters", "seed", "error"], rows, words=(0, 2), prose=True)
    return [Section("Runs that failed", tables=[table], notes=notes)]


def _network_note(result: Runs) -> str:
    topologies = {topology for record in result.records for topology in record["topologies"]}
    if len(topologies) < 2:
        return ""
    return f"The network of the first run: {_point(result, tuple(result.records[0]['parameters'].values()))}."


def _method(result: Runs) -> Section:
    from weir.report import Section

    return Section(
        "How it was measured",
        [
            "Each run is a virtual network on a virtual clock, so its result depends on the program, "
            "the topology, the parameters and the seed, but not on the computer. Runs of one "
            "repetition have the same seed, so that points can be compared in pairs.",
        ],
    )


def _command(result: Runs) -> str:
    declaration = result.declaration
    if declaration.get("replaced"):
        values = ", ".join(f"{name}={values_of!r}" for name, values_of in declaration["replaced"].items())
        only = f", only={declaration['only']!r}" if declaration["only"] else ""
        seeds = f"seed={declaration['master_seed']}, seeds={declaration['repetitions']}"
        command = f"{result.name}.replaced({values}).run({seeds}{only})"
    else:
        options = [f"--seed={declaration['master_seed']}", f"--seeds={declaration['repetitions']}"]
        options += [f"--only={name}={','.join(values)}" for name, values in declaration["only"].items()]
        # Readers copy this command into a shell, so it must be quoted: its names may be untrusted.
        words = ["weir", "experiment", "run", f"{declaration['file'] or 'FILE.py'}:{result.name}", *options]
        command = shlex.join(words)
    return (
        f"Made by Weir {declaration['version']}. Repeat it with: {command}. "
        "The same command gives the same tables, byte for byte."
    )

"""``weir experiment``: runs users' experiments, and compares and reports results."""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress
from pathlib import Path

import click

from weir.cli.group import LazyGroup
from weir.cli.output_file import OutputFile

_MAX_ROWS = 500
"""The most rows of the table of means."""


@click.group(
    "experiment",
    cls=LazyGroup,
    short_help="Run experiments over parameters and seeds.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir experiment run bufferbloat.py --out out/bufferbloat
  weir experiment run bufferbloat.py --only rate=1Mbit,10Mbit --seeds 3
  weir experiment report out/bufferbloat
  weir experiment diff out/before out/after""",
)
def command() -> None:
    """Run experiments: functions decorated with @weir.experiment."""


@command.command("list", epilog="\b\nExample:\n  weir experiment list bufferbloat.py")
@click.argument("file", metavar="FILE.py", type=click.Path())
def list_experiments(file: str) -> None:
    """List the experiments of a file, with their parameters."""
    from weir.cli import text
    from weir.experiments.parameters import as_text
    from weir.experiments.source import load_experiments

    rows = []
    for declared in load_experiments(file).values():
        values = [
            f"{name}={','.join(as_text(value) for value in declared.space.values(name))}"
            for name in declared.space.names
        ]
        rows.append([declared.name, f"{len(declared.points())}", f"{declared.seeds}", " ".join(values)])
    text.table(["experiment", "points", "seeds", "parameters"], rows)


@command.command(
    "run",
    short_help="Run an experiment.",
    epilog="""\b
Examples:
  weir experiment run bufferbloat.py
  weir experiment run bufferbloat.py:bufferbloat --out results --workers 2 --only rate=1Mbit""",
)
@click.argument("experiment", metavar="FILE.py[:NAME]")
@click.option(
    "--out", metavar="DIR", type=click.Path(), help="The folder of the results.  [default: out/NAME]"
)
@click.option(
    "--workers",
    type=int,
    metavar="N",
    help="The number of worker processes.  [default: one for each processor]",
)
@click.option(
    "--on", metavar="ADDRESS", help="Run on the workers of this Dask scheduler, such as tcp://HOST:8786."
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME=VALUE[,VALUE…]",
    help="Run only these values of a parameter. May be repeated.",
)
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="The master seed.")
@click.option(
    "--seeds",
    type=int,
    metavar="N",
    help="The number of repetitions of each point, instead of the declared number.",
)
@click.option(
    "--fresh", is_flag=True, help="Remove earlier results in the folder, instead of continuing with them."
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
def run(
    experiment: str,
    out: str | None,
    workers: int | None,
    on: str | None,
    only: tuple[str, ...],
    seed: int,
    seeds: int | None,
    fresh: bool,
    quiet: bool,
) -> int:
    """Run an experiment, print its means, and write tables and a report to a folder.

    An interrupted run continues where it stopped. The exit code is 1 if a run failed.
    """
    from weir.cli import text
    from weir.experiments.failures import failures_in_short
    from weir.experiments.report import table_of_points
    from weir.experiments.source import find_experiment

    declared = find_experiment(experiment)
    folder = Path("out") / declared.name if out is None else Path(out)
    if workers != 1:
        # Tables and plots need large libraries, which are loaded while workers run.
        threading.Thread(target=_load_libraries, daemon=True).start()
    result = declared.run(
        out=folder,
        seed=seed,
        seeds=seeds,
        only=_read_only(only),
        workers=workers,
        on=on,
        fresh=fresh,
        progress=not quiet,
        warn=False,
    )
    head, rows, total = table_of_points(result, _MAX_ROWS)
    text.table(head, rows)
    if total > len(rows):
        click.echo(f"… and {total - len(rows)} more points")
    if any("±" in cell for row in rows for cell in row):
        click.echo("means over seeds, ± half of their 95 % confidence intervals")
    if result.is_noiseless:
        click.echo("All seeds gave the same results.")
    for failure in failures_in_short(result):
        text.error(failure)
    click.echo(f"report: {result.report()}")
    return 1 if result.failures else 0


@command.command("report", epilog="\b\nExample:\n  weir experiment report out/bufferbloat")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option(
    "--to", metavar="FILE.html", type=OutputFile(), help="The file to write.  [default: DIR/report.html]"
)
def report(folder: str, to: str | None) -> None:
    """Write the report of a result again."""
    from weir.experiments import Result

    click.echo(str(Result.load(folder).report(to)))


@command.command(
    "check",
    short_help="Check a result's files for damage.",
    epilog="\b\nExample:\n  weir experiment check out/bufferbloat",
)
@click.argument("folder", metavar="DIR", type=click.Path())
def check(folder: str) -> int:
    """Compare all files of a result with their stored hashes.

    Lists the files that are missing or damaged; the exit code is then 1. Running the experiment
    again with this folder repairs them.
    """
    from weir.cli import text
    from weir.experiments.store import Store

    store = Store(Path(folder))
    damaged = store.damage()
    for error in damaged:
        text.error(str(error))
    if not damaged:
        # Loading finds what hashes cannot: a sender can seal records with wrong content.
        click.echo(f"{len(store.records())} runs: all files are unchanged")
    return 1 if damaged else 0


@command.command("diff", epilog="\b\nExample:\n  weir experiment diff out/before out/after")
@click.argument("first", metavar="DIR", type=click.Path())
@click.argument("second", metavar="DIR", type=click.Path())
@click.option("--all", "show_all", is_flag=True, help="Also show differences that may be due to chance.")
def diff(first: str, second: str, show_all: bool) -> None:
    """Show the differences between two results that are larger than chance."""
    from weir.cli import text
    from weir.experiments import compare
    from weir.experiments.parameters import as_text
    from weir.text.measured import measured, with_interval

    comparison = compare(first, second)
    rows_to_show = comparison.rows if show_all else comparison.significant
    rows = []
    for row in rows_to_show:
        d = row.difference
        half, change = (d.high - d.low) / 2, d.second - d.first
        sign = "+" if change > 0 else ""
        p = "–" if d.p is None else f"{d.p:.2g}"
        means = [measured(mean, half, None) for mean in (d.first, d.second)]
        rows.append(
            [*map(as_text, row.point), row.measure, *means, sign + with_interval(change, half, None), p]
        )
    if rows:
        text.table([*comparison.parameters, "measure", "first", "second", "difference", "p"], rows)
    click.echo(
        f"{len(comparison.significant)} of {len(comparison.rows)} differences are larger than chance "
        "(5 % false discoveries; runs of equal seeds compared in pairs)."
    )
    for which, points in (("first", comparison.only_first), ("second", comparison.only_second)):
        if points:
            click.echo(f"{len(points)} points are only in the {which} result.")


def _load_libraries() -> None:
    for name in ("polars", "scipy.special", "weir.report"):
        with suppress(ImportError):
            importlib.import_module(name)


def _read_only(only: tuple[str, ...]) -> dict[str, object] | None:
    values_by_name: dict[str, object] = {}
    for condition in only:
        name, equals, values = condition.partition("=")
        if not equals:
            raise click.BadParameter(
                f'"{condition}": expected NAME=VALUE, such as rate=1Mbit', param_hint="--only"
            )
        values_by_name[name] = [value for value in values.split(",") if value]
        if not values_by_name[name]:
            raise click.BadParameter(f'"{condition}": there is no value after =', param_hint="--only")
    return values_by_name or None

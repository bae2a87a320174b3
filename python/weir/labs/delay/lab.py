"""The delay lab from end to end: measure all cells, then tables, plots and the report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl
from rich.console import Console

import weir
from weir.labs import progress
from weir.labs.base import Options, Outcome
from weir.labs.delay import analysis, plots, report, result_files
from weir.labs.delay.cells import DATA_BYTES, Cell, cells
from weir.labs.delay.measure import Bench
from weir.labs.delay.profiles import PROFILES
from weir.labs.delay.theory import Theory, wire_bytes
from weir.labs.output import result_folder
from weir.report.text import print_table

_CAPTURED: Final = (3, 10**6)
"""The cell whose packets are captured: its times show both the passes and the transmissions."""


def run(options: Options) -> Outcome:
    """Runs the lab; see `weir.labs.Lab.run`."""
    console = options.console or Console()
    out = options.out
    machine = PROFILES[options.profile]
    bench = Bench(machine, options.executor)
    theory = Theory(bench.pass_ns, bench.processing_ns, wire_bytes(DATA_BYTES))
    planned = cells(theory, seed=options.seed, quick=options.quick)
    with result_folder(out, "delay") as work:
        results = _measure(bench, theory, planned, work / "captures", quiet=options.quiet)
        done = report.Run(
            profile=options.profile,
            machine=machine.model_of,
            theory=theory,
            topology=weir.Topology.load(Path(__file__).with_name("topology.json")),
            seed=options.seed,
            quick=options.quick,
            version=weir.__version__,
            cells=planned,
            results=analysis.summarise(results),
            fits=analysis.fits(results),
        )
        result_files.write_results(results, work)
        result_files.write_summary(done, work / "summary.json")
        drawn = plots.draw(work, done.results, done.fits, theory, done.machine)
        report.write_report(done, drawn, work / "report.html")
    _print(console, done, out)
    return Outcome(out, out / "report.html")


def _measure(
    bench: Bench, theory: Theory, planned: list[Cell], captures: Path, *, quiet: bool
) -> pl.DataFrame:
    parts = []
    with progress.progress("delay", len(planned), quiet=quiet) as step:
        for cell in planned:
            captured = (cell.recirculations, cell.rate_bps) == _CAPTURED
            expected_ms = theory.rtt_ms(cell.recirculations, cell.rate_bps)
            pings = bench.ping(cell, expected_ms, captures if captured else None)
            parts.append(
                pings.to_frame().select(
                    pl.lit(cell.recirculations, pl.Int64).alias("recirculations"),
                    pl.lit(cell.rate_bps, pl.Int64).alias("rate_bps"),
                    "seq",
                    "time_s",
                    "rtt_ms",
                    "ttl",
                )
            )
            step(f"links {plots.rate_name(cell.rate_bps)}, {cell.recirculations} recirculations")
    return pl.concat(parts)


def _print(console: Console, done: report.Run, out: Path) -> None:
    print_table(console, report.cells_table(done))
    console.print()
    print_table(console, report.fits_table(done))
    console.print()
    console.print(f"report: {out / 'report.html'}", markup=False, highlight=False, soft_wrap=True)
